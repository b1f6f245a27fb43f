package partial

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The graph of the package comment, with vertices 1 to 3 for blocks 0 to 2.
func branch(oneLine bool) *Graph {
	g := &Graph{Vertices: 6, Edges: []Edge{
		{From: Outside, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 0.75}, {From: 1, To: 3, Weight: 0.25},
		{From: 2, To: 4, Fixed: true}, {From: 3, To: 5, Fixed: true},
		{From: 4, To: Outside, Known: true}, {From: 5, To: Outside, Known: true},
	}}
	if oneLine {
		g.Edges[4].To = 4
		g.Edges[6] = Edge{From: 5, To: Outside, Known: true}
	}
	return g
}

func TestCounters(t *testing.T) {
	for _, test := range []struct {
		what string
		g    *Graph
		want []int
		ok   bool
	}{
		{"lines of their own", branch(false), nil, true},
		{"one line: the cheaper edge", branch(true), []int{2}, true},
		{"one line for a block and what is not begun: the entry", &Graph{Vertices: 3, Edges: []Edge{
			{From: Outside, To: 1}, {From: 1, To: 2, Fixed: true}, {From: Outside, To: 2, Fixed: true}, {From: 2, To: Outside, Known: true},
		}}, []int{0}, true},
		{"no place for the counter", &Graph{Vertices: 2, Edges: []Edge{
			{From: Outside, To: 1, Fixed: true}, {From: Outside, To: 1, Fixed: true}, {From: 1, To: Outside, Known: true},
		}}, nil, false},
	} {
		got, ok := test.g.Counters()
		if !slices.Equal(got, test.want) || ok != test.ok {
			t.Errorf("%s: counters %v, %v, want %v, %v", test.what, got, ok, test.want, test.ok)
		}
	}
}

// Random walks make a flow; from what is known of it and the counters the rest has to follow.
func TestSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		g, flow := randomFlow(random)
		counters, ok := g.Counters()
		if !ok {
			t.Fatalf("no counters in %v", g)
		}
		got, known := make([]int64, len(flow)), make([]bool, len(flow))
		for i, e := range g.Edges {
			if e.Known || slices.Contains(counters, i) {
				got[i], known[i] = flow[i], true
			}
		}
		if !g.Solve(got, known) || !slices.Equal(got, flow) {
			t.Fatalf("%v with counters %v: flows %v, want %v", g, counters, got, flow)
		}
		if len(counters) == 0 {
			continue
		}
		known[counters[0]] = false // each of them is needed
		if g.Solve(got, known) {
			t.Fatalf("%v does without counter %d of %v", g, counters[0], counters)
		}
	}
}

// randomFlow returns an acyclic graph, of which every vertex may be left, and a flow of some walks.
func randomFlow(random *rand.Rand) (*Graph, []int64) {
	n := 2 + random.IntN(6)
	g := &Graph{Vertices: n}
	for v := 1; v < n; v++ {
		g.Edges = append(g.Edges, Edge{From: random.IntN(v), To: v, Weight: random.Float64()}, Edge{From: v, To: Outside, Known: random.IntN(3) > 0})
	}
	for range random.IntN(8) {
		to := 1 + random.IntN(n-1)
		g.Edges = append(g.Edges, Edge{From: random.IntN(to), To: to, Weight: random.Float64()})
	}
	flow := make([]int64, len(g.Edges))
	for range 5 {
		for v := Outside; ; {
			var out []int
			for i, e := range g.Edges {
				if e.From == v {
					out = append(out, i)
				}
			}
			i := out[random.IntN(len(out))]
			flow[i]++
			if v = g.Edges[i].To; v == Outside {
				break
			}
		}
	}
	return g, flow
}
