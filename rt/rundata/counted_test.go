package rundata

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestCounted reads the committed file of a run that counted what rarely ends. It was written by go test
// ./export/profile -run CountedFile -update, which holds what the file says against the truth.
func TestCounted(t *testing.T) {
	run, err := read(unpack(t, "testdata/counted.gpi.gz"))
	if err != nil {
		t.Fatal(err)
	}
	s := run.Sampling
	if !s.Counted || s.Windows != 1000 || s.CountedEnds == 0 || run.Exit != ExitMain || len(run.Sites) != 4 {
		t.Errorf("%+v, exit %d, sites %+v", s, run.Exit, run.Sites)
	}
	if run.Sites[1].Sampled || !run.Sites[2].Sampled {
		t.Errorf("sites %+v", run.Sites)
	}
	sum, samples := 0.0, uint64(0)
	for _, r := range run.Replicates {
		if r.Package != run.Packages[0] || r.Hash != -1 || r.Level != 2 || r.Of != 0 && r.Of != 2 {
			t.Errorf("%+v", r)
		}
		samples += r.Samples
		for _, n := range r.Sum {
			sum += float64(n) / runfile.SampleUnit
		}
	}
	if samples != s.Samples || sum != 100*float64(samples) {
		t.Errorf("%d samples stand for %v path ends; the sampling record has %d", samples, sum, s.Samples)
	}
}
