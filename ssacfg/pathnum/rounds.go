// Rounds: not in the papers. Most rounds of a loop go the same way, and come to its end with the same r.

package pathnum

// Rounds returns the edges that count where a round of a loop ends and another begins, each with r before the count if control has
// come the likeliest way. Edges that count without r are not among them, nor those for which that way has no Set.
func (n *Numbering) Rounds() map[int]uint64 {
	g := n.Graph
	in := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].To })
	out := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].From })
	rounds := make(map[int]uint64)
	for e, op := range n.Ops {
		if op.Count == CountRegister && n.repeats(e, out) {
			if r, ok := n.usual(g.Edges[e].From, in); ok {
				rounds[e] = r
			}
		}
	}
	return rounds
}

// repeats reports whether all paths that e counts end with a cut edge. There is no branch behind a count.
func (n *Numbering) repeats(e int, out [][]int) bool {
	for !n.Cut[e] {
		next := n.Graph.Edges[e].To
		if next == n.Graph.Exit {
			return false
		}
		e = out[next][0]
	}
	return true
}

// usual returns r at the end of block v if control has come there by the heaviest edges. It is not ok if nothing has set r on that way.
func (n *Numbering) usual(v int, in [][]int) (r uint64, ok bool) {
	for v != n.Graph.Entry || len(in[v]) > 0 {
		likeliest := in[v][0]
		for _, e := range in[v][1:] {
			if n.Graph.Edges[e].Weight > n.Graph.Edges[likeliest].Weight {
				likeliest = e
			}
		}
		switch op := n.Ops[likeliest]; {
		case op.Then == Set:
			return r + op.Value, true
		case n.Cut[likeliest]:
			return 0, false // another path
		default: // Value is 0 but for Add
			r += op.Value
		}
		v = n.Graph.Edges[likeliest].From
	}
	return r, n.NeedInit
}
