// Chord increments: BL 3.3, the event counting algorithm of Ball,
// "Efficiently counting program events with support for on-line queries"
// (TOPLAS 1994).

package pathnum

// increments returns Inc for every edge and φ for every vertex of d, modulo 2^64. For any path
// from START to EXIT the sum of Inc is that of Val; edges in the tree have no Inc.
//
// Every vertex gets a potential φ with φ(w) = φ(v) + Val(v→w) along the
// edges of the tree. Then Inc(v→w) = φ(v) + Val(v→w) − φ(w). The potentials
// between the ends of a path cancel out. Those of its ends are equal because
// EXIT→START with Val 0 is in the tree.
func increments(d *dag, tree []bool) (inc, phi []uint64) {
	phi = make([]uint64, d.vertices)
	known := make([]bool, d.vertices)
	stack := []int{d.start, d.exit}
	known[d.start], known[d.exit] = true, true
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range d.out[v] {
			if w := d.edges[e].to; tree[e] && !known[w] {
				phi[w] = phi[v] + d.edges[e].val
				known[w] = true
				stack = append(stack, w)
			}
		}
		for _, e := range d.in[v] {
			if u := d.edges[e].from; tree[e] && !known[u] {
				phi[u] = phi[v] - d.edges[e].val
				known[u] = true
				stack = append(stack, u)
			}
		}
	}

	inc = make([]uint64, len(d.edges))
	for i, e := range d.edges {
		inc[i] = phi[e.from] + e.val - phi[e.to]
	}
	return inc, phi
}
