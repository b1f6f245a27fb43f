package pathmap

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// inferByWork finds the sides of a branch of a block with two edges by what is computed right behind one of them. The compiler
// moves what computes to blocks behind its own, and to no others. So where something has the position of a block, control has
// come through that block. This is for branches of which nothing else is known: they ask what an inlined call returns (sort's
// Search).
func (t *Target) inferByWork(b *machine.Block, block int) (found bool) {
	out := t.F.out[block]
	first := -1 // the edge that side 0 is
	for k, to := range b.Succs {
		if b.Succs[1-k] == to {
			continue
		}
		for n, e := range out {
			next := t.F.edges[e].to
			if !t.worksFor(to, block, next) || !t.leadOnly(to, b, next) || t.reaches(t.F.edges[out[1-n]].to, next) {
				continue
			}
			of := out[n^k]
			if first >= 0 && first != of {
				return false
			}
			first = of
		}
	}
	if first < 0 {
		return false
	}
	t.sides[side{b.Index, 0}], t.sides[side{b.Index, 1}] = first, out[0]+out[1]-first
	return true
}

// leadOnly reports whether control comes to a machine block, but from b, by sides of jumps only that are known to lead to a block.
func (t *Target) leadOnly(m, b *machine.Block, block int) bool {
	for _, p := range m.Preds {
		if p == b {
			continue
		}
		for k, x := range p.Succs {
			e, ok := t.sides[side{p.Index, k}]
			if x == m && (!ok || t.F.edges[e].to != block) {
				return false
			}
		}
	}
	return true
}

// reaches reports whether control may come from one block to another without evidence, or both are the same.
func (t *Target) reaches(from, to int) bool {
	return from == to || from != t.exit && !t.must[from] && len(t.search(from, to, t.must)) > 0
}

// worksFor reports whether something is computed in a machine block for a block of the source.
func (t *Target) worksFor(m *machine.Block, from, block int) bool {
	if block == t.exit || block == from {
		return false
	}
	return slices.ContainsFunc(m.Insts, func(i *machine.Inst) bool {
		return i.Computes() && t.label(i) == evidence{block, false}
	})
}
