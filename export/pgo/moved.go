package pgo

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

// hotShare is how much of the weight the edges make up that the compiler takes for hot
// (cmd/compile/internal/pgoir, -d=pgoinlinecdfthreshold).
const hotShare = 0.99

// Moved returns how much of the hot edges is another in two profiles, as a share of the weight of all edges: those that
// only one of them has, in the one where it is more. How much weight each hot edge has hardly matters to the compiler.
func Moved(before, after []pgofile.Edge) float64 {
	return max(only(before, after), only(after, before))
}

// only returns the weight of the hot edges of a that are none of b, as a share of all of a.
func only(a, b []pgofile.Edge) float64 {
	hot := make(map[pgofile.Edge]bool)
	for _, e := range hottest(slices.Clone(b), hotShare) {
		hot[unweighted(e)] = true
	}
	total, moved := 0.0, 0.0
	for _, e := range a {
		total += float64(e.Weight)
	}
	if total == 0 {
		return 0
	}
	for _, e := range hottest(slices.Clone(a), hotShare) {
		if !hot[unweighted(e)] {
			moved += float64(e.Weight)
		}
	}
	return moved / total
}

// unweighted returns what an edge is known by.
func unweighted(e pgofile.Edge) pgofile.Edge {
	e.Weight = 0
	return e
}

func compareEdges(a, b pgofile.Edge) int {
	return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Callee, b.Callee),
		cmp.Compare(a.Offset, b.Offset))
}
