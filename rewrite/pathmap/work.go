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
		if len(to.Preds) != 1 || b.Succs[1-k] == to {
			continue
		}
		for n, e := range out {
			if !t.worksFor(to, block, t.F.edges[e].to) {
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

// worksFor reports whether something is computed in a machine block for a block that control comes to from one block only.
func (t *Target) worksFor(m *machine.Block, from, block int) bool {
	if block == t.exit || block == from || len(t.F.Graph.Blocks[block].In()) != 1 {
		return false
	}
	return slices.ContainsFunc(m.Insts, func(i *machine.Inst) bool {
		return i.Computes() && t.label(i) == evidence{block, false}
	})
}
