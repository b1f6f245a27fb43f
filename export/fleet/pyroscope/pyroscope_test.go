package pyroscope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/client"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

func paths(t *testing.T) push.Batch {
	t.Helper()
	fn := &profile.Function{ID: 1, Name: "m.F", StartLine: 1}
	location := &profile.Location{ID: 1, Line: []profile.Line{{Function: fn, Line: 1}}}
	b, err := push.Batch{
		Name:   push.Paths,
		Labels: map[string]string{"service_name": "checkout", "k8s.pod.name": "a", "k8s_pod_name": "b", "zone.name": "z"},
		Tables: "abc", ID: "one", Start: time.Unix(1795500000, 0), Duration: time.Minute,
		Profile: &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "path_execs", Unit: "count"}, {Type: "flow", Unit: "count"}},
			Function:   []*profile.Function{fn}, Location: []*profile.Location{location},
			Sample: []*profile.Sample{{
				Location: []*profile.Location{location}, Value: []int64{5, 10},
				Label: map[string][]string{
					"http.route": {"/cart"}, "http_route": {"/"}, "zone_name": {"y"}, "service.name": {"s"}, "path": {"1→2"},
				},
			}},
		},
	}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPush has one series of one profile, at the entrance that does not look into names.
func TestPush(t *testing.T) {
	var got request
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.String() + " " + r.Header.Get("Content-Type")
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &got)
		}
		if err != nil {
			t.Error(err)
		}
		io.WriteString(w, "{}")
	}))
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := New(c, "v1.2.3")
	defer target.Close()
	b := paths(t)
	if outcome, err := target.Push(t.Context(), b); err != nil || outcome.Verdict != push.Delivered {
		t.Fatal(outcome, err)
	}
	if asked != "POST /push.v1.PusherService/Push application/json" {
		t.Errorf("asked %q", asked)
	}
	if len(got.Series) != 1 || len(got.Series[0].Samples) != 1 || got.Series[0].Samples[0].ID != "one" {
		t.Fatalf("%+v", got)
	}
	want := "[{__name__ goprofinstr_paths} {goprofinstr_tables abc} {k8s_pod_name a;b} {service_name checkout} {zone_name z}]"
	if labels := fmt.Sprint(got.Series[0].Labels); labels != want {
		t.Errorf("labels %s", labels)
	}
	p, err := profile.Parse(bytes.NewReader(got.Series[0].Samples[0].RawProfile))
	if err != nil {
		t.Fatal(err)
	}
	if p.TimeNanos != 1795500000e9 || p.DurationNanos != int64(time.Minute) || p.Period != 1 || p.PeriodType.Type != "goprofinstr_paths" {
		t.Errorf("time %d, %d, period %d %v", p.TimeNanos, p.DurationNanos, p.Period, p.PeriodType)
	}
	if len(p.Sample) != 1 || fmt.Sprint(p.Sample[0].Value, p.Sample[0].Label) != "[5] map[http_route:[/cart;/]]" {
		t.Errorf("samples %v", p.Sample)
	}
	if b.Profile.Sample[0].Label["http.route"] == nil || b.Profile.TimeNanos != 0 {
		t.Error("the batch that was given has changed")
	}
}
