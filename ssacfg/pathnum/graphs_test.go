package pathnum

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// threeDiamonds has eight paths. The right sides are the colder ones.
//
//	  0       3       6
//	 ╱ ╲     ╱ ╲     ╱ ╲
//	1   2 ─▶4   5 ─▶7   8 ─▶9
//	 ╲ ╱     ╲ ╱     ╲ ╱
//	  3       6       9
func threeDiamonds() *Graph {
	g := &Graph{Blocks: 10, Entry: 0, Exit: 9}
	for v := 0; v < 9; v += 3 {
		g.Edges = append(g.Edges,
			Edge{From: v, To: v + 1, Weight: 5},
			Edge{From: v, To: v + 2, Weight: 1},
			Edge{From: v + 1, To: v + 3, Weight: 5},
			Edge{From: v + 2, To: v + 3, Weight: 1})
	}
	return g
}

// oneDiamond is an if with both branches, which meet in block 3.
//
//	  0
//	 ╱ ╲e0, e1
//	1   2
//	 ╲ ╱e2, e3
//	  3
//	  │e4
//	  4 exit
func oneDiamond(pinned []bool) *Graph {
	return &Graph{Blocks: 5, Entry: 0, Exit: 4, Pinned: pinned, Edges: []Edge{
		{From: 0, To: 1, Weight: 2},
		{From: 0, To: 2, Weight: 1},
		{From: 1, To: 3, Weight: 2},
		{From: 2, To: 3, Weight: 1},
		{From: 3, To: 4, Weight: 3},
	}}
}

