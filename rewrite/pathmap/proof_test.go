package pathmap

import (
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// loop has a loop between two statements, of which there is no evidence:
//
//	0 →e0→ 1 →e1→ 2 →e2 (back)→ 1
//	       1 →e3→ 3
func loop() *Func {
	return &Func{
		Func:   &ssacfg.Func{Numbering: &pathnum.Numbering{Cut: []bool{false, false, true, false}}},
		blocks: 4, edges: []edge{{0, 1}, {1, 2}, {2, 1}, {1, 3}}, out: [][]int{{0}, {1, 3}, {2}, {}},
	}
}

// TestWays looks for all ways, of which two lead around the loop, unless there is evidence in it.
func TestWays(t *testing.T) {
	m := &Target{F: loop(), exit: 3}
	if got := m.search(0, 3, make([]bool, 4)); !slices.EqualFunc(got, [][]int{{0, 1, 2, 1, 2, 3}, {0, 1, 2, 3}, {0, 3}}, slices.Equal) {
		t.Errorf("ways %v", got)
	}
	if got := m.search(0, 3, []bool{false, false, true, false}); !slices.EqualFunc(got, [][]int{{0, 3}}, slices.Equal) {
		t.Errorf("with evidence in the loop: ways %v", got)
	}
}

// TestDoubt knows that all paths of the loop are in doubt. Path e3 is: it begins at the loop if that has gone round.
func TestDoubt(t *testing.T) {
	f := loop()
	d := &Doubt{Ways: [][]int{{0, 1, 2, 1, 2, 3}, {0, 1, 2, 3}, {0, 3}}}
	for _, path := range [][]int{{0, 3}, {0, 1, 2}, {1, 2}, {3}} {
		if !d.On(f, path) {
			t.Errorf("%v is said to be told", path)
		}
	}
	if (&Doubt{Ways: [][]int{{0, 1, 2}, {0, 3}}}).On(f, []int{1, 2}) {
		t.Error("a path is in doubt that takes no alternative")
	}
}

// TestSure knows what is the same on all ways. How often the loop goes round is not, though all ways begin and end with rounds.
func TestSure(t *testing.T) {
	f := loop()
	for _, c := range []struct {
		ways        [][]int
		first, last int
	}{
		{[][]int{{0, 1, 2, 1, 2, 3}, {0, 1, 2, 3}, {0, 3}}, 0, 0},
		{[][]int{{0, 1, 2, 3}, {1, 2, 3}}, 0, 1},
		{[][]int{{1, 2, 3}, {1, 2, 1}}, 2, 0},
		{[][]int{{1, 2, 1, 2, 3}, {1, 2, 1, 2, 1, 2, 3}}, 4, 1},
		{[][]int{{0, 1, 2, 1, 2, 3}, {1, 2, 1, 2, 3}}, 0, 3},
		{[][]int{{}, {0, 3}}, 0, 0},
	} {
		if first, last := f.sure(c.ways); first != c.first || last != c.last {
			t.Errorf("%v: %d first and %d last edges are sure, not %d and %d", c.ways, first, last, c.first, c.last)
		}
	}
	d := &Doubt{Ways: [][]int{{0, 1, 2, 3}, {1, 2, 3}}}
	if d.On(f, []int{3}) || !d.On(f, []int{0, 1, 2}) || !d.On(f, []int{1, 2}) {
		t.Error("a path is told only if it begins behind the choice")
	}
	d.Ways = [][]int{{1, 2, 1, 2, 3}, {1, 2, 1, 2, 1, 2, 3}}
	if !d.On(f, []int{1, 2}) || d.On(f, []int{3}) {
		t.Error("a path is told that one way has more often than another")
	}
}

// TestMarkers finds the cheapest edges that tell all ways apart.
func TestMarkers(t *testing.T) {
	f := loop()
	p := &Proof{F: f}
	p.Open(&Doubt{Ways: [][]int{{0, 1, 2, 3}, {0, 3}}})
	costs := []float64{1, 100, 90, 1}
	if got := p.Markers(func(e int) float64 { return costs[e] }); !slices.Equal(got, []int{2}) {
		t.Errorf("markers %v", got)
	}
	p.Missing = []int{1}
	if got := p.Markers(func(e int) float64 { return costs[e] }); !slices.Equal(got, []int{1}) {
		t.Errorf("markers %v, with one on the edge that is missing", got)
	}
}
