package profile

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// CallCounts returns the executions of each call, indexed as Table.Calls: those of its block, less those of activations that were abandoned
// in the block before they came to it, or those of its edge.
func (f *Function) CallCounts() []int64 {
	counts := make([]int64, len(f.Table.Calls))
	if f.Declined() {
		return counts
	}
	for i, c := range f.Table.Calls {
		counts[i] = f.siteCount(c.Site)
	}
	return counts
}

// siteCount returns the executions of a call.
func (f *Function) siteCount(s table.Site) int64 {
	if s.At < 0 {
		return f.Edges[-1-s.At]
	}
	n := f.Blocks[s.At]
	for _, p := range f.Partials {
		if p.Block == s.At && p.Reached < s.Reached {
			n -= p.Count
		}
	}
	return n
}
