package gate

import (
	"math/big"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// FeasibleEdges tells of each edge of f whether a path can take it, as far as is known.
func FeasibleEdges(f *profile.Function) []bool {
	return feasible(f, Lines(nil).blocks(f), outEdges(f)).edges
}

// PossiblePaths returns how many paths of functions can be executed, as far as is known: those on which conditions
// contradict each other are not.
func PossiblePaths(functions []*profile.Function) *big.Int {
	sum := new(big.Int)
	for _, f := range functions {
		if f.Declined() {
			continue
		}
		n := f.Table.Values.NumPaths
		if f.Table.Facts != nil {
			n = feasible(f, Lines(nil).blocks(f), outEdges(f)).all
		}
		sum.Add(sum, new(big.Int).SetUint64(n))
	}
	return sum
}
