package tally

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// copied returns a run that counting copies have sampled, in so many windows. Of one function paths are not known.
func copied(windows uint64) *profiletest.Run {
	const words = "example.com/m/lex.Words"
	r := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
	*r.Counted() = rundata.Sampling{
		Policy: sampler.Default, Period: 10 * time.Millisecond, Ticks: windows, CPU: 4 * time.Second, Counted: true,
		Windows: uint64(windows),
	}
	for n := range windows {
		r.Seen(words, 1, 1, int(n), 50, 1000, 0, 2, 12)
		r.SeenUnknown(words, 1, 1, int(n), 5, 1000)
	}
	return r
}

// sampledPath returns the path that has samples.
func sampledPath(p *profile.Profile) (*profile.Function, *profile.Path) {
	for _, f := range p.Functions() {
		for i := range f.Paths {
			if path := &f.Paths[i]; path.Samples > 0 {
				return f, path
			}
		}
	}
	return nil, nil
}

// TestCopies has the clock of copies be far off, perhaps. That holds nothing back while the program runs: it would be all there
// is. A poller has the paths that are not known, too.
func TestCopies(t *testing.T) {
	r := copied(400)
	tables := new(profile.Tables)
	now, least, err := OfLive(r.Data(), tables)
	if err != nil {
		t.Fatal(err)
	}
	of := func(x *Tally) (known, unknown int64) {
		p, err := x.Profile(tables)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Functions() {
			unknown += f.Unknown
			for i := range f.Paths {
				known += f.Paths[i].Count
			}
		}
		return known, unknown
	}
	if known, unknown := of(now); known != 400*50*1000 || unknown != 400*5*1000 {
		t.Errorf("%d executions and %d of paths that are not known", known, unknown)
	}
	if known, unknown := of(least); known < 400*50*1000/2 || unknown < 400*5*1000/2 {
		t.Errorf("certain are %d executions and %d of paths that are not known", known, unknown)
	}

	whole, err := tables.New([]*rundata.Run{r.Data()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	handed, err := now.Profile(tables)
	if err != nil {
		t.Fatal(err)
	}
	f, path := sampledPath(handed)
	e, _ := known.Estimate(f, path)
	low, high := e.Interval()
	_, path = sampledPath(whole)
	lower, upper := path.Interval()
	if math.Abs(math.Log(float64(low)/float64(lower))) > 0.3 || math.Abs(math.Log(float64(high)/float64(upper))) > 0.3 {
		t.Errorf("a tally has a path between %d and %d, the run between %d and %d", low, high, lower, upper)
	}

	name := filepath.Join(t.TempDir(), "run.1.1.gpi")
	var poller rundata.Poller
	poll(t, &poller, r, name)
	polled, sure, err := OfPoller(&poller, profile.NewLive(tables))
	if err != nil {
		t.Fatal(err)
	}
	run, err := rundata.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if now, least, err = OfLive(run, tables); err != nil {
		t.Fatal(err)
	}
	for what, of := range map[string][2]*Tally{"now": {now, polled}, "certain": {least, sure}} {
		if math.Abs(of[0].Sampling.Off-of[1].Sampling.Off) > 1e-9 || of[0].Sampling.Off < 0.5 {
			t.Errorf("%s: estimates may be off by %v and, polled, by %v", what, of[0].Sampling.Off, of[1].Sampling.Off)
		}
		if diff := cmp.Diff(of[0].Packages, of[1].Packages, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-whole +polled)\n%s", what, diff)
		}
	}
}
