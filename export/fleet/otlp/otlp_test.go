package otlp

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/goprofinstr/goprofinstr/export/fleet/client"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// calls returns a batch of so many functions, called by main in turn on two routes, with CPU time.
func calls(t *testing.T, functions, nameLength int) push.Batch {
	t.Helper()
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "call_execs", Unit: "count"}, {Type: "time", Unit: "nanoseconds"}},
		Mapping:    []*profile.Mapping{{ID: 1, File: "program"}},
	}
	for i := range functions + 1 {
		fn := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("m.%sF%d", strings.Repeat("x", nameLength), i), Filename: "f.go", StartLine: int64(i + 1)}
		p.Function = append(p.Function, fn)
		p.Location = append(p.Location, &profile.Location{ID: fn.ID, Mapping: p.Mapping[0], Line: []profile.Line{{Function: fn, Line: fn.StartLine}}})
		if i > 0 {
			p.Sample = append(p.Sample, &profile.Sample{
				Location: []*profile.Location{p.Location[i], p.Location[0]},
				Value:    []int64{int64(i), int64(1000 * (i % 2))},
				Label:    map[string][]string{"route": {[]string{"/a", "/b"}[i%2]}},
			})
		}
	}
	b, err := push.Batch{
		Name: push.Calls, Labels: map[string]string{"service_name": "checkout", "k8s.pod.name": "checkout-0"}, Tables: "abc",
		ID: "one", Start: time.Unix(1795500000, 0), Duration: time.Minute, Profile: p,
	}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// texts returns the samples of a profile: its type, values, stacks and labels.
func texts(data pprofile.Profiles, p pprofile.Profile) (list []string) {
	d := data.Dictionary()
	text := func(i int32) string { return d.StringTable().At(int(i)) }
	for _, s := range p.Samples().All() {
		line := fmt.Sprint(text(p.SampleType().TypeStrindex()), "/", text(p.SampleType().UnitStrindex()), " ", s.Values().AsRaw())
		for _, l := range d.StackTable().At(int(s.StackIndex())).LocationIndices().All() {
			location := d.LocationTable().At(int(l))
			for _, at := range location.Lines().All() {
				fn := d.FunctionTable().At(int(at.FunctionIndex()))
				line += fmt.Sprint(" ", text(fn.NameStrindex()), " ", text(fn.FilenameStrindex()), ":", at.Line(),
					" of ", text(d.MappingTable().At(int(location.MappingIndex())).FilenameStrindex()))
			}
		}
		attributes, err := pprofile.FromAttributeIndices(d.AttributeTable(), s, d)
		list = append(list, fmt.Sprint(line, " ", attributes.AsRaw(), errText(err)))
	}
	return list
}

func errText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestEncode decodes what was encoded, by the Collector's own decoder.
func TestEncode(t *testing.T) {
	raw, err := encode(calls(t, 3, 0), "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(raw)
	if err != nil {
		t.Fatal(err)
	}
	resource := data.ResourceProfiles().At(0)
	want := map[string]any{"service.name": "checkout", "k8s.pod.name": "checkout-0", "goprofinstr.tables": "abc"}
	if got := resource.Resource().Attributes().AsRaw(); !maps.Equal(got, want) {
		t.Errorf("resource %v", got)
	}
	scope := resource.ScopeProfiles().At(0)
	if scope.Scope().Name() != "goprofinstr" || scope.Scope().Version() != "v1.2.3" {
		t.Errorf("scope %q %q: Parca names profiles by it", scope.Scope().Name(), scope.Scope().Version())
	}
	if n := scope.Profiles().Len(); n != 2 {
		t.Fatalf("%d profiles, want one for each sample type", n)
	}
	var got []string
	ids := make(map[pprofile.ProfileID]bool)
	for _, p := range scope.Profiles().All() {
		got = append(got, texts(data, p)...)
		ids[p.ProfileID()] = true
		period := data.Dictionary().StringTable().At(int(p.PeriodType().TypeStrindex()))
		if period != "goprofinstr_calls" || p.Period() != 1 {
			t.Errorf("period %d %q: Pyroscope names profiles by it", p.Period(), period)
		}
		if !p.Time().AsTime().Equal(time.Unix(1795500000, 0)) || p.DurationNano() != uint64(time.Minute) {
			t.Errorf("time %v, duration %d", p.Time(), p.DurationNano())
		}
	}
	if len(ids) != 2 || ids[pprofile.NewProfileIDEmpty()] {
		t.Errorf("ids %v", ids)
	}
	slices.Sort(got)
	wantSamples := []string{
		"call_execs/count [1] m.F1 f.go:2 of program m.F0 f.go:1 of program map[route:/b]",
		"call_execs/count [2] m.F2 f.go:3 of program m.F0 f.go:1 of program map[route:/a]",
		"call_execs/count [3] m.F3 f.go:4 of program m.F0 f.go:1 of program map[route:/b]",
		"time/nanoseconds [1000] m.F1 f.go:2 of program m.F0 f.go:1 of program map[route:/b]",
		"time/nanoseconds [1000] m.F3 f.go:4 of program m.F0 f.go:1 of program map[route:/b]",
	}
	if !slices.Equal(got, wantSamples) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantSamples, "\n"))
	}
}

