// Package partial tells what activations had executed that never came to the end of a path. It knows the positions
// where they were abandoned, and the counters of a few edges.
//
// Each activation is a walk through the acyclic graph of package pathnum. The walk begins at the function's entry or at a loop
// header, and ends at a position where something can fail. Together they are a flow, which is conserved in every block. How many
// walks ended where is known, as far as the line of the program counter tells positions apart. How many began at a loop header is
// known, too: the paths that ended there by a back edge, less those that were counted. The rest is event counting as in Ball,
// "Efficiently counting program events with support for on-line queries" (TOPLAS 1994). Edges of a spanning tree need no counter,
// for their flows follow from the others. In most functions the positions follow one another without a branch between that joins
// again, and no edge needs one.
//
//	     0 entry            Lines 3 and 5 can fail, and the path ends behind 2 and 3.
//	    ╱ ╲ e0, e1          Vertices: the blocks, each set of positions that no line tells apart, and Outside.
//	1 l3   2 l5             Edges: Outside→0; e0, e1; 1→{1}, 2→{2}; {1}→Outside and {2}→Outside, which are known.
//	    ╲ ╱                 There is no cycle of unknown edges, so nothing has to be counted. Where both are on one
//	     3 exit             line, {1, 2} is one vertex, and one of e0 and e1 needs a counter.
package partial

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/internal/sets"
)

// Outside is the vertex that flow comes from and goes to. In all others it is conserved.
const Outside = 0

// Graph is a graph of flows. Its vertices are numbered from 0, which is Outside.
type Graph struct {
	Vertices int
	Edges    []Edge
}

// Edge is an edge of a Graph.
type Edge struct {
	From, To int
	Known    bool    // its flow is known without a counter
	Fixed    bool    // it cannot have a counter
	Weight   float64 // what a counter would cost
}

// Counters returns the edges that need counters, with the least weight in all; false if there are not enough that can have one.
func (g *Graph) Counters() (edges []int, ok bool) {
	joined := sets.New(g.Vertices)
	var rest []int
	for i, e := range g.Edges {
		switch {
		case e.Known:
		case !e.Fixed:
			rest = append(rest, i)
		case !joined.Union(e.From, e.To):
			return nil, false
		}
	}
	slices.SortFunc(rest, func(a, b int) int {
		return cmp.Or(cmp.Compare(g.Edges[b].Weight, g.Edges[a].Weight), cmp.Compare(a, b))
	})
	for _, i := range rest {
		if !joined.Union(g.Edges[i].From, g.Edges[i].To) {
			edges = append(edges, i)
		}
	}
	slices.Sort(edges)
	return edges, true
}

// Solve sets the flows of the edges that are not known, by index, from those that are. It reports
// false if there are too few for that.
func (g *Graph) Solve(flow []int64, known []bool) bool {
	balance := make([]int64, g.Vertices) // what comes in, less what goes out, of known flows
	unknown := make([][]int, g.Vertices) // edges
	left := 0
	for i, e := range g.Edges {
		if known[i] {
			balance[e.From] -= flow[i]
			balance[e.To] += flow[i]
			continue
		}
		unknown[e.From] = append(unknown[e.From], i)
		unknown[e.To] = append(unknown[e.To], i)
		left++
	}
	done := slices.Clone(known)
	var work []int
	for v := range g.Vertices {
		work = append(work, v)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		unknown[v] = slices.DeleteFunc(unknown[v], func(i int) bool { return done[i] })
		if v == Outside || len(unknown[v]) != 1 {
			continue
		}
		i := unknown[v][0]
		e := g.Edges[i]
		flow[i] = balance[v]
		if e.To == v {
			flow[i] = -balance[v]
		}
		balance[e.From] -= flow[i]
		balance[e.To] += flow[i]
		done[i] = true
		left--
		work = append(work, e.From+e.To-v)
	}
	return left == 0
}
