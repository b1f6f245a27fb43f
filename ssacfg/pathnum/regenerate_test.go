package pathnum

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// loopTable returns the table of 0 ─▶ 1⟲ ─▶ 2, as far as a decoder needs it.
func loopTable() (edges []Edge, cut []bool, v Values) {
	return []Edge{{From: 0, To: 1}, {From: 1, To: 1}, {From: 1, To: 2}},
		[]bool{false, true, false},
		Values{NumPaths: 4, Edge: []uint64{0, 0, 1}, Starts: []Start{{Block: 1, Val: 2}}}
}

func TestNewDecoderRefuses(t *testing.T) {
	tests := []struct {
		want  string
		spoil func(edges []Edge, cut *[]bool, v *Values)
	}{
		{"2 cut marks", func(edges []Edge, cut *[]bool, v *Values) { *cut = (*cut)[:2] }},
		{"2 values", func(edges []Edge, cut *[]bool, v *Values) { v.Edge = v.Edge[:2] }},
		{"no such block", func(edges []Edge, cut *[]bool, v *Values) { edges[0].To = 3 }},
		{"no such block", func(edges []Edge, cut *[]bool, v *Values) { edges[0].From = -1 }},
		{"no such block", func(edges []Edge, cut *[]bool, v *Values) { v.Starts[0].Block = 7 }},
		{"no start", func(edges []Edge, cut *[]bool, v *Values) { v.Starts = nil }},
		{"start at block 2, where no", func(edges []Edge, cut *[]bool, v *Values) { v.Starts = append(v.Starts, Start{2, 4}) }},
		{"a cycle", func(edges []Edge, cut *[]bool, v *Values) { (*cut)[1] = false }},
		{"edge 2: Val is 2, want 1", func(edges []Edge, cut *[]bool, v *Values) { v.Edge[2] = 2 }},
		{"edge 2: Val is 0, want 1", func(edges []Edge, cut *[]bool, v *Values) { v.Edge[2] = 0 }},
		{"start at block 1: Val is 0, want 2", func(edges []Edge, cut *[]bool, v *Values) { v.Starts[0].Val = 0 }},
		{"5 paths, want 4", func(edges []Edge, cut *[]bool, v *Values) { v.NumPaths = 5 }},
		{"block 0 has no out edge", func(edges []Edge, cut *[]bool, v *Values) {
			edges[0] = Edge{From: 1, To: 2}
			v.Edge = []uint64{2, 0, 1}
		}},
		{"block 2 is the exit and has", func(edges []Edge, cut *[]bool, v *Values) { edges[2] = Edge{From: 2, To: 1} }},
	}
	for _, test := range tests {
		edges, cut, v := loopTable()
		test.spoil(edges, &cut, &v)
		if _, err := NewDecoder(3, 0, 2, edges, cut, v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("NewDecoder: %v, want %q", err, test.want)
		}
	}
	edges, cut, v := loopTable()
	if _, err := NewDecoder(3, 0, 3, edges, cut, v); err == nil {
		t.Error("NewDecoder accepts an exit out of range")
	}
}

func TestNumberRefuses(t *testing.T) {
	edges, cut, v := loopTable()
	d, err := NewDecoder(3, 0, 2, edges, cut, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Path{
		{Start: 1, Edges: []int{2}},                   // does not start at entry
		{Start: 0, Loop: true, Edges: []int{0, 2}},    // no loop there
		{Start: -1, Edges: []int{0, 2}},               // no such block
		{Start: 0},                                    // does not end
		{Start: 0, Edges: []int{0}},                   // does not end
		{Start: 0, Edges: []int{2}},                   // jumps
		{Start: 0, Edges: []int{0, 3}},                // no such edge
		{Start: 0, Edges: []int{0, -1}},               // no such edge
		{Start: 0, Edges: []int{0, 1, 2}},             // goes on behind a cut edge
		{Start: 1, Loop: true, Edges: []int{1, 1, 2}}, // the same
	} {
		if id, err := d.Number(p); err == nil {
			t.Errorf("Number(%v) = %d, want an error", p, id)
		}
	}
}

// TestSpoiledTables changes tables of random graphs at random. A decoder may
// refuse them; if it does not, it must map numbers to paths and back.
func TestSpoiledTables(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for range 2000 {
		g, limit := randomGraph(rnd.Intn)
		n, err := newSeparable(t, g, limit)
		if err != nil {
			continue
		}
		edges, cut, v := slices.Clone(g.Edges), slices.Clone(n.Cut), n.Values
		v.Edge, v.Starts = slices.Clone(v.Edge), slices.Clone(v.Starts)
		e := rnd.Intn(len(edges))
		switch rnd.Intn(5) {
		case 0:
			edges[e].To = rnd.Intn(g.Blocks)
		case 1:
			edges[e].From = rnd.Intn(g.Blocks)
		case 2:
			cut[e] = !cut[e]
		case 3:
			v.Edge[e] = uint64(rnd.Intn(5))
		case 4:
			if len(v.Starts) > 0 {
				v.Starts[rnd.Intn(len(v.Starts))].Block = rnd.Intn(g.Blocks)
			}
		}
		d, err := NewDecoder(g.Blocks, g.Entry, g.Exit, edges, cut, v)
		if err != nil {
			continue
		}
		for range 10 {
			id := rnd.Uint64() % d.NumPaths()
			p, err := d.Path(id)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := d.Number(p); err != nil || got != id {
				t.Fatalf("path %d is %v, which is number %d, %v", id, p, got, err)
			}
		}
	}
}
