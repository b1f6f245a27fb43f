package profile

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// samples returns the estimates of the sampled paths of f by increasing id.
func (c *counts) samples(f *table.Function) []pathCount {
	var paths []pathCount
	add := func(id, estimate, samples uint64) {
		if samples > 0 {
			// What has been seen has been executed, whatever rounding makes of it.
			paths = append(paths, pathCount{id, max(1, (estimate+rt.SampleUnit/2)/rt.SampleUnit), samples})
		}
	}
	if f.Storage == table.StorageArray {
		if c.counters == nil {
			return nil
		}
		for id := range f.Values.NumPaths {
			at := 2 * (f.First + id)
			add(id, c.counters[at], c.counters[at+1])
		}
		return paths
	}
	for id, estimate := range c.hash(f.Hash) {
		if id < rt.SamplesOf {
			add(id, estimate, c.hash(f.Hash)[id|rt.SamplesOf])
		}
	}
	slices.SortFunc(paths, func(a, b pathCount) int { return cmp.Compare(a.id, b.id) })
	return paths
}
