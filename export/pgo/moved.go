package pgo

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

// hotShare is how much of the weight the edges make up that the compiler takes for hot
// (cmd/compile/internal/pgoir, -d=pgoinlinecdfthreshold).
const hotShare = 0.99

// Moved returns how much of the hot edges is another in two profiles, as a share of the weight of all edges. Such edges are
// hot in one profile and far from hot in the other. The share is that of the profile where it is more. How much weight each
// hot edge has hardly matters to the compiler.
func Moved(before, after []pgofile.Edge) float64 {
	return max(only(before, after), only(after, before))
}

// almostHot is how much of the weight of the lightest hot edge an edge must have to be no other one. Edges about as light
// as that one may have been hot by chance where they were sampled.
const almostHot = 0.5

// only returns the weight of the hot edges of a that are not even almost hot in b, as a share of all of a.
func only(a, b []pgofile.Edge) float64 {
	weights := sampled(b)
	least := almostHot * lightestHot(weights)
	total, moved := 0.0, 0.0
	for _, e := range a {
		total += float64(e.Weight)
	}
	for _, e := range hottest(slices.Clone(a), hotShare) {
		if weight := weights[unweighted(e)]; weight == 0 || weight < least {
			moved += float64(e.Weight)
		}
	}
	return moved / max(total, 1)
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
