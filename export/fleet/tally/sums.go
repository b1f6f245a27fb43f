package tally

import (
	"crypto/sha256"
	"slices"
)

// WithSums returns a tally that has the SHA-256 of each path table in place of the table: it is kept beside others of its build.
// Sum returns it, and may know it.
func (t *Tally) WithSums(sum func(table []byte) [sha256.Size]byte) *Tally {
	out := *t
	out.Packages = slices.Clone(t.Packages)
	for i := range out.Packages {
		s := sum(out.Packages[i].Table)
		out.Packages[i].Table = s[:]
	}
	return &out
}

// WithTables is the inverse, given a tally that has the tables. Packages whose table it has not are left out.
func (t *Tally) WithTables(of *Tally) *Tally {
	out := &Tally{Names: t.Names, Lost: t.Lost, Sampled: t.Sampled, Sampling: t.Sampling}
	for _, p := range t.Packages {
		known := of.find(p.Path)
		if known == nil {
			continue
		}
		if sum := sha256.Sum256(known.Table); string(sum[:]) == string(p.Table) {
			p.Table = known.Table
			out.Packages = append(out.Packages, p)
		}
	}
	return out
}
