// Next: not in BL. It is what D'Elia & Demetrescu (OOPSLA 2013) need to know of paths where they are counted.

package pathnum

import "slices"

// A Next says of the paths that an edge counts what comes before them and after them.
type Next struct {
	Follows bool // some of them follow another path: they do not start at entry
	Start   int  // the next path starts at this one of Values.Starts; -1 if none comes next
}

// Next returns what it is of each edge that counts. There is no branch behind a count.
func (n *Numbering) Next() []Next {
	list := make([]Next, len(n.Ops))
	follows := n.afterStarts()
	for i, op := range n.Ops {
		if op.Count != NoCount {
			list[i] = Next{follows[n.Graph.Edges[i].From], n.nextStart(i)}
		}
	}
	return list
}

// afterStarts tells for each block whether a path that does not start at entry may come there.
func (n *Numbering) afterStarts() []bool {
	out := groupBy(n.Graph.Blocks, len(n.Graph.Edges), func(e int) int { return n.Graph.Edges[e].From })
	reached := make([]bool, n.Graph.Blocks)
	var work []int
	reach := func(block int) {
		if !reached[block] {
			reached[block] = true
			work = append(work, block)
		}
	}
	for _, s := range n.Values.Starts {
		reach(s.Block)
	}
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range out[block] {
			if !n.Cut[e] {
				reach(n.Graph.Edges[e].To)
			}
		}
	}
	return reached
}

// nextStart returns at which start the next path begins, after one that an edge counts; -1 if there is none.
func (n *Numbering) nextStart(e int) int {
	edges := n.Graph.Edges
	for !n.Cut[e] {
		from := edges[e].To
		if from == n.Graph.Exit {
			return -1
		}
		e = slices.IndexFunc(edges, func(next Edge) bool { return next.From == from })
	}
	return slices.IndexFunc(n.Values.Starts, func(s Start) bool { return s.Block == edges[e].To })
}
