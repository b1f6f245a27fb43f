package push

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

// paths returns a profile as export/pprof writes it, with so many functions of so many paths. Path i of a function was executed
// i+1 times.
func paths(functions, each int, nameLength int) *profile.Profile {
	p := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "path_execs", Unit: "count"}, {Type: "flow", Unit: "count"}},
		DefaultSampleType: "flow",
		Comments:          []string{"goprofinstr: exact counts of 1 run"},
		Mapping:           []*profile.Mapping{{ID: 1, File: "program", HasFunctions: true}},
	}
	location := func(name string, line int64) *profile.Location {
		fn := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, SystemName: name, Filename: "f.go", StartLine: line}
		p.Function = append(p.Function, fn)
		l := &profile.Location{ID: uint64(len(p.Location) + 1), Mapping: p.Mapping[0], Line: []profile.Line{{Function: fn, Line: line}}}
		p.Location = append(p.Location, l)
		return l
	}
	for f := range functions {
		name := fmt.Sprintf("example.com/m.F%d", f)
		caller := location(name, int64(f+1))
		for i := range each {
			title := fmt.Sprintf("%s {path %d: 12→%d%s}", name, i, i, strings.Repeat("x", nameLength))
			p.Sample = append(p.Sample, &profile.Sample{
				Location: []*profile.Location{location(title, int64(f+1)), caller},
				Value:    []int64{int64(i + 1), int64(2 * (i + 1))},
				Label:    map[string][]string{"path": {"12→14"}, "handler": {"/cart"}},
				NumLabel: map[string][]int64{"path_id": {int64(i)}, "branches": {2}},
				NumUnit:  map[string][]string{"path_id": {"id"}, "branches": {"count"}},
			})
		}
	}
	return p
}

func batch(p *profile.Profile) Batch {
	return Batch{
		Name: Paths, Labels: map[string]string{"service_name": "checkout"}, Tables: "abc",
		Start: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC), Duration: time.Minute, Profile: p,
	}
}

func prepare(t *testing.T, b Batch) Batch {
	t.Helper()
	b, err := b.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Profile.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return b
}

// byFunction returns the sum of the first value of each function.
func byFunction(p *profile.Profile) map[string]int64 {
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		sums[functionOf(s).Name] += s.Value[0]
	}
	return sums
}

// TestPrepare has what servers stumble over.
func TestPrepare(t *testing.T) {
	original := paths(2, 3, 0)
	original.Function[0].Filename = "\xff.go"
	before := original.String()
	b := prepare(t, batch(original))
	if original.String() != before {
		t.Error("the profile that was given has changed")
	}
	p := b.Profile
	if p.PeriodType == nil || p.PeriodType.Type != "goprofinstr_paths" || p.PeriodType.Unit != "count" || p.Period != 1 {
		t.Errorf("the period is %d %v", p.Period, p.PeriodType)
	}
	if b.Totals() != "path_execs/count 12" || p.DefaultSampleType == "flow" || len(p.Comments) != 0 {
		t.Errorf("got %s, default %q, comments %q", b.Totals(), p.DefaultSampleType, p.Comments)
	}
	if p.Function[1].Filename != "\uFFFD.go" && p.Function[0].Filename != "\uFFFD.go" {
		t.Errorf("files %q, %q", p.Function[0].Filename, p.Function[1].Filename)
	}
	if len(p.Sample) != 6 {
		t.Errorf("%d samples, want 6", len(p.Sample))
	}
	for _, s := range p.Sample {
		if len(s.NumLabel) != 0 || len(s.Label) != 1 || s.Label["handler"] == nil {
			t.Errorf("a sample has labels %v and %v", s.Label, s.NumLabel)
		}
	}
}

