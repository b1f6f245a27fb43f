package prime

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// A graph is that of a function, as far as simple paths need it.
type graph struct {
	edges     []table.Edge
	out, in   [][]int // edge ids by block
	component []int   // the strongly connected component of each block
	at        []int   // when each block was marked
	now       int     // blocks with this mark are on the path that is being looked at
}

func newGraph(t *table.Function) *graph {
	n := len(t.Blocks)
	g := &graph{edges: t.Edges, out: make([][]int, n), in: make([][]int, n), at: make([]int, n), now: 1}
	for id, e := range t.Edges {
		g.out[e.From] = append(g.out[e.From], id)
		g.in[e.To] = append(g.in[e.To], id)
	}
	g.findComponents()
	return g
}

// findComponents finds the strongly connected components (Tarjan, "Depth-first search and linear graph algorithms", 1972),
// with a stack of its own, since a graph can be as deep as it has blocks.
func (g *graph) findComponents() {
	n := len(g.out)
	g.component = make([]int, n)
	index, low := make([]int, n), make([]int, n) // from 1 on
	next, components := 1, 1
	type frame struct{ block, edge int }
	var open []int
	for root := range n {
		if index[root] > 0 {
			continue
		}
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			v := top.block
			if top.edge == 0 && index[v] == 0 {
				index[v], low[v] = next, next
				next++
				open = append(open, v)
			}
			if top.edge < len(g.out[v]) {
				w := g.edges[g.out[v][top.edge]].To
				top.edge++
				switch {
				case index[w] == 0:
					stack = append(stack, frame{w, 0})
				case g.component[w] == 0:
					low[v] = min(low[v], index[w])
				}
				continue
			}
			if low[v] == index[v] {
				for {
					w := open[len(open)-1]
					open = open[:len(open)-1]
					g.component[w] = components
					if w == v {
						break
					}
				}
				components++
			}
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				from := stack[len(stack)-1].block
				low[from] = min(low[from], low[v])
			}
		}
	}
}

// isPrime reports whether a simple path, with an edge at least, is part of no other.
func (g *graph) isPrime(edges []int) bool {
	first, last := g.edges[edges[0]].From, g.edges[edges[len(edges)-1]].To
	if first == last {
		return true
	}
	g.now++
	g.at[first] = g.now
	for _, id := range edges {
		g.at[g.edges[id].To] = g.now
	}
	for _, id := range g.in[first] {
		if from := g.edges[id].From; g.at[from] != g.now || from == last {
			return false
		}
	}
	for _, id := range g.out[last] {
		if to := g.edges[id].To; g.at[to] != g.now || to == first {
			return false
		}
	}
	return true
}

// joins returns how many back edges lead from one part of a path to another.
func (g *graph) joins(edges []int) (n int) {
	for _, id := range edges[:len(edges)-1] {
		if g.edges[id].Back {
			n++
		}
	}
	return n
}