// TestGraphs has one graph for each situation, and what becomes of it.
func TestGraphs(t *testing.T) {
	tests := []struct {
		name  string
		g     *Graph
		limit uint64
		want  string
	}{
		{
			name: "straight line", // 0 ─▶ 1
			g:    &Graph{Blocks: 2, Entry: 0, Exit: 1, Edges: []Edge{{From: 0, To: 1}}},
			want: `1 paths
e0 0→1: Val 0 Inc 0  count[0]++
`,
		},
		{
			// Both tasks meet on a chord: no register at all.
			name: "diamond",
			g:    oneDiamond(nil),
			want: `2 paths
e0 0→1: Val 0
e1 0→2: Val 1
e2 1→3: Val 0 Inc 0  count[0]++
e3 2→3: Val 0 Inc 1  count[1]++
e4 3→4: Val 0
`,
		},
		{
			// A call in 3 may panic: count behind it.
			name: "pinned",
			g:    oneDiamond([]bool{3: true, 4: false}),
			want: `2 paths, r = 0
e0 0→1: Val 0
e1 0→2: Val 1
e2 1→3: Val 0 Inc 0
e3 2→3: Val 0 Inc 1  r = 1
e4 3→4: Val 0  count[r]++
`,
		},
		{
			name: "eight paths",
			g:    threeDiamonds(),
			want: `8 paths, r = 0
e0 0→1: Val 0
e1 0→2: Val 4
e2 1→3: Val 0
e3 2→3: Val 0 Inc 4  r = 4
e4 3→4: Val 0
e5 3→5: Val 2
e6 4→6: Val 0
e7 5→6: Val 0 Inc 2  r += 2
e8 6→7: Val 0
e9 6→8: Val 1
e10 7→9: Val 0 Inc 0  count[r]++
e11 8→9: Val 0 Inc 1  count[r+1]++
`,
		},
		{
			// 0 and 1 lead to 2 and 3 by Fixed edges. Both have 3 first, though they take it less often.
			//
			//	  ╭────────▼
			//	0 ─▶ 1 ──▶ 2 ─▶ 4
			//	 ╲    ╲          ▲
			//	  ╲────╲─▶ 3 ───╱
			name: "crossed fixed edges",
			g: &Graph{Blocks: 5, Entry: 0, Exit: 4, Edges: []Edge{
				{From: 0, To: 1, Weight: 1},
				{From: 0, To: 2, Weight: 5, Fixed: true},
				{From: 0, To: 3, Weight: 1, Fixed: true},
				{From: 1, To: 2, Weight: 5, Fixed: true},
				{From: 1, To: 3, Weight: 1, Fixed: true},
				{From: 2, To: 4, Weight: 5},
				{From: 3, To: 4, Weight: 1},
			}},
			want: `4 paths, r = 0
e0 0→1: Val 2 Inc 2  r += 2
e1 0→2: Val 1
e2 0→3: Val 0
e3 1→2: Val 1
e4 1→3: Val 0
e5 2→4: Val 0 Inc 1  count[r+1]++
e6 3→4: Val 0 Inc 0  count[r]++
`,
		},
		{
			// With at most 5 paths from a block, the colder edge out of 0 is cut. So 0→2 is a path, and one or more start at 2.
			name:  "truncated",
			g:     threeDiamonds(),
			limit: 5,
			want: `9 paths, r = 0
start 2: Val 5 Inc 5
e0 0→1: Val 0
e1 0→2: Val 4 Inc 4 cut  count[4]++; r = 5
e2 1→3: Val 0
e3 2→3: Val 0
e4 3→4: Val 0
e5 3→5: Val 2
e6 4→6: Val 0
e7 5→6: Val 0 Inc 2  r += 2
e8 6→7: Val 0
e9 6→8: Val 1
e10 7→9: Val 0 Inc 0  count[r]++
e11 8→9: Val 0 Inc 1  count[r+1]++
`,
		},
		{
			// 0 ─▶ 1⟲ ─▶ 2: BL's counter for the self loop is that of path 2.
			name: "self loop",
			g: &Graph{Blocks: 3, Entry: 0, Exit: 2, Edges: []Edge{
				{From: 0, To: 1, Weight: 1},
				{From: 1, To: 1, Weight: 9},
				{From: 1, To: 2, Weight: 1},
			}},
			want: `4 paths, r = 0
start 1: Val 2 Inc 2
e0 0→1: Val 0 Inc 0
e1 1→1: Val 0 cut  count[r]++; r = 2
e2 1→2: Val 1 Inc 1  count[r+1]++
`,
		},
		{
			// 0⟲ ─▶ 1: path 0 is the first iteration, path 2 a later one.
			name: "entry is a self loop",
			g: &Graph{Blocks: 2, Entry: 0, Exit: 1, Edges: []Edge{
				{From: 0, To: 0, Weight: 9},
				{From: 0, To: 1, Weight: 1},
			}},
			want: `4 paths, r = 0
start 0: Val 2 Inc 2
e0 0→0: Val 0 Inc 0 cut  count[r]++; r = 2
e1 0→1: Val 1 Inc 1  count[r+1]++
`,
		},
		{
			// 0 ◀─▶ 1, 0 ─▶ 2
			name: "entry is a loop header",
			g: &Graph{Blocks: 3, Entry: 0, Exit: 2, Edges: []Edge{
				{From: 0, To: 1, Weight: 9},
				{From: 0, To: 2, Weight: 1},
				{From: 1, To: 0, Weight: 9},
			}},
			want: `4 paths, r = 0
start 0: Val 2 Inc 2
e0 0→1: Val 0
e1 0→2: Val 1 Inc 1  count[r+1]++
e2 1→0: Val 0 Inc 0 cut  count[r]++; r = 2
`,
		},
		{
			// Two ways into the cycle 1 ◀─▶ 2, from 0; 2 ─▶ 3 is the exit.
			name: "irreducible",
			g: &Graph{Blocks: 4, Entry: 0, Exit: 3, Edges: []Edge{
				{From: 0, To: 1, Weight: 1},
				{From: 0, To: 2, Weight: 1},
				{From: 1, To: 2, Weight: 5},
				{From: 2, To: 1, Weight: 5},
				{From: 2, To: 3, Weight: 2},
			}},
			want: `6 paths, r = 0
start 1: Val 4 Inc 4
e0 0→1: Val 0 Inc 0
e1 0→2: Val 2 Inc 2  r = 2
e2 1→2: Val 0
e3 2→1: Val 0 cut  count[r]++; r = 4
e4 2→3: Val 1 Inc 1  count[r+1]++
`,
		},
		{
			// for {}: the exit 2 is out of reach. 0 ─▶ 1⟲
			name: "endless loop",
			g: &Graph{Blocks: 3, Entry: 0, Exit: 2, Edges: []Edge{
				{From: 0, To: 1, Weight: 1},
				{From: 1, To: 1, Weight: 9},
			}},
			want: `2 paths, r = 0
start 1: Val 1 Inc 1
e0 0→1: Val 0 Inc 0
e1 1→1: Val 0 cut  count[r]++; r = 1
`,
		},
		{
			// continue: the cut edges 2→1 and 3→1 begin the same paths, and
			// end different ones.
			//
			//	0 ─▶ 1 ─▶ 2 ─▶ 3,  2 ─▶ 1,  3 ─▶ 1,  1 ─▶ 4
			name: "two back edges to a header",
			g: &Graph{Blocks: 5, Entry: 0, Exit: 4, Edges: []Edge{
				{From: 0, To: 1, Weight: 1},
				{From: 1, To: 2, Weight: 9},
				{From: 2, To: 3, Weight: 6},
				{From: 2, To: 1, Weight: 3},
				{From: 3, To: 1, Weight: 6},
				{From: 1, To: 4, Weight: 1},
			}},
			want: `6 paths, r = 0
start 1: Val 3 Inc 3
e0 0→1: Val 0 Inc 0
e1 1→2: Val 0
e2 2→3: Val 0
e3 2→1: Val 1 Inc 1 cut  count[r+1]++; r = 3
e4 3→1: Val 0 cut  count[r]++; r = 3
e5 1→4: Val 2 Inc 2  count[r+2]++
`,
		},
		{
			// Both edges 1→1 are cut and have dummies of their own.
			name: "parallel self loops",
			g: &Graph{Blocks: 3, Entry: 0, Exit: 2, Edges: []Edge{
				{From: 0, To: 1, Weight: 1},
				{From: 1, To: 1, Weight: 6},
				{From: 1, To: 1, Weight: 3},
			}},
			want: `4 paths, r = 0
start 1: Val 2 Inc 2
e0 0→1: Val 0 Inc 0
e1 1→1: Val 0 cut  count[r]++; r = 2
e2 1→1: Val 1 Inc 1 cut  count[r+1]++; r = 2
`,
		},
		{
			// if a && b {T} else {E}: only b can be told from E by code on a→b.
			//
			//	a0 ─▶ b1 ─▶ T2
			//	 ╲     │    │
			//	fixed╲ │fixed
			//	      E3 ─▶ 4
			name: "short circuit",
			g: &Graph{Blocks: 5, Entry: 0, Exit: 4, Edges: []Edge{
				{From: 0, To: 1, Weight: 2},
				{From: 0, To: 3, Weight: 1, Fixed: true},
				{From: 1, To: 2, Weight: 1},
				{From: 1, To: 3, Weight: 1, Fixed: true},
				{From: 2, To: 4, Weight: 1},
				{From: 3, To: 4, Weight: 2},
			}},
			want: `3 paths, r = 0
e0 0→1: Val 0 Inc -1  r -= 1
e1 0→3: Val 2
e2 1→2: Val 0
e3 1→3: Val 1
e4 2→4: Val 0 Inc 1  count[r+1]++
e5 3→4: Val 0 Inc 2  count[r+2]++
`,
		},
		{
			// The last edges cannot count, so those before them do.
			name: "fixed edges to the exit",
			g: &Graph{Blocks: 4, Entry: 0, Exit: 3, Edges: []Edge{
				{From: 0, To: 1, Weight: 2},
				{From: 0, To: 2, Weight: 1},
				{From: 1, To: 3, Weight: 2, Fixed: true},
				{From: 2, To: 3, Weight: 1, Fixed: true},
			}},
			want: `2 paths
e0 0→1: Val 0 Inc 0  count[0]++
e1 0→2: Val 1 Inc 1  count[1]++
e2 1→3: Val 0
e3 2→3: Val 0
`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := mustNew(t, test.g, test.limit)
			verify(t, n, test.limit, rand.New(rand.NewSource(1)))
			if diff := cmp.Diff(test.want, numberingString(n)); diff != "" {
				t.Errorf("numbering (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNew100kBlocks has graphs as deep as blocks are many: stacks must not be
// the goroutine's.
func TestNew100kBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("large graph")
	}
	g := largeGraph(100_000)
	n := mustNew(t, g, 0)
	verify(t, n, 0, rand.New(rand.NewSource(1)))
}

// largeGraph is a sequence of ifs with an empty else, some of them in loops,
// like a function that a parser generator writes. Its path counts
// overflow, so it is truncated many times.
func largeGraph(blocks int) *Graph {
	g := &Graph{Blocks: blocks, Entry: 0, Exit: blocks - 1}
	for v := 0; v+1 < blocks; v++ {
		g.Edges = append(g.Edges, Edge{From: v, To: v + 1, Weight: float64(1 + v%7)})
		if v%2 == 0 && v+2 < blocks {
			g.Edges = append(g.Edges, Edge{From: v, To: v + 2, Weight: float64(1 + v%5)})
		}
		if v%10 == 9 {
			g.Edges = append(g.Edges, Edge{From: v, To: v - 6, Weight: 3})
		}
	}
	return g
}

func BenchmarkNew(b *testing.B) {
	for _, size := range []struct {
		name   string
		blocks int
	}{{"200", 200}, {"2000", 2000}, {"20000", 20000}} {
		g := largeGraph(size.blocks)
		b.Run(size.name, func(b *testing.B) {
			for b.Loop() {
				mustNew(b, g, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size.blocks), "ns/block")
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	n := mustNew(b, largeGraph(2000), 0)
	for b.Loop() {
		if err := n.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
