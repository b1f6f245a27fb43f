// Numbering: BL 3.2, figure 5, with the dummy edges of BL 4 and the
// truncation of BL 5. PEP 3.4 (smart numbering) has the hottest edge out of a block
// first, so that it gets Val 0. Not in PEP: Fixed edges that make cycles (without regard to direction) come
// before the others, in one order for all blocks. So the values along a cycle cancel out if they can.

package pathnum

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/internal/sets"
)

// number gives every edge its Val. A block with more than limit paths has
// out edges added to cut. Where its Fixed edges alone have more, up to most are let through: blocks further
// up, with edges that can be cut, end them.
func number(g *Graph, postorder []int, cut []bool, limit, most uint64) (Values, error) {
	out := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].From })
	numPaths := make([]uint64, g.Blocks)
	numPaths[g.Exit] = 1
	through := func(e int) uint64 { // NumPaths of the target
		if cut[e] {
			return 1 // the dummy edge to EXIT
		}
		return numPaths[g.Edges[e].To]
	}

	shared := sharedTargets(g)
	val := make([]uint64, len(g.Edges))
	for _, v := range postorder {
		if v == g.Exit {
			continue
		}
		if !truncate(g, out[v], cut, through, limit) && !truncate(g, out[v], cut, through, most) {
			return Values{}, &TooManyPathsError{v, limit}
		}
		slices.SortFunc(out[v], func(a, b int) int {
			if shared[a] > 0 && shared[b] > 0 {
				// The later target first: that left fewest cycles in random programs.
				return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(g.Edges[b].To, g.Edges[a].To), cmp.Compare(a, b))
			}
			return cmp.Or(
				cmp.Compare(shared[b], shared[a]),
				cmp.Compare(g.Edges[b].Weight, g.Edges[a].Weight),
				cmp.Compare(through(a), through(b)),
				cmp.Compare(a, b))
		})
		for _, e := range out[v] {
			val[e] = numPaths[v]
			numPaths[v] += through(e)
		}
	}

	total, starts, ok := numberStarts(g, cut, numPaths)
	if !ok {
		return Values{}, &TooManyPathsError{-1, limit}
	}
	return Values{NumPaths: total, Edge: val, Starts: starts}, nil
}

// sharedTargets returns for each Fixed edge how many Fixed edges lead to its target, if such edges connect it with a
// cycle of them. For all other edges it returns 0. Two blocks with Fixed edges to the same two targets
//
//	1 ─▶ 3
//	 ╲ ╱
//	 ╱ ╲
//	2 ─▶ 4
//
// need no code on any of the four if at both blocks the same edge comes first. Targets that
// many blocks share stand together if those of few come behind them.
func sharedTargets(g *Graph) []int {
	joined := sets.New(g.Blocks)
	var closing []int
	for e, edge := range g.Edges {
		if edge.Fixed && !joined.Union(edge.From, edge.To) {
			closing = append(closing, e)
		}
	}
	cyclic := make([]bool, g.Blocks)
	for _, e := range closing {
		cyclic[joined.Find(g.Edges[e].From)] = true
	}
	in := make([]int, g.Blocks)
	for _, edge := range g.Edges {
		if edge.Fixed && cyclic[joined.Find(edge.From)] {
			in[edge.To]++
		}
	}
	shared := make([]int, len(g.Edges))
	for e, edge := range g.Edges {
		if edge.Fixed {
			shared[e] = in[edge.To]
		}
	}
	return shared
}

// truncate cuts edges of out, the out edges of a block, until at most limit
// paths go through them, and reports whether that was possible. The
// edges with the most paths are cut, the coldest of equals first.
func truncate(g *Graph, out []int, cut []bool, through func(e int) uint64, limit uint64) bool {
	var sum, carry, c uint64
	for _, e := range out {
		sum, c = bits.Add64(sum, through(e), 0)
		carry += c
	}
	if carry == 0 && sum <= limit {
		return true
	}

	// What is left of the limit when every edge that can be cut is.
	left := limit
	var candidates []int
	for _, e := range out {
		need := through(e)
		if !g.Edges[e].Fixed && need > 1 {
			need = 1
			candidates = append(candidates, e)
		}
		if need > left {
			return false
		}
		left -= need
	}

	slices.SortFunc(candidates, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(through(a), through(b)),
			cmp.Compare(g.Edges[b].Weight, g.Edges[a].Weight),
			cmp.Compare(a, b))
	})
	keep := 0
	for keep < len(candidates) && through(candidates[keep])-1 <= left {
		left -= through(candidates[keep]) - 1
		keep++
	}
	for _, e := range candidates[keep:] {
		cut[e] = true
	}
	return true
}

// numberStarts numbers the edges out of ENTRY. These are the edge to the entry
// block, with Val 0, and the dummy edges to the targets of cut edges.
// numberStarts reports false if there are more paths than a uint64 can number.
func numberStarts(g *Graph, cut []bool, numPaths []uint64) (total uint64, starts []Start, ok bool) {
	isTarget := make([]bool, g.Blocks)
	for e := range cut {
		if cut[e] {
			isTarget[g.Edges[e].To] = true
		}
	}
	total = numPaths[g.Entry]
	for w, is := range isTarget {
		if !is {
			continue
		}
		starts = append(starts, Start{Block: w, Val: total})
		var carry uint64
		if total, carry = bits.Add64(total, numPaths[w], 0); carry != 0 {
			return 0, nil, false
		}
	}
	return total, starts, true
}
