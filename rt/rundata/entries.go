package rundata

import (
	"cmp"
	"slices"
)

// A Sparse is what one package has counted, without what is 0.
type Sparse struct {
	Path     string // import path
	Table    []byte // path table, as it was given to rt.Register
	Size     int    // number of counters
	Counters []Entry
	Hashes   [][]Entry // by hash table; nil if nothing was counted in it

	// Uncounted are functions that nothing can count. At is the number of path 0 of each, or Size plus the number of its hash
	// table. N is 1 more than the reason.
	Uncounted []Entry
}

// An Entry is a count that is not 0, of the counter or path At. Lists of them are sorted by At.
type Entry struct{ At, N uint64 }

// Dense returns the package as Read returns it.
func (s *Sparse) Dense() *Package {
	p := &Package{Path: s.Path, Table: s.Table, Counters: make([]uint64, s.Size)}
	p.Hashes = make([]map[uint64]uint64, len(s.Hashes))
	for _, e := range s.Counters {
		p.Counters[e.At] = e.N
	}
	for i := range s.Hashes {
		p.Hashes[i] = s.Hash(i)
	}
	return p
}

// Sparse returns what p has counted.
func (p *Package) Sparse() Sparse {
	s := Sparse{Path: p.Path, Table: p.Table, Size: len(p.Counters), Hashes: make([][]Entry, len(p.Hashes))}
	for i, n := range p.Counters {
		if n != 0 {
			s.Counters = append(s.Counters, Entry{uint64(i), n})
		}
	}
	for i, m := range p.Hashes {
		s.Hashes[i] = Entries(m)
	}
	return s
}

// Entries returns what a hash table has counted, nil if it is nothing.
func Entries(hash map[uint64]uint64) (list []Entry) {
	for key, n := range hash {
		if n != 0 {
			list = append(list, Entry{key, n})
		}
	}
	SortEntries(list)
	return list
}

// Hash returns the counts in a hash table, nil if there is none.
func (s *Sparse) Hash(i int) map[uint64]uint64 {
	if i < 0 || i >= len(s.Hashes) || s.Hashes[i] == nil {
		return nil
	}
	m := make(map[uint64]uint64, len(s.Hashes[i]))
	for _, e := range s.Hashes[i] {
		m[e.At] = e.N
	}
	return m
}

// Search returns where in a list the first count is that is of a counter from at on.
func Search(list []Entry, at uint64) int {
	i, _ := slices.BinarySearchFunc(list, at, func(e Entry, at uint64) int { return cmp.Compare(e.At, at) })
	return i
}

// Find returns a count in a list, 0 if it is not there.
func Find(list []Entry, at uint64) uint64 {
	if i := Search(list, at); i < len(list) && list[i].At == at {
		return list[i].N
	}
	return 0
}

// SortEntries sorts counts by what they are of.
func SortEntries(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
}
