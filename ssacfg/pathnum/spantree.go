// Maximum spanning tree: BL 3.1 and 3.3, by Kruskal's algorithm.

package pathnum

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/internal/sets"
)

// spanningTree tells for each edge of d whether it is in the tree. In order of
// preference the tree has
//
//   - the Fixed edges, which cannot be chords but where [separate] lets them;
//   - EXIT→START, as in the paper, and START→entry. With START→entry the potentials of the three vertices are all 0,
//     and r starts as 0 in a function;
//   - the heaviest edges.
func spanningTree(d *dag) ([]bool, error) {
	tree := make([]bool, len(d.edges))
	joined := sets.New(d.vertices)

	for e := range d.edges {
		if edge := &d.edges[e]; edge.fixed {
			tree[e] = joined.Union(edge.from, edge.to)
		}
	}

	if !joined.Union(d.entry, d.exit) {
		return nil, &InseparableError{fixedPath(d, d.entry, d.exit, tree)}
	}
	joined.Union(d.start, d.entry)
	tree[d.entryEdge] = true

	var rest []int
	for e := range d.edges {
		if !tree[e] && !d.edges[e].fixed {
			rest = append(rest, e)
		}
	}
	slices.SortFunc(rest, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.edges[b].weight, d.edges[a].weight), cmp.Compare(a, b))
	})
	for _, e := range rest {
		tree[e] = joined.Union(d.edges[e].from, d.edges[e].to)
	}
	return tree, nil
}

// separate takes Fixed edges that close cycles of Fixed edges into the tree, which is none then, if
// their increments are 0. Then the values along the cycle cancel out, and no code is needed. A cycle
// of which that is not true needs code where none can be.
func separate(d *dag, tree []bool, inc []uint64) error {
	for e := range d.edges {
		if d.edges[e].fixed && inc[e] == 0 {
			tree[e] = true
		}
	}
	for e := range d.edges {
		if edge := &d.edges[e]; edge.fixed && !tree[e] {
			cycle := append(fixedPath(d, edge.from, edge.to, tree), e)
			slices.Sort(cycle)
			return &InseparableError{cycle}
		}
	}
	return nil
}

// fixedPath returns the fewest Fixed edges in tree that connect v and w without
// regard to direction, increasing.
func fixedPath(d *dag, v, w int, tree []bool) []int {
	const none = -1
	via := make([]int, d.vertices) // the edge by which a vertex was found
	for i := range via {
		via[i] = none
	}
	other := func(e, v int) int { return d.edges[e].from + d.edges[e].to - v }

	queue := []int{v}
	for len(queue) > 0 && via[w] == none {
		u := queue[0]
		queue = queue[1:]
		for _, edges := range [][]int{d.out[u], d.in[u]} {
			for _, e := range edges {
				x := other(e, u)
				if d.edges[e].fixed && tree[e] && x != v && via[x] == none {
					via[x] = e
					queue = append(queue, x)
				}
			}
		}
	}
	var path []int
	for u := w; u != v; u = other(via[u], u) {
		path = append(path, via[u])
	}
	slices.Sort(path)
	return path
}
