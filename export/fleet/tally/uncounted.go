package tally

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// setUncounted notes which functions of a run nothing can count.
func (t *Tally) setUncounted(run *rundata.Run) {
	for _, u := range run.Uncounted {
		p, at := t.find(u.Package.Path), u.Number
		if p == nil || u.Hash >= len(p.Hashes) || u.Hash < 0 && at >= uint64(p.Size) {
			continue // the package cannot be read, or is damaged
		}
		if u.Hash >= 0 {
			at = uint64(p.Size) + uint64(u.Hash)
		}
		p.Uncounted = append(p.Uncounted, rundata.Entry{At: at, N: uint64(u.Reason) + 1})
	}
	for i := range t.Packages {
		p := &t.Packages[i]
		rundata.SortEntries(p.Uncounted)
		p.Uncounted = slices.CompactFunc(p.Uncounted, func(a, b rundata.Entry) bool { return a.At == b.At })
	}
}

// common returns the functions in both of two lists.
func common(a, b []rundata.Entry) (both []rundata.Entry) {
	for _, e := range b {
		if _, ok := slices.BinarySearchFunc(a, e, func(x, y rundata.Entry) int { return cmp.Compare(x.At, y.At) }); ok {
			both = append(both, e)
		}
	}
	return both
}

// uncounted returns the functions of a package that nothing can count, as a run has them that has the package, too.
func uncounted(s *rundata.Sparse, p *rundata.Package) (list []rundata.Uncounted) {
	for _, e := range s.Uncounted {
		at := rundata.PathAt{Package: p, Hash: -1, Number: e.At}
		if e.At >= uint64(s.Size) {
			at.Hash, at.Number = int(e.At-uint64(s.Size)), 0
		}
		list = append(list, rundata.Uncounted{PathAt: at, Reason: int(e.N) - 1})
	}
	return list
}
