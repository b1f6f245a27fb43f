package pathmap

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// Control is led past a jump whose outcome follows from the jump before. It goes on behind the side that it would have taken. So
// where it goes on tells which side that is.

// likely returns the ways that go on where control does, behind a side of a jump. Of a block that a way passes without evidence
// the one jump may tell which edge it takes.
func (t *Target) likely(from side, ways [][]int) (kept [][]int) {
	if from == noSide || len(ways) < 2 {
		return ways
	}
	taken := make(map[int]int) // by block
	for _, w := range ways {
		agrees := true
		for _, e := range w[min(1, len(w)):] {
			block := t.F.edges[e].from
			edge, ok := taken[block]
			if !ok {
				edge = t.goesOnBehind(from, block)
				taken[block] = edge
			}
			agrees = agrees && (edge < 0 || edge == e)
		}
		if agrees {
			kept = append(kept, w)
		}
	}
	return kept
}

// goesOnBehind returns the edge of a block that control takes which is led past the block's only jump, behind a side of
// another. It is -1 if that is not known: both sides lead to where control goes on, or none does.
func (t *Target) goesOnBehind(from side, block int) (edge int) {
	jump := t.onlyJump(block)
	if jump == nil || jump.Index == from.block {
		return -1
	}
	edge = -1
	for _, b := range t.plainly(t.M.Blocks[from.block].Succs[from.edge]) {
		for k := range 2 {
			for _, x := range t.plainly(jump.Succs[k]) {
				if x != b {
					continue
				}
				e, ok := t.sides[side{jump.Index, k}]
				if !ok || edge >= 0 {
					return -1
				}
				edge = e
			}
		}
		if edge >= 0 {
			return edge
		}
	}
	return -1
}

// onlyJump returns the machine block that ends in the jump of a block of the source, nil if there are several, or none.
func (t *Target) onlyJump(block int) (jump *machine.Block) {
	for _, b := range t.M.Blocks {
		if !t.branches(b) || t.labels[b.Index][len(b.Insts)-1].block != block {
			continue
		}
		if jump != nil || len(b.Succs) != 2 {
			return nil
		}
		jump = b
	}
	return jump
}

// plainly returns the blocks that control comes to from one, with it, up to the first that branches or is evidence.
func (t *Target) plainly(b *machine.Block) (list []*machine.Block) {
	for {
		list = append(list, b)
		if len(b.Next()) != 1 || t.leaves(b, -1) || len(list) > len(t.M.Blocks) {
			return list
		}
		b = b.Next()[0]
	}
}

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

// leadOnly reports whether control comes to a machine block, but from b, by sides of jumps only that are known to lead to a
// block.
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
