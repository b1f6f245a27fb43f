package timing

import (
	"fmt"
	"slices"
)

// Versions chooses points for versions of one function. Point i of all of them is at the same place in what they do, so that its
// timings can be compared. Versions returns the choice for the first version, and the blocks of its points in each.
//
// Versions with the same graph, as the compiler is given it, have points in the same blocks: that is what the paper has. Versions
// with sources of their own have points in loops that are at the same place among the loops of the function. The points are in
// blocks that each pass comes by. Whether passes are the same work is not known. What is recorded tells whether calls of both
// versions have the same number of passes. Where a version has no place for a point, another loop is tried.
func Versions(graphs []*Graph, o Options) (c *Choice, blocks [][]int) {
	o.EveryPass = o.EveryPass || slices.ContainsFunc(graphs, func(g *Graph) bool { return !sameShape(g, graphs[0]) })
	blocks = make([][]int, len(graphs))
	at := places(newDistances(graphs[0]).found)
	c = choose(graphs[0], o, func(loop int, p Point) bool {
		list, ok := everywhere(graphs, blocks, o, p, at[loop])
		for v, b := range list {
			blocks[v] = append(blocks[v], b)
		}
		return ok
	})
	return c, blocks
}

// everywhere returns the block of a point in each version; not ok if one has none.
func everywhere(graphs []*Graph, blocks [][]int, o Options, p Point, at string) (list []int, ok bool) {
	for v, g := range graphs {
		s := newSelection(g, o)
		for _, b := range blocks[v] {
			s.points[b] = true
		}
		b, ok := p.Block, true
		if sameShape(g, graphs[0]) {
			ok = s.nearest(b) == None
		} else {
			b, ok = s.inLoop(at, p.Freq)
		}
		if !ok {
			return nil, false
		}
		list = append(list, b)
	}
	return list, true
}

// inLoop returns the block for a point that is about as frequent as is wanted, in the loop at a place among the loops.
func (s *selection) inLoop(at string, freq float64) (block int, ok bool) {
	found := s.distances.found
	i := slices.Index(places(found), at)
	if i < 0 {
		return -1, false
	}
	block, why, _ := s.selectBlock(found[i], freq, func(int) bool { return true })
	return block, why == ""
}

// places says where loops are, which come in depth-first order: the second loop in the first one is /0/1.
func places(found []loop) []string {
	list := make([]string, len(found))
	inside := make(map[int]int) // how many there are so far directly inside of each, or of none
	for i, l := range found {
		outer, prefix := -1, ""
		for j := range i {
			if found[j].contains(l.header) {
				outer, prefix = j, list[j]
			}
		}
		list[i] = fmt.Sprintf("%s/%d", prefix, inside[outer])
		inside[outer]++
	}
	return list
}

// sameShape reports whether graphs have the same blocks and edges.
func sameShape(a, b *Graph) bool {
	same := func(x, y Edge) bool { return x.From == y.From && x.To == y.To }
	return a == b || len(a.Blocks) == len(b.Blocks) && slices.EqualFunc(a.Edges, b.Edges, same)
}
