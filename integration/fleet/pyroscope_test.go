package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/pyroscope"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
)

// store is behind Pyroscope's handler. It refuses what Pyroscope refuses, and adds up the rest.
type store struct {
	mu       sync.Mutex
	now      time.Time
	fail     error
	requests int
	sums     map[string]int64 // by name, service and sample type
}

func (s *store) Push(_ context.Context, r *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.fail != nil {
		return nil, s.fail
	}
	if len(r.Msg.Series) != 1 {
		return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("one series a request"))
	}
	p, err := check(r.Msg.Series[0], s.now)
	if err != nil {
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	labels := make(map[string]string)
	for _, l := range r.Msg.Series[0].Labels {
		labels[l.Name] = l.Value
	}
	for _, t := range p.SampleType {
		s.sums[fmt.Sprint(labels["__name__"], " ", labels["service_name"], " ", t.Type)] += value(p, t.Type)
	}
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

func serve(t *testing.T, s *store) *pyroscope.Target {
	t.Helper()
	s.sums = make(map[string]int64)
	mux := http.NewServeMux()
	mux.Handle(pushv1connect.NewPusherServiceHandler(s))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return pyroscope.New(newClient(t, server.URL), "v1.2.3")
}

// TestPyroscope pushes the profiles of a run to Pyroscope's own handler.
func TestPyroscope(t *testing.T) {
	s := &store{now: time.Now()}
	target := serve(t, s)
	want := make(map[string]int64)
	for _, b := range batches(t, "exact", s.now) {
		for _, name := range sent(b.Profile) {
			want[b.Name+" tokenizer "+name] = value(b.Profile, name)
		}
		prepared, err := b.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := target.Push(t.Context(), prepared); err != nil || outcome.Verdict != push.Delivered {
			t.Fatal(outcome, err)
		}
	}
	if !maps.Equal(s.sums, want) || len(want) != 3 || s.requests != 3 {
		t.Errorf("in %d requests %v, want %v", s.requests, s.sums, want)
	}
}

// TestLimits has what Pyroscope refuses unless it is made to fit.
func TestLimits(t *testing.T) {
	now := time.Now()
	for name, b := range map[string]push.Batch{
		"100,000 paths":    batch(push.Paths, now, largeProfile(100_000, 0)),
		"names of 1 kB":    batch(push.Paths, now, largeProfile(10_000, 1000)),
		"an hour old":      batch(push.Paths, now.Add(-61*time.Minute), largeProfile(1, 0)),
		"in the future":    batch(push.Paths, now.Add(time.Hour), largeProfile(1, 0)),
		"labels":           manyLabels(now),
		"names not UTF-8":  batch(push.Paths, now, notUTF8()),
		"no service":       {Name: push.Paths, Start: now, Profile: largeProfile(1, 0)},
		"as good as it is": batch(push.Paths, now, largeProfile(1, 0)),
	} {
		s := &store{now: now}
		target := serve(t, s)
		prepared, err := b.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := target.Push(t.Context(), prepared.Stamp(now)); err != nil {
			t.Errorf("%s: %+v, %v", name, outcome, err)
		}
		sum := int64(0)
		for _, n := range s.sums {
			sum += n
		}
		if want := value(b.Profile, "path_execs"); sum != want {
			t.Errorf("%s: %d executions arrived, want %d", name, sum, want)
		}
		// Without any of it Pyroscope refuses the profile, for good.
		outcome, err := target.Push(t.Context(), b)
		if err == nil || outcome.Verdict != push.Dropped || outcome.Reason != "400 Bad Request" {
			t.Errorf("%s, as it was: %+v, %v", name, outcome, err)
		}
	}
}

func manyLabels(now time.Time) push.Batch {
	b := batch(push.Paths, now, largeProfile(1, 0))
	for i := range 40 {
		b.Labels[fmt.Sprintf("label-%d", i)] = strings.Repeat("x", 3000)
	}
	b.Profile.Sample[0].Label["tenant id"] = []string{"7"}
	return b
}

func notUTF8() *profile.Profile {
	p := largeProfile(2, 0)
	p.Function[1].Name = "m.F {path 0: \xff}"
	return p
}

// TestLabelsByOTLP counts labels as Pyroscope does for profiles by OTLP, which get five more.
func TestLabelsByOTLP(t *testing.T) {
	b, err := manyLabels(time.Now()).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	series := &pushv1.RawProfileSeries{}
	for _, name := range []string{"__delta__", "__otel__", "__name__", "service_name_again", "goprofinstr_tables"} {
		series.Labels = append(series.Labels, &typesv1.LabelPair{Name: name, Value: "x"})
	}
	for name, value := range b.Labels {
		series.Labels = append(series.Labels, &typesv1.LabelPair{Name: push.PrometheusName(name), Value: value})
	}
	if err := checkLabels(series); err != nil {
		t.Error(err)
	}
}

// TestPyroscopeDown has a server that is down or overloaded for a day, and then a profile that it will never take.
func TestPyroscopeDown(t *testing.T) {
	now := time.Now()
	s := &store{fail: connect.NewError(connect.CodeUnavailable, errors.New("no ingester"))}
	var told []string
	sender, err := spool.Open(spool.Config{
		Dir: t.TempDir(), Targets: map[string]push.Target{"pyroscope": serve(t, s)}, MaxBytes: 32 << 10,
		Log: func(line string) { told = append(told, line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := int64(0)
	for i := range 24 * 4 {
		s.now = now.Add(time.Duration(15*i+15) * time.Minute)
		if i == 50 {
			s.fail = connect.NewError(connect.CodeResourceExhausted, errors.New("4 MB a second"))
		}
		b := batch(push.Paths, s.now.Add(-15*time.Minute), largeProfile(100, 0))
		want += value(b.Profile, "path_execs")
		if err := sender.Add(b); err != nil {
			t.Fatal(err)
		}
		if err := sender.Flush(t.Context(), s.now); err == nil {
			t.Fatal("no error while the server is down")
		}
	}
	s.fail = nil
	if err := sender.Flush(t.Context(), s.now); err != nil {
		t.Error(err)
	}
	if got := s.sums["goprofinstr_paths tokenizer path_execs"]; got != want || len(s.sums) != 1 {
		t.Errorf("%d executions arrived, want %d", got, want)
	}
	s.fail = connect.NewError(connect.CodeInvalidArgument, errors.New("never"))
	if err := sender.Add(batch(push.Paths, s.now, largeProfile(1, 0))); err != nil {
		t.Fatal(err)
	}
	err = sender.Flush(t.Context(), s.now)
	stats := sender.Stats()["pyroscope"]
	if err == nil || stats.Dropped["400 Bad Request"] != 1 || stats.Waiting != 0 || len(told) != 1 || !strings.Contains(told[0], "never") {
		t.Errorf("%v, %+v, told %q", err, stats, told)
	}
}