// TestNotPrepared pushes what servers would refuse without saying why.
func TestNotPrepared(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"nothing": nil, "no period type": {SampleType: []*profile.ValueType{{Type: "call_execs"}}}} {
		outcome, err := (&Target{}).Push(t.Context(), push.Batch{Name: push.Calls, Profile: p})
		if err == nil || outcome.Verdict != push.Dropped || outcome.Reason != "cannot be encoded" {
			t.Errorf("%s: %+v, %v", name, outcome, err)
		}
	}
}

// TestDictionary holds a rule of the format: the first entry of each table stands for nothing.
func TestDictionary(t *testing.T) {
	raw, err := encode(calls(t, 3, 0), "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(raw)
	if err != nil {
		t.Fatal(err)
	}
	d := data.Dictionary()
	if d.StringTable().At(0) != "" || d.FunctionTable().At(0).NameStrindex() != 0 || d.LocationTable().At(0).Lines().Len() != 0 ||
		d.StackTable().At(0).LocationIndices().Len() != 0 || d.AttributeTable().At(0).KeyStrindex() != 0 || d.LinkTable().Len() != 1 ||
		d.MappingTable().At(0).FilenameStrindex() != 0 {
		t.Error("a first entry is not empty")
	}
	// main and three functions, two of them on one route
	if d.FunctionTable().Len() != 5 || d.StackTable().Len() != 4 || d.AttributeTable().Len() != 3 {
		t.Errorf("%d functions, %d stacks, %d attributes", d.FunctionTable().Len(), d.StackTable().Len(), d.AttributeTable().Len())
	}
}

// TestSize holds the largest batches against the 4 MiB that gRPC takes behind a Collector: most samples, and longest names.
func TestSize(t *testing.T) {
	lengths := []int{180, 0, 1000}
	if testing.Short() {
		lengths = lengths[:1]
	}
	for _, nameLength := range lengths {
		b := calls(t, 20_000, nameLength)
		raw, err := encode(b, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d samples: pprof %d bytes, OTLP %d", len(b.Profile.Sample), push.Size(b.Profile), len(raw))
		if len(raw) > 4<<20 {
			t.Errorf("names of %d bytes: %d bytes in all", nameLength, len(raw))
		}
	}
}

// TestPush has what a server sees, and what its answers mean.
func TestPush(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		answer string
		want   push.Outcome
	}{
		{"taken", 200, "", push.Outcome{Verdict: push.Delivered}},
		{"nothing rejected", 200, "\x0a\x00", push.Outcome{Verdict: push.Delivered}},
		{"a warning", 200, "\x0a\x06\x12\x04warn", push.Outcome{Verdict: push.Delivered}},
		{"rejected in part", 200, "\x0a\x08\x08\x02\x12\x04late", push.Outcome{Verdict: push.Dropped, Reason: "partial success"}},
		{"no protobuf", 200, "<html>\xff\xff\xff", push.Outcome{Verdict: push.Delivered}},
		{"cut off", 200, "\x0a\x7f\x08", push.Outcome{Verdict: push.Delivered}},
		{"refused", 400, "\x12\x03bad", push.Outcome{Verdict: push.Dropped, Reason: "400 Bad Request"}},
		{"overloaded", 503, "", push.Outcome{}},
	} {
		var request string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			raw, err := io.ReadAll(z)
			if _, decodes := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(raw); err != nil || decodes != nil {
				t.Error(err, decodes)
			}
			request = fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("Otlp-Profiles-Development-Version"))
			w.WriteHeader(test.status)
			io.WriteString(w, test.answer)
		}))
		c, err := client.New(server.URL+"/base", client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		target := New(c, "v1.2.3")
		outcome, err := target.Push(t.Context(), calls(t, 1, 0))
		target.Close()
		server.Close()
		if outcome != test.want || (err == nil) != (outcome.Verdict == push.Delivered) {
			t.Errorf("%s: %+v, %v", test.name, outcome, err)
		}
		if want := "POST /base/v1development/profiles application/x-protobuf 1"; request != want {
			t.Errorf("%s: %q, want %q", test.name, request, want)
		}
	}
}
