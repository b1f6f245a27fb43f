package pathnum

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// paperGraph is the running example of BL. The weights are ours: they lead to
// the order and the spanning tree of the paper.
//
//	     A
//	70╱  │30
//	 │   B
//	 │20╱│10
//	  C  │
//	90╲  │
//	     D
//	60╱  │40
//	 │   E
//	  ╲  │40
//	     F
func paperGraph() *Graph {
	const A, B, C, D, E, F = 0, 1, 2, 3, 4, 5
	return &Graph{Blocks: 6, Entry: A, Exit: F, Edges: []Edge{
		{From: A, To: B, Weight: 30}, // e0
		{From: A, To: C, Weight: 70}, // e1
		{From: B, To: C, Weight: 20}, // e2
		{From: B, To: D, Weight: 10}, // e3
		{From: C, To: D, Weight: 90}, // e4
		{From: D, To: E, Weight: 40}, // e5
		{From: D, To: F, Weight: 60}, // e6
		{From: E, To: F, Weight: 40}, // e7
	}}
}

// TestPaperExample compares with BL: values figure 2 (b), code figure 1. The
// paper has r = 0 on A→C, for which we have r start as 0.
func TestPaperExample(t *testing.T) {
	n := mustNew(t, paperGraph(), 0)
	verify(t, n, 0, rand.New(rand.NewSource(1)))
	want := `6 paths, r = 0
e0 0→1: Val 2
e1 0→2: Val 0
e2 1→2: Val 0 Inc 2  r = 2
e3 1→3: Val 2 Inc 4  r = 4
e4 2→3: Val 0
e5 3→4: Val 1
e6 3→5: Val 0 Inc 0  count[r]++
e7 4→5: Val 0 Inc 1  count[r+1]++
`
	if diff := cmp.Diff(want, numberingString(n)); diff != "" {
		t.Errorf("numbering (-want +got):\n%s", diff)
	}
}

// TestPaperRegeneration compares with the table of BL figure 1.
func TestPaperRegeneration(t *testing.T) {
	g := paperGraph()
	n := mustNew(t, g, 0)
	d, err := NewDecoder(g.Blocks, g.Entry, g.Exit, g.Edges, n.Cut, n.Values)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range []string{"ACDF", "ACDEF", "ABCDF", "ABCDEF", "ABDF", "ABDEF"} {
		p, err := d.Path(uint64(id))
		if err != nil {
			t.Fatal(err)
		}
		got := string(rune('A' + p.Start))
		for _, e := range p.Edges {
			got += string(rune('A' + g.Edges[e].To))
		}
		if got != want {
			t.Errorf("path %d is %s, want %s", id, got, want)
		}
	}
	if d.NumPaths() != 6 {
		t.Errorf("%d paths, want 6", d.NumPaths())
	}
	if p, err := d.Path(6); err == nil {
		t.Errorf("path 6 is %v, want an error", p)
	}
}

// TestPaperLoop has the graph of BL 4: a loop from B to E. The eight paths are
// of the four kinds that the paper lists.
//
//	     A
//	     │e0
//	   ┌▶B
//	   │ │╲e1, e2
//	   │ C D
//	e5 │ │╱e3, e4
//	   └─E
//	     │e6
//	     EXIT
func TestPaperLoop(t *testing.T) {
	const A, B, C, D, E, exit = 0, 1, 2, 3, 4, 5
	n := mustNew(t, &Graph{Blocks: 6, Entry: A, Exit: exit, Edges: []Edge{
		{From: A, To: B, Weight: 1},
		{From: B, To: C, Weight: 5},
		{From: B, To: D, Weight: 5},
		{From: C, To: E, Weight: 5},
		{From: D, To: E, Weight: 5},
		{From: E, To: B, Weight: 9},
		{From: E, To: exit, Weight: 1},
	}}, 0)
	verify(t, n, 0, rand.New(rand.NewSource(1)))
	want := `8 paths, r = 0
start 1: Val 4 Inc 4
e0 0→1: Val 0 Inc 0
e1 1→2: Val 0
e2 1→3: Val 2
e3 2→4: Val 0
e4 3→4: Val 0 Inc 2  r += 2
e5 4→1: Val 0 cut  count[r]++; r = 4
e6 4→5: Val 1 Inc 1  count[r+1]++
`
	if diff := cmp.Diff(want, numberingString(n)); diff != "" {
		t.Errorf("numbering (-want +got):\n%s", diff)
	}
}
