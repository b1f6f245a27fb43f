// Maximum spanning tree: BL 3.1 and 3.3, by Kruskal's algorithm.

package pathnum

import (
	"cmp"
	"slices"
)

// spanningTree tells for each edge of d whether it is in the tree. In order of
// preference the tree has
//
//   - the Fixed edges, which cannot be chords;
//   - EXIT→START, as in the paper, and START→entry: with it, the potentials
//     of the three vertices are all 0, and r starts as 0 in a function;
//   - the heaviest edges.
func spanningTree(d *dag) ([]bool, error) {
	tree := make([]bool, len(d.edges))
	sets := newUnionFind(d.vertices)

	for e := range d.edges {
		edge := &d.edges[e]
		if !edge.fixed {
			continue
		}
		if !sets.union(edge.from, edge.to) {
			cycle := append(fixedPath(d, edge.from, edge.to, e), e)
			slices.Sort(cycle)
			return nil, &InseparableError{cycle}
		}
		tree[e] = true
	}

	if !sets.union(d.entry, d.exit) {
		path := fixedPath(d, d.entry, d.exit, len(d.edges))
		slices.Sort(path)
		return nil, &InseparableError{path}
	}
	sets.union(d.start, d.entry)
	tree[d.entryEdge] = true

	var rest []int
	for e := range d.edges {
		if !tree[e] {
			rest = append(rest, e)
		}
	}
	slices.SortFunc(rest, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.edges[b].weight, d.edges[a].weight), cmp.Compare(a, b))
	})
	for _, e := range rest {
		tree[e] = sets.union(d.edges[e].from, d.edges[e].to)
	}
	return tree, nil
}

// fixedPath returns the Fixed edges below end that connect v and w without
// regard to direction. Those edges are a forest with v and w in one tree.
func fixedPath(d *dag, v, w, end int) []int {
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
				if !d.edges[e].fixed || e >= end || e == via[u] {
					continue
				}
				x := other(e, u)
				via[x] = e
				queue = append(queue, x)
			}
		}
	}
	var path []int
	for u := w; u != v; u = other(via[u], u) {
		path = append(path, via[u])
	}
	return path
}

// unionFind holds disjoint sets of vertices, as a forest of parent pointers.
type unionFind []int

func newUnionFind(n int) unionFind {
	parent := make(unionFind, n)
	for v := range parent {
		parent[v] = v
	}
	return parent
}

// union joins the sets of v and w; it reports false if they were one already.
func (parent unionFind) union(v, w int) bool {
	v, w = parent.find(v), parent.find(w)
	parent[v] = w
	return v != w
}

// find halves the paths it goes along: logarithmic time without ranks.
func (parent unionFind) find(v int) int {
	for parent[v] != v {
		parent[v] = parent[parent[v]]
		v = parent[v]
	}
	return v
}
