package machine

import "strings"

// divide ends blocks behind calls that may panic. A call is the last that control is known to reach. What is behind it
// may never be executed, and is in another block.
func (f *Function) divide() {
	var blocks []*Block
	for _, b := range f.Blocks {
		blocks = append(blocks, b)
		for k := 0; k < len(b.Insts)-1; k++ {
			if !b.Insts[k].mayPanic() {
				continue
			}
			rest := &Block{Insts: b.Insts[k+1:], Succs: b.Succs, Ret: b.Ret, Dead: b.Dead, Cond: b.Cond, Table: b.Table,
				Selects: b.Selects, Preds: []*Block{b}}
			for _, s := range rest.Succs {
				for n, p := range s.Preds {
					if p == b {
						s.Preds[n] = rest
					}
				}
			}
			b.Insts, b.Succs, b.Ret, b.Dead, b.Cond, b.Table = b.Insts[:k+1:k+1], []*Block{rest}, false, false, false, 0
			blocks = append(blocks, rest)
			b, k = rest, -1
		}
	}
	for k, b := range blocks {
		b.Index = k
	}
	f.Blocks = blocks
}

// mayPanic reports whether i is a call that control may not come back from. Calls that the compiler has made come back.
func (i *Inst) mayPanic() bool {
	return i.IsCall() && i.Kind == Strict && !strings.HasPrefix(i.Callee, "runtime.duff")
}

// Passes reports whether control that takes an edge of b comes back from the call at its end, or passes the check.
func (b *Block) Passes(edge int) bool { return b.Calls() || b.Cond && !b.Succs[edge].fails() }

// Checks reports whether b ends in a check, which control either passes or ends in a panic.
func (b *Block) Checks() bool {
	return b.Cond && len(b.Succs) == 2 && b.Succs[0].fails() != b.Succs[1].fails()
}

// fails reports whether control that comes to b does not come back, be it for a jump that leads there.
func (b *Block) fails() bool {
	return b.Dead || len(b.Insts) == 1 && len(b.Succs) == 1 && b.Last().IsJump() && b.Succs[0].Dead
}

// Calls reports whether b ends in a call that control mostly comes back from.
func (b *Block) Calls() bool { return len(b.Succs) == 1 && b.Last().mayPanic() }
