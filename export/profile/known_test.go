package profile

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// countedBranch is branching, counted, with a hash table for activations that may have been abandoned. Of its two ways only
// one was seen, at the site of e2; that of e1 never fired.
func countedBranch() *profiletest.Run {
	tab := branching()
	tab.Functions[0].Selectors, tab.Functions[0].Cut = nil, 1
	r := profiletest.NewRun(7, 0, nil, profiletest.Sampled(tab))
	r.Counted().Sites = 2
	r.Count("example.com/p.F", 5, 0, 2)
	r.Site(profiletest.Site{Address: 0x401000, Function: "example.com/p.F", Path: []int{0, 2}})
	r.Site(profiletest.Site{Address: 0x401010, Function: "example.com/p.F", Path: []int{1}})
	r.Data().Packages[0].Hashes = []map[uint64]uint64{nil}
	return r
}

// TestKnown has what keeps it from being known that an edge was not taken: for all functions, for one, and for the edge.
func TestKnown(t *testing.T) {
	const of = ", in the run of pid 7"
	for _, test := range []struct {
		name   string
		change func(*rundata.Run)
		want   string // Unsettled
		known  bool
	}{
		{"all was counted", func(*rundata.Run) {}, "", true},
		{"its site was sampled", func(r *rundata.Run) { r.Sites[1].Sampled = true }, "", false},
		{"the other site was", func(r *rundata.Run) { r.Sites[0].Sampled = true }, "", true},
		{"killed", func(r *rundata.Run) { r.Sampling.CountedAll = false }, "the process was killed, or is running" + of, false},
		{"its function was sampled", func(r *rundata.Run) { r.Sampled = []rundata.PathAt{{Package: r.Packages[0], Hash: -1}} }, "", false},
		{"lost", func(r *rundata.Run) { r.Lost = 1 }, "there was no room for all counts" + of, false},
		{"left", func(r *rundata.Run) { r.Sampling.Left = 2 }, "2 probes of another shape than others never fired" + of, false},
		{"abandoned", func(r *rundata.Run) { r.Packages[0].Hashes[0] = map[uint64]uint64{3 << 32: 2, 4 << 32: 1} },
			"3 activations of it may have been abandoned", false},
		{"damaged", func(r *rundata.Run) { r.Sites[0].Marker.Number = 1 << 40 }, "a part of the profile cannot be read", false},
	} {
		r := countedBranch()
		test.change(r.Data())
		p, err := New([]*rundata.Run{r.Data()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := function(t, p, "example.com/p.F")
		if f.Unsettled != test.want || f.Knower()(1) != test.known {
			t.Errorf("%s: known %v, unsettled %q, want %v, %q", test.name, f.Knower()(1), f.Unsettled, test.known, test.want)
		}
		if c := f.Conditions()[0]; c.True != 5 || c.NeverTrue || c.False != 0 || c.NeverFalse != test.known || c.Never() > 1 {
			t.Errorf("%s: %+v", test.name, c)
		}
		if blocks := f.KnownBlocks(); blocks[2] != (test.known && !r.Data().Sites[0].Sampled) {
			t.Errorf("%s: blocks %v", test.name, blocks)
		}
	}
}

// TestLostIsNotExact has a process that could not count one execution: no count of its rare paths is said to be exact then.
func TestLostIsNotExact(t *testing.T) {
	for lost, want := range []Certainty{HowOften, Estimated} {
		r := countedBranch()
		r.Data().Lost = uint64(lost)
		f := function(t, load(t, r), "example.com/p.F")
		if got := f.CertaintyOf(&f.Paths[0]); got != want {
			t.Errorf("%d lost: certainty %v, want %v", lost, got, want)
		}
	}
}

// TestKnownCut has a function of which it is not noted what was abandoned, and numbers of one of which it is.
func TestKnownCut(t *testing.T) {
	r := countedBranch()
	r.Data().Packages[0].Hashes[0] = map[uint64]uint64{3 << 32: 4}
	f := function(t, load(t, r), "example.com/p.F")
	if n := f.CallsNumber(); n.Low != 5 || n.Estimate != 5 || n.High != 9 {
		t.Errorf("5 calls, and 4 that may have been abandoned: %+v", n)
	}
	if n := f.EdgeNumbers()[1]; n.Low != 0 || n.High != 4 {
		t.Errorf("an edge that 4 activations may have taken: %+v", n.Number)
	}
	tab := branching()
	tab.Functions[0].Selectors = nil
	none := profiletest.NewRun(7, 0, nil, profiletest.Sampled(tab))
	none.Counted().Sites = 1
	if f := function(t, load(t, none), "example.com/p.F"); f.Unsettled != "it is not known which of its activations were abandoned" || f.KnowsAll() {
		t.Errorf("unsettled: %q", f.Unsettled)
	}
	counted := branching()
	counted.Functions[0].Selectors = nil
	exact := profiletest.NewRun(7, 0, nil, counted)
	if f := function(t, load(t, exact), "example.com/p.F"); !f.KnowsAll() || !f.Knower()(0) || !f.KnownBlocks()[2] {
		t.Error("exact counts do not know everything")
	}
}