// TestRefused has batches that are mistakes.
func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*Batch){
		"another name":    func(b *Batch) { b.Name = "cpu" },
		"no profile":      func(b *Batch) { b.Profile = nil },
		"a value too few": func(b *Batch) { b.Profile.Sample[0].Value = []int64{1} },
		"flow only":       func(b *Batch) { dropType(b.Profile, "path_execs") },
	} {
		b := batch(paths(1, 1, 0))
		change(&b)
		if _, err := b.Prepare(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestEdges has two edges that only their number tells apart, on one line.
func TestEdges(t *testing.T) {
	p := paths(1, 2, 0)
	p.SampleType = []*profile.ValueType{{Type: "edge_execs", Unit: "count"}}
	p.DefaultSampleType = ""
	for i, s := range p.Sample {
		s.Location = s.Location[1:]
		s.Value = s.Value[:1]
		s.Label = map[string][]string{"edge": {"13→14 i < n"}, "kind": {"cond.true"}}
		s.NumLabel = map[string][]int64{"edge_id": {int64(i)}}
		s.NumUnit = map[string][]string{"edge_id": {"id"}}
	}
	b := batch(p)
	b.Name = Edges
	b = prepare(t, b)
	var got []string
	for _, s := range b.Profile.Sample {
		got = append(got, fmt.Sprintf("%s under %s %v %v", topLine(s.Location[0]).Function.Name, topLine(s.Location[1]).Function.Name, s.Value, s.Label))
	}
	slices.Sort(got)
	want := []string{
		"example.com/m.F0 {edge 0: 13→14 i < n} under example.com/m.F0 [1] map[]",
		"example.com/m.F0 {edge 1: 13→14 i < n} under example.com/m.F0 [2] map[]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestSamples has 100,000 executed paths, with -short 30,000, which become 16,000 samples with the same totals of each function.
func TestSamples(t *testing.T) {
	each := 1000
	if testing.Short() {
		each = 300
	}
	original := paths(100, each, 0)
	b := prepare(t, batch(original))
	if n, size := len(b.Profile.Sample), Size(b.Profile); n > MaxSamples || n < MaxSamples-100 || size > MaxBytes {
		t.Errorf("%d samples, %d bytes", n, size)
	}
	if want := byFunction(original); !maps.Equal(byFunction(b.Profile), want) {
		t.Error("the totals of functions are not what they were")
	}
	var others, coldest int64 = 0, 1 << 62
	for _, s := range b.Profile.Sample {
		if strings.HasSuffix(topLine(s.Location[0]).Function.Name, " {other paths}") {
			others++
			if len(s.Location) != 2 || len(s.Label) != 0 {
				t.Errorf("others are %v", s)
			}
		} else {
			coldest = min(coldest, s.Value[0])
		}
	}
	if others != 100 || coldest < int64(each)-160 {
		t.Errorf("%d samples of other paths, want 100; a path of %d executions is told, want the hottest", others, coldest)
	}
}

// TestBytes has fewer samples than the limit, with long names.
func TestBytes(t *testing.T) {
	original := paths(10, 800, 1000)
	b := prepare(t, batch(original))
	if size := Size(b.Profile); size > MaxBytes || size < MaxBytes/2 {
		t.Errorf("%d bytes of at most %d", size, MaxBytes)
	}
	if !maps.Equal(byFunction(b.Profile), byFunction(original)) {
		t.Error("the totals of functions are not what they were")
	}
}

// TestFunctions has more functions than samples may be.
func TestFunctions(t *testing.T) {
	b := prepare(t, batch(paths(10, 3, 0)))
	p := Fold(b.Profile.Copy(), 4, MaxBytes)
	if c := (Batch{Profile: p}); c.Totals() != b.Totals() || len(p.Sample) != 4 {
		t.Errorf("%d samples of %s, want 4 of %s", len(p.Sample), c.Totals(), b.Totals())
	}
	if got := byFunction(p)["{other functions}"]; got != 60-9 {
		t.Errorf("other functions have %d, want 51: the hottest three paths have 3 each", got)
	}
	if p := Fold(b.Profile.Copy(), MaxSamples, 1); len(p.Sample) != 1 || (Batch{Profile: p}).Totals() != b.Totals() {
		t.Errorf("with no room: %v", p.Sample)
	}
}

// TestAlone has a function with one cold path, which is not renamed: that would bring nothing.
func TestAlone(t *testing.T) {
	p := paths(2, 4, 0)
	p.Sample = p.Sample[:5] // all of F0, the coldest of F1
	for _, s := range p.Sample[:4] {
		s.Value[0] += 10
	}
	b := prepare(t, batch(p))
	folded := Fold(b.Profile, 4, MaxBytes)
	var names []string
	for _, s := range folded.Sample {
		names = append(names, topLine(s.Location[0]).Function.Name)
	}
	slices.Sort(names)
	if !slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(s, "example.com/m.F1 {path 0") }) || len(names) != 4 {
		t.Errorf("got %q", names)
	}
}

// TestFoldedTwice adds batches up that were folded before.
func TestFoldedTwice(t *testing.T) {
	b := prepare(t, batch(paths(100, 170, 0)))
	c := prepare(t, batch(paths(200, 100, 0)))
	c.Start = c.Start.Add(time.Minute)
	sum, err := b.Add(c)
	if err != nil {
		t.Fatal(err)
	}
	want := byFunction(paths(100, 170, 0))
	for name, n := range byFunction(paths(200, 100, 0)) {
		want[name] += n
	}
	if !maps.Equal(byFunction(sum.Profile), want) || len(sum.Profile.Sample) > MaxSamples {
		t.Errorf("%d samples, or other totals", len(sum.Profile.Sample))
	}
	if sum.Duration != 2*time.Minute || !sum.Start.Equal(b.Start) {
		t.Errorf("from %v, %v", sum.Start, sum.Duration)
	}
	c.Tables = "another build"
	if _, err := b.Add(c); err == nil {
		t.Error("batches of two builds were added up")
	}
}

// TestLabels has more labels, longer ones and other names than servers take.
func TestLabels(t *testing.T) {
	p := paths(1, 1, 0)
	p.Sample[0].Label["service_name"] = []string{"not the service"}
	p.Sample[0].Label["tenant id"] = []string{"7"}
	b := batch(p)
	b.Labels = map[string]string{
		"pid": "17", "process.pid": "17", "path_id": "3", "path": "12→14", "__name__": "other", "empty": "",
		"k8s.pod.name": "checkout-0", "9lives": strings.Repeat("ä", 2000), "service.name": "checkout",
	}
	b = prepare(t, b)
	if got := slices.Sorted(maps.Keys(b.Labels)); !slices.Equal(got, []string{"_9lives", "k8s.pod.name", "name__", "service_name"}) {
		t.Errorf("labels %q", got)
	}
	if v := b.Labels["_9lives"]; len(v) > MaxValue || len(v) < MaxValue-4 || !utf8.ValidString(v) || b.Labels[ServiceName] != "checkout" {
		t.Errorf("values of %d bytes, service %q", len(v), b.Labels[ServiceName])
	}
	if got := slices.Sorted(maps.Keys(b.Profile.Sample[0].Label)); !slices.Equal(got, []string{"handler", "tenant_id"}) {
		t.Errorf("labels of samples %q", got)
	}

	b = batch(paths(1, 1, 0))
	b.Labels = map[string]string{"zone": "a", "service_name": "checkout"}
	for i := range 40 {
		b.Labels[fmt.Sprintf("label%02d", i)] = "x"
	}
	b = prepare(t, b)
	if len(b.Labels) != MaxLabels-ownLabels || b.Labels["service_name"] != "checkout" || len(b.Profile.Sample[0].Label) != 0 {
		t.Errorf("%d labels, and %v", len(b.Labels), b.Profile.Sample[0].Label)
	}
	b = batch(paths(1, 1, 0))
	b.Labels = nil
	if b = prepare(t, b); b.Labels[ServiceName] != "unknown_service" {
		t.Errorf("without a name: %v", b.Labels)
	}
}

// TestStamp has batches of various ages: what is an hour old is refused by servers.
func TestStamp(t *testing.T) {
	b := batch(nil)
	for _, test := range []struct {
		name          string
		age, duration time.Duration
		wantAge, want time.Duration
	}{
		{"just ended", time.Minute, time.Minute, time.Minute, time.Minute},
		{"some minutes old", 20 * time.Minute, time.Minute, 20 * time.Minute, time.Minute},
		{"an hour old", time.Hour, time.Minute, time.Minute, time.Minute},
		{"a day, added up", 25 * time.Hour, 24 * time.Hour, 30 * time.Minute, 30 * time.Minute},
		{"the clock was set back", -time.Hour, time.Minute, time.Minute, time.Minute},
	} {
		now := b.Start.Add(test.age)
		b.Duration = test.duration
		got := b.Stamp(now)
		if age := now.Sub(got.Start); age != test.wantAge || got.Duration != test.want {
			t.Errorf("%s: sent as %v old, of %v", test.name, age, got.Duration)
		}
	}
}

// TestSubstrings: Pyroscope's other entrance takes types for CPU, heap and others by what their names contain.
func TestSubstrings(t *testing.T) {
	for _, name := range []string{Paths, Calls, Edges, "path_execs", "call_execs", "edge_execs"} {
		for _, bad := range []string{"cpu", "alloc_", "inuse_", "mutex_", "block_", "goroutines", "wall"} {
			if strings.Contains(name, bad) {
				t.Errorf("%s contains %s", name, bad)
			}
		}
	}
}

// TestPrometheusLabels has labels that get the same name: no value is lost, whichever of them comes first.
func TestPrometheusLabels(t *testing.T) {
	long := strings.Repeat("x", MaxValue)
	got := PrometheusLabels(map[string]string{"a_b": "3", "a.b": "1", "c": "", "d.e": long, "d_e": "y", "f.g_h": "2", "f.g.h": "1"})
	want := map[string]string{"a_b": "1;3", "c": "", "d_e": long, "f_g_h": "1;2"}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
