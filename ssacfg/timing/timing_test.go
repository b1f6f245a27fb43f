package timing

import (
	"slices"
	"testing"
)

// nested is
//
//	0 ──▶ 1 ──▶ 2 ──▶ 3 ──▶ 2
//	      ▲     │
//	      └──── 4 ◀─ 2         1 ──▶ 5
//
// an outer loop with header 1 and body 2, 3, 4, and an inner loop of 2 and 3.
func nested(inner uint64) *Graph {
	return &Graph{
		Blocks: []Block{
			{Freq: 1, Before: 1, After: 4, Point: true},
			{Freq: 101, After: 2},
			{Freq: 10_100, After: 2},
			{Freq: 10_000, After: inner, Point: true},
			{Freq: 100, After: 200, Point: true},
			{Freq: 1},
		},
		Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 2}, {From: 2, To: 4}, {From: 4, To: 1}, {From: 1, To: 5}},
	}
}

func TestChoose(t *testing.T) {
	g := nested(10)
	c := Choose(g, Measured)
	if !c.Needed {
		t.Fatalf("loops are not timed where the entry has a share of %g", c.EntryShare)
	}
	if len(c.Points) != 1 || c.Points[0].Block != 4 || c.Points[0].Header != 1 {
		t.Fatalf("points %+v, want one in block 4 of the loop at 1", c.Points)
	}
}

// A tight loop is refused, and says so; the outer one is rare here, for its block 4 has no place.
func TestTight(t *testing.T) {
	g := nested(10)
	g.Blocks[4].Point = false
	c := Choose(g, Measured)
	if len(c.Points) != 0 || !c.Needed {
		t.Fatalf("%+v", c)
	}
	for i, l := range c.Loops {
		if l.Refused != Tight || l.Nearest != 12 {
			t.Errorf("loop %d: %+v", i, l)
		}
	}
	c = Choose(nested(MinDistance), Measured)
	if c.Loops[1].Refused != "" || c.Loops[1].String() != "" {
		t.Errorf("an inner loop in one that has a point is refused: %+v", c.Loops[1])
	}
}

func TestNotNeeded(t *testing.T) {
	g := nested(10)
	g.Blocks[0].Freq = 1000
	if c := Choose(g, Measured); c.Needed || len(c.Points) > 0 || c.EntryShare < 0.04 {
		t.Errorf("%+v", c)
	}
	straight := &Graph{Blocks: []Block{{Freq: 1, Point: true}, {Freq: 5000}}, Edges: []Edge{{From: 0, To: 1}}}
	if c := Choose(straight, Measured); c.Needed {
		t.Errorf("a function without loops: %+v", c)
	}
}

// What the entry of a function is in is a loop, too, and what goto enters is none.
func TestLoops(t *testing.T) {
	d := newDistances(&Graph{Blocks: make([]Block, 4), Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 1}, {From: 0, To: 2}, {From: 2, To: 3}, {From: 3, To: 2}, {From: 0, To: 3}}})
	found := d.found
	if len(found) != 2 || found[0].header != 0 || !slices.Equal(found[0].blocks, []int{0, 1}) || found[1].header != 1 {
		t.Errorf("%+v", found)
	}
}

// A loop around another one is not tight if that goes round often, and is if it does not.
func TestIterations(t *testing.T) {
	for times, want := range map[float64]uint64{0: 11, 2: 11 + 2*12, 4: 11 + 4*12, 5: None} {
		g := nested(10)
		g.Blocks[4].After = 7
		for i, e := range g.Edges {
			switch {
			case e.From == 3:
				g.Edges[i].Freq = times
			case e.From == 1 && e.To == 2:
				g.Edges[i].Freq = 1
			}
		}
		if d := newDistances(g).nearest(4, nil, MinDistance); d != want {
			t.Errorf("%g times: distance %d, want %d", times, d, want)
		}
	}
}

// Where no loop is as frequent as is wanted, the most frequent one has a point that can have one.
func TestMostFrequent(t *testing.T) {
	o := Measured
	o.Target = 1
	if c := Choose(nested(MinDistance), o); len(c.Points) != 1 || c.Points[0].Block != 3 {
		t.Errorf("%+v, want a point in the inner loop", c)
	}
	if c := Choose(nested(10), o); len(c.Points) != 1 || c.Points[0].Block != 4 || c.Loops[1].Refused != Tight {
		t.Errorf("%+v, want a point in the outer loop, for the inner one is tight", c)
	}
}

