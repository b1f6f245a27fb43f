// Package sets holds disjoint sets of vertices (union-find), as a forest of parent pointers: for spanning trees.
package sets

// Sets tells of each vertex in which set it is, by another one of the set.
type Sets []int

// New returns n vertices, each in a set of its own.
func New(n int) Sets {
	parent := make(Sets, n)
	for v := range parent {
		parent[v] = v
	}
	return parent
}

// Union joins the sets of v and w; it reports false if they were one already.
func (parent Sets) Union(v, w int) bool {
	v, w = parent.Find(v), parent.Find(w)
	parent[v] = w
	return v != w
}

// Find returns the vertex that stands for the set of v. It halves the paths it goes along: logarithmic time without
// ranks.
func (parent Sets) Find(v int) int {
	for parent[v] != v {
		parent[v] = parent[parent[v]]
		v = parent[v]
	}
	return v
}
