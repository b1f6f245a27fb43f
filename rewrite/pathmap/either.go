package pathmap

import (
	"go/token"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// lookAtEither looks at a number that is compared with one of two constants, which differ by a bit: the machine sets the bit and
// compares once (c == '\t' || c == '\r'). The number in front of that tells both conditions, which are joined.
func (t *Target) lookAtEither(b *machine.Block, k int, about map[int]bool) (list []*Look) {
	i, of := b.Insts[k], t.labels[b.Index][k]
	c := i.Test.Compare
	if of.inner || of.block < 0 || !comparesConst(c) {
		return nil
	}
	at := slices.Index(b.Insts, i.Test) - 1
	for at >= 0 && b.Insts[at].Set(c.Register).How == machine.Kept && !b.Insts[at].IsCall() {
		at--
	}
	if at < 0 {
		return nil
	}
	bit, ok := b.Insts[at].SetsBits(c.Register)
	if !ok || bit&(bit-1) != 0 {
		return nil
	}
	for _, second := range slices.Sorted(maps.Keys(t.fused)) { // in order, so that a program always gets the same looks
		first := t.fused[second]
		p, q := t.testOf(first), t.testOf(second)
		if first != of.block || p == nil || q == nil || !about[first] && !about[second] || !isEquality(p.Op) || !isEquality(q.Op) ||
			!isInteger(p.Type) || !isInteger(q.Type) {
			continue
		}
		v, isInt := int64Of(p.With)
		w, both := int64Of(q.With)
		bits := width(c, p)
		if !isInt || !both || narrow(v^w, bits) != narrow(bit, bits) || narrow(v|bit, bits) != narrow(c.Const, bits) {
			continue
		}
		for k, block := range []int{first, second} {
			value, equal := []int64{v, w}[k], t.testOf(block).Op == token.EQL
			list = append(list, &Look{At: b.Insts[at], Register: c.Register, Condition: -1, Block: block,
				Cases:     []Case{{Add: uint64(-value), Mask: uint64(narrow(-1, bits)), Edge: t.edgeIf(block, equal)}},
				Otherwise: t.edgeIf(block, !equal)})
		}
	}
	return list
}

func isEquality(op token.Token) bool { return op == token.EQL || op == token.NEQ }
