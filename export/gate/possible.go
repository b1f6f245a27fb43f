package gate

import (
	"math/big"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Decisions returns the decisions of f, given which branches can be taken as far as is known.
func Decisions(f *profile.Function, texts *code.Texts) *mcdc.Function {
	var edges []bool
	if !f.Declined() && f.Table.Facts != nil {
		edges = feasible(f, Lines(nil).blocks(f), outEdges(f)).edges
	}
	return mcdc.Of(f, texts, edges)
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
