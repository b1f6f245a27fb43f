package profile

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// counters finds the functions whose paths have counters, of a profile that leaves out some functions of the run.
type counters struct {
	arrays map[string][]*Function // of packages by import path, by First
	hashes map[hashKey]*Function
}

// A hashKey names the hash table of a function.
type hashKey struct {
	pkg  string
	hash int
}

func newCounters(functions []*Function) *counters {
	c := &counters{make(map[string][]*Function), make(map[hashKey]*Function)}
	for _, f := range functions {
		switch {
		case f.Declined():
		case f.inHash():
			c.hashes[hashKey{f.Package, f.Table.Hash}] = f
		default:
			c.arrays[f.Package] = append(c.arrays[f.Package], f)
		}
	}
	for _, list := range c.arrays {
		slices.SortFunc(list, func(a, b *Function) int { return cmp.Compare(a.Table.First, b.Table.First) })
	}
	return c
}

// find returns the function that a counter is of, nil if the profile has none, and the number of the path. That of a
// hash table may be any.
func (c *counters) find(at rundata.PathAt) (*Function, uint64) {
	if at.Package == nil {
		return nil, 0
	}
	if at.Hash >= 0 {
		return c.hashes[hashKey{at.Package.Path, at.Hash}], at.Number
	}
	list := c.arrays[at.Package.Path]
	i, found := slices.BinarySearchFunc(list, at.Number, func(f *Function, n uint64) int {
		return cmp.Compare(f.Table.First, n)
	})
	if !found {
		i--
	}
	if i < 0 || at.Number-list[i].Table.First >= list[i].Table.Values.NumPaths {
		return nil, 0
	}
	return list[i], at.Number - list[i].Table.First
}
