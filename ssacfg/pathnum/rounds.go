// Rounds: not in the papers. All rounds of many loops go the same way, and come to its end with the same r.

package pathnum

// mostWays is how many ways there may be to the end of a round. One is that of the first round, which comes from outside the
// loop, the other that of all others. With more, the processor mispredicts what r is too often.
const mostWays = 2

// Rounds returns the edges that count where a round of a loop ends and another begins. All rounds but the first go the same way
// to such an edge. The value of each is r before the count in these rounds. Edges that count without r are not among them.
func (n *Numbering) Rounds() map[int]uint64 {
	g := n.Graph
	in := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].To })
	out := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].From })
	known := make([]int, g.Blocks)
	rounds := make(map[int]uint64)
	for e, op := range n.Ops {
		if op.Count == CountRegister && n.repeats(e, out) {
			from := g.Edges[e].From
			if r, ok := n.usual(from, in); ok && n.ways(from, in, known) <= mostWays {
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

// usual returns r at the end of block v if control has come there by the heaviest edges. It is not ok if nothing has set r
// on that way.
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

// ways returns how many ways there are to the end of block v on which something sets r. It returns more than mostWays if there
// are more, or ways of another kind. It keeps what it returns for each block in known: the ways to the counts of a large function
// have most of their blocks in common.
func (n *Numbering) ways(v int, in [][]int, known []int) (ways int) {
	if known[v] > 0 {
		return known[v]
	}
	defer func() { known[v] = ways }()
	if v == n.Graph.Entry {
		ways++
	}
	for _, e := range in[v] {
		switch {
		case n.Ops[e].Then == Set:
			ways++
		case n.Cut[e]:
			return mostWays + 1
		default:
			ways += n.ways(n.Graph.Edges[e].From, in, known)
		}
		if ways > mostWays {
			return ways
		}
	}
	return ways
}
