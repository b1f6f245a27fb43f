package table

import "iter"

// MessageHashes returns the hash tables, by index, in which runs have messages that stand for events in strata. Others have
// counts, such as those of what abandoned activations had executed.
func (p *Package) MessageHashes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range p.Functions {
			f := &p.Functions[i]
			if f.Counts == Strata && f.Storage == StorageHash && !yield(f.Hash) {
				return
			}
			for _, s := range f.Selectors {
				if p.Events == Strata && s.Hash >= 0 && !yield(s.Hash) {
					return
				}
			}
		}
	}
}