// A loop with a short way round is not tight if most of its passes are long, as far as that is known.
func TestMean(t *testing.T) {
	g := &Graph{
		Blocks: []Block{{Freq: 1}, {Freq: 1001, After: 1}, {Freq: 1000, After: 1, Point: true}, {Freq: 500, After: 2 * MinDistance}, {Freq: 1}},
		Edges: []Edge{{From: 0, To: 1, Freq: 1}, {From: 1, To: 2, Freq: 1000}, {From: 2, To: 1, Freq: 500}, {From: 2, To: 3, Freq: 500}, {From: 3, To: 1, Freq: 500},
			{From: 1, To: 4, Freq: 1}},
	}
	if c := Choose(g, Measured); len(c.Points) != 1 || c.Points[0].Block != 2 {
		t.Errorf("measured: %+v, want a point in block 2", c)
	}
	g.Blocks[3].After /= 4
	if c := Choose(g, Measured); len(c.Points) != 0 || c.Loops[0].Refused != Tight {
		t.Errorf("with short passes: %+v", c)
	}
	g.Blocks[3].After *= 4
	if c := Choose(g, Estimated); len(c.Points) != 0 || c.Loops[0].Refused != Tight {
		t.Errorf("estimated: %+v", c)
	}
}

// At each pass means that no way through the loop gets around the point.
func TestEveryPass(t *testing.T) {
	g := nested(MinDistance)
	g.Blocks[4].Freq = 50 // there is another way
	g.Edges = append(g.Edges, Edge{From: 2, To: 1})
	o := Measured
	if c := Choose(g, o); len(c.Points) != 1 || c.Points[0].Block != 4 {
		t.Fatalf("%+v", c)
	}
	o.EveryPass = true
	if c := Choose(g, o); len(c.Points) != 1 || c.Points[0].Block != 3 || c.Points[0].Header != 2 {
		t.Errorf("%+v, want a point in the inner loop", c)
	}
}

func TestVersions(t *testing.T) {
	a, b := nested(10), nested(20)
	c, blocks := Versions([]*Graph{a, b}, Measured)
	if len(c.Points) != 1 || !slices.Equal(blocks[0], []int{4}) || !slices.Equal(blocks[1], []int{4}) {
		t.Fatalf("of the same graph: %+v, %v", c, blocks)
	}
	// A version with one more loop behind.
	other := &Graph{
		Blocks: append(slices.Clone(b.Blocks[:5]), Block{Freq: 50, After: 3, Point: true}, b.Blocks[5]),
		Edges:  []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 2}, {From: 2, To: 4}, {From: 4, To: 1}, {From: 1, To: 5}, {From: 5, To: 5}, {From: 5, To: 6}},
	}
	if c, blocks = Versions([]*Graph{a, other}, Measured); len(c.Points) != 1 || !slices.Equal(blocks[1], []int{4}) {
		t.Errorf("of another graph: %+v, %v", c, blocks)
	}
	// A version in which the inner loop is tight has the point in the outer one, as all have then.
	o := Measured
	o.Target = 1
	if c, blocks = Versions([]*Graph{nested(2 * MinDistance), nested(10)}, o); len(c.Points) != 1 || blocks[0][0] != 4 || blocks[1][0] != 4 || c.Loops[1].Refused != Other {
		t.Errorf("with a tight loop: %+v, %v", c, blocks)
	}
	// And one that has only the inner loop: its place is the outer one's, but it is tight.
	inner := &Graph{
		Blocks: []Block{{Freq: 1, Point: true}, {Freq: 1000}, {Freq: 1000, After: 9, Point: true}, {Freq: 1}},
		Edges:  []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 1}, {From: 1, To: 3}},
	}
	if c, blocks = Versions([]*Graph{a, inner}, Measured); len(c.Points) != 0 || len(blocks[0]) != 0 || c.Loops[0].Refused != Other {
		t.Errorf("without the loop: %+v, %v", c, blocks)
	}
}

func TestPlaces(t *testing.T) {
	found := []loop{{header: 1, blocks: []int{1, 2, 3, 4}}, {header: 2, blocks: []int{2}}, {header: 3, blocks: []int{3, 4}}, {header: 4, blocks: []int{4}}, {header: 5, blocks: []int{5}}}
	if got := places(found); !slices.Equal(got, []string{"/0", "/0/0", "/0/1", "/0/1/0", "/1"}) {
		t.Error(got)
	}
}
