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

// TestControls has activations of three functions that windows saw: of one it is not known how many there were.
func TestControls(t *testing.T) {
	controls := make(map[uint64]*Control)
	for _, r := range []runfile.Replicate{
		{At: runfile.EntriesOf | 7, Group: 0x101, Samples: 3},
		{At: runfile.EntriesOf | 7, Samples: 500},
		{At: runfile.EntriesOf | 2, Samples: 4},
		{At: runfile.EntriesOf | 3, Group: 0x201, Samples: 9},
		{At: runfile.EntriesOf | 7, Group: 0x201, Samples: 5},
		{At: runfile.EntriesOf | 3},
	} {
		if !addControl(controls, &r) {
			t.Errorf("%+v is of a path", r)
		}
	}
	if addControl(controls, &runfile.Replicate{At: 0xc000_0000_1000, Samples: 1}) {
		t.Error("a path is a control")
	}
	list := knownControls(controls)
	if len(list) != 2 || list[0].Exact != 4 || len(list[0].Seen) != 0 || list[1].Exact != 500 || len(list[1].Seen) != 2 {
		t.Fatalf("%+v", list)
	}
	if s := list[1].Seen[1]; s.Density != 2 || s.Level != 1 || s.Of != 0 || s.Samples != 5 {
		t.Errorf("%+v", s)
	}
}
