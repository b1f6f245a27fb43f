package tally

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// poll writes the file of a run, and polls it.
func poll(t *testing.T, p *rundata.Poller, r *profiletest.Run, name string) {
	t.Helper()
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Poll(f); err != nil {
		t.Fatal(err)
	}
}

// see has windows seen a part more of everything than they have, and be so many more.
func see(r *profiletest.Run, part, windows uint64) {
	for i := range r.Data().Replicates {
		w := &r.Data().Replicates[i]
		w.Samples += w.Samples / part
		for k := range w.Sum {
			w.Sum[k] += w.Sum[k] / part
		}
	}
	r.Counted().Windows += windows
}

// TestTracker has a run go on: with few more windows, or soon after, estimates grow in proportion, and else they are made anew.
// What is counted is what it is.
func TestTracker(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.1.1.gpi")
	r := profiletest.NestedRun(1) // with 1,000 windows
	var poller rundata.Poller
	var kept []byte
	poller.Keep = func(table []byte) []byte {
		if kept == nil {
			kept = table
		}
		return kept
	}
	var tracker Tracker
	live := profile.NewLive(new(profile.Tables))
	next := func(after time.Duration) (now, least, whole *Tally) {
		t.Helper()
		poll(t, &poller, r, name)
		whole, _, err := OfPoller(&poller, live)
		if err == nil {
			now, least, err = tracker.Next(&poller, live, time.Time{}.Add(after))
		}
		if err != nil {
			t.Fatal(err)
		}
		return now, least, whole
	}
	first, sure, whole := next(0)
	if diff := cmp.Diff(whole, first, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-whole +tracked)\n%s", diff)
	}
	counted := func() map[uint64]uint64 {
		counts := make(map[uint64]uint64)
		for _, e := range poller.Packages[0].Counters {
			counts[e.At] = e.N * runfile.SampleUnit
		}
		return counts
	}
	before := counted()
	see(r, 20, 50)
	r.Count("example.com/m.F", 1000, 2, 7)
	now, least, _ := next(time.Hour)
	after, estimates := counted(), 0
	for _, of := range [][2]*Tally{{first, now}, {sure, least}} {
		was := make(map[uint64]uint64)
		for _, e := range of[0].Packages[0].Counters {
			was[e.At] = e.N
		}
		for _, e := range of[1].Packages[0].Counters {
			if e.At%2 != 0 {
				continue // samples
			}
			rest := was[e.At] - before[e.At]
			if rest > 0 {
				estimates++
			}
			low, high := after[e.At]+rest, after[e.At]+rest // of what no window has seen the flow tells
			if was[e.At+1] > 0 {
				low, high = low+rest/21, high+rest/19
			}
			if e.N+2*runfile.SampleUnit < low || e.N > high+2*runfile.SampleUnit {
				t.Errorf("path %d: %d, want %d to %d", e.At/2, e.N, low, high)
			}
		}
	}
	if estimates < 4 {
		t.Errorf("%d estimates", estimates)
	}
	for _, more := range []struct {
		windows uint64
		after   time.Duration
		anew    bool
	}{{100, 0, false}, {0, trackedPause, true}, {1200, 0, true}} {
		see(r, 8, more.windows)
		now, _, whole = next(more.after)
		if diff := cmp.Diff(whole, now, cmpopts.EquateEmpty()); (diff == "") != more.anew {
			t.Errorf("%d windows more, after %v (-whole +tracked)\n%s", more.windows, more.after, diff)
		}
	}
}
