package pathmap

import "github.com/goprofinstr/goprofinstr/rewrite/machine"

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

// goesOnBehind returns the edge of a block that control takes which is led past the block's only jump, behind a side of another. It
// is -1 if that is not known: both sides lead to where control goes on, or none does.
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
