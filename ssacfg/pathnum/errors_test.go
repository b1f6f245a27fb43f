package pathnum

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMalformed has graphs that are not as Graph demands.
func TestMalformed(t *testing.T) {
	line := []Edge{{From: 0, To: 1}, {From: 1, To: 2}}
	tests := []struct {
		want string
		g    Graph
	}{
		{"entry 3", Graph{Blocks: 3, Entry: 3, Exit: 2, Edges: line}},
		{"both entry and exit", Graph{Blocks: 1}},
		{"Pinned has 1", Graph{Blocks: 3, Exit: 2, Edges: line, Pinned: []bool{true}}},
		{"edge 2, 1→3: no such block", Graph{Blocks: 3, Exit: 2, Edges: append(line[:2:2], Edge{From: 1, To: 3})}},
		{"edge 2, 1→2: weight", Graph{Blocks: 3, Exit: 2, Edges: append(line[:2:2], Edge{From: 1, To: 2, Weight: -1})}},
		{"edge 2, 1→2: weight", Graph{Blocks: 3, Exit: 2, Edges: append(line[:2:2], Edge{From: 1, To: 2, Weight: math.NaN()})}},
		{"block 2 is the exit and has an out edge", Graph{Blocks: 3, Exit: 2, Edges: append(line[:2:2], Edge{From: 2, To: 1})}},
		{"block 2 has no out edge", Graph{Blocks: 4, Exit: 3, Edges: append(line[:2:2], Edge{From: 0, To: 3})}},
		{"block 3 cannot be reached", Graph{Blocks: 4, Exit: 2, Edges: append(line[:2:2], Edge{From: 3, To: 2})}},
	}
	for _, test := range tests {
		if _, err := New(&test.g, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New: %v, want %q\n%s", err, test.want, graphString(&test.g))
		}
	}
}

// TestRefused has well-formed graphs without a place for the code.
func TestRefused(t *testing.T) {
	fixed := func(from, to int) Edge { return Edge{From: from, To: to, Fixed: true} }
	free := func(from, to int) Edge { return Edge{From: from, To: to} }
	tests := []struct {
		name   string
		blocks int // the last is the exit
		edges  []Edge
		pinned []bool
		limit  uint64
		want   error
	}{
		{
			// case 1, 2: two edges into one body.
			name:   "parallel fixed edges",
			blocks: 3,
			edges:  []Edge{fixed(0, 1), free(0, 1), fixed(0, 1), free(1, 2)},
			want:   &InseparableError{Edges: []int{0, 2}},
		},
		{
			//	0 ─▶ 1 ─▶ 3
			//	 ╲─▶ 2 ─▶╱    and e0, not on the cycle
			name:   "fixed diamond",
			blocks: 6,
			edges: []Edge{fixed(0, 1), fixed(1, 2), fixed(1, 3), free(1, 3), fixed(2, 4), fixed(3, 4),
				free(4, 5)},
			want: &InseparableError{Edges: []int{1, 2, 4, 5}},
		},
		{
			name:   "fixed from entry to exit",
			blocks: 3,
			edges:  []Edge{fixed(0, 1), fixed(1, 2), free(1, 2)},
			want:   &InseparableError{Edges: []int{0, 1}},
		},
		{
			name:   "fixed back edge",
			blocks: 3,
			edges:  []Edge{free(0, 1), fixed(1, 1), free(1, 2)},
			want:   &FixedBackEdgeError{Edge: 1},
		},
		{
			// Above 1 the count would be for both paths.
			name:   "fixed edge to the exit from a branch",
			blocks: 4,
			edges:  []Edge{free(0, 1), fixed(1, 3), free(1, 2), free(2, 3)},
			want:   &UncountableError{Edge: 1},
		},
		{
			name:   "fixed edge to the exit from a pinned block",
			blocks: 3,
			edges:  []Edge{free(0, 1), fixed(1, 2)},
			pinned: []bool{false, true, false},
			want:   &UncountableError{Edge: 1},
		},
		{
			name:   "two fixed edges to the exit from a branch",
			blocks: 5,
			edges:  []Edge{free(0, 1), fixed(1, 2), fixed(2, 4), free(1, 3), free(3, 4)},
			want:   &UncountableError{Edge: 2},
		},
		{
			name:   "more edges than paths allowed",
			blocks: 2,
			edges:  []Edge{free(0, 1), free(0, 1), free(0, 1)},
			limit:  2,
			want:   &TooManyPathsError{Block: 0, Limit: 2},
		},
		{
			name:   "fixed edge in the way of truncation",
			blocks: 4,
			edges:  []Edge{fixed(0, 1), free(0, 2), free(1, 2), free(1, 2), free(2, 3), free(2, 3)},
			limit:  2,
			want:   &TooManyPathsError{Block: 0, Limit: 2},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := &Graph{Blocks: test.blocks, Entry: 0, Exit: test.blocks - 1, Edges: test.edges, Pinned: test.pinned}
			_, err := New(g, test.limit)
			if diff := cmp.Diff(test.want, err); diff != "" {
				t.Errorf("New (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHugeLimit lets the sums go up to the edge of 64 bits and over.
func TestHugeLimit(t *testing.T) {
	// Two edges from each block to the next; below, a self loop on each too.
	g := &Graph{Blocks: 64, Entry: 0, Exit: 63}
	for v := range 63 {
		g.Edges = append(g.Edges, Edge{From: v, To: v + 1}, Edge{From: v, To: v + 1})
	}
	n := mustNew(t, g, math.MaxUint64)
	if n.Values.NumPaths != 1<<63 || slices.Contains(n.Cut, true) {
		t.Errorf("%d paths, want 2^63", n.Values.NumPaths)
	}
	if err := n.Check(); err != nil {
		t.Error(err)
	}

	for v := range 63 {
		g.Edges = append(g.Edges, Edge{From: v, To: v})
	}
	var tooMany *TooManyPathsError
	if _, err := New(g, math.MaxUint64); !errors.As(err, &tooMany) || tooMany.Block != -1 {
		t.Errorf("New: %v, want too many paths altogether", err)
	}
	n = mustNew(t, g, 0)
	if err := n.Check(); err != nil {
		t.Error(err)
	}
}
