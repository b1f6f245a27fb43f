package profile

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// CallCounts returns the executions of each call, indexed as Table.Calls: those of its block, less those of activations that were abandoned
// in the block before they came to it, or those of its edge.
func (f *Function) CallCounts() []int64 {
	counts := make([]int64, len(f.Table.Calls))
	if f.Declined() {
		return counts
	}
	for i, c := range f.Table.Calls {
		if c.At < 0 {
			counts[i] = f.Edges[-1-c.At]
			continue
		}
		counts[i] = f.Blocks[c.At]
		for _, p := range f.Partials {
			if p.Block == c.At && p.Reached < c.Reached {
				counts[i] -= p.Count
			}
		}
	}
	return counts
}

// checkCalls reports calls of f that are nowhere, or of no function.
func checkCalls(t *table.Package, f *table.Function) error {
	for _, c := range f.Calls {
		if c.At >= len(f.Blocks) || -1-c.At >= len(f.Edges) || c.Callee < 0 || c.Callee >= len(t.Callees) || c.More < 0 {
			return fmt.Errorf("call at %d of function %d of %d", c.At, c.Callee, len(t.Callees))
		}
	}
	return nil
}
