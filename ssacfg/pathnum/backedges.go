// Back edges: BL 4, "a backedge identified by a depth-first search of the
// graph". In an irreducible graph which edges those are depends on the order of
// the search; any choice leaves an acyclic graph.

package pathnum

import "fmt"

// backEdges searches g depth first from the entry, in edge order, and tells
// for each edge whether it is a back edge. postorder lists the blocks so that
// every edge that is not a back edge leads to an earlier block. The exit comes first
// even if the search does not find it, as in a function that never returns.
func backEdges(g *Graph) (back []bool, postorder []int, err error) {
	const (
		unseen = iota
		open   // on the stack
		done
	)
	out := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].From })
	back = make([]bool, len(g.Edges))
	state := make([]uint8, g.Blocks)

	postorder = append(make([]int, 0, g.Blocks), g.Exit)
	state[g.Exit] = done

	// The stack is explicit because it can be as deep as g has blocks.
	type frame struct{ block, next int } // next indexes out[block]
	stack := []frame{{g.Entry, 0}}
	state[g.Entry] = open
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(out[top.block]) {
			state[top.block] = done
			postorder = append(postorder, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		e := out[top.block][top.next]
		top.next++
		switch w := g.Edges[e].To; state[w] {
		case unseen:
			state[w] = open
			stack = append(stack, frame{w, 0})
		case open:
			back[e] = true
		}
	}

	for v, s := range state {
		if s == unseen {
			return nil, nil, fmt.Errorf("block %d cannot be reached from the entry", v)
		}
	}
	for e := range back {
		if back[e] && g.Edges[e].Fixed {
			return nil, nil, &FixedBackEdgeError{e}
		}
	}
	return back, postorder, nil
}
