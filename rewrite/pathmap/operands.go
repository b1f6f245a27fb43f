package pathmap

import (
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// operatorOf returns the && or || that a jump of the target itself has the position of.
func (t *Target) operatorOf(i *machine.Inst) *operator {
	depth := 0
	if t.At != nil {
		depth = -1
		for k, s := range i.Chain {
			if s == t.At {
				depth = k + 1
			}
		}
	}
	if depth != len(i.Chain) {
		return nil
	}
	return t.source.operators[t.source.piece(i.File)]
}

// findOperands finds of which operand of && or || jumps are that have its position. A variable, and what the compiler makes a
// variable of, has no position of its own. Then the jump behind the operand on the right has the position of the operator, as
// has the one behind the operand on the left. If there are two of them, and only one side of the first leads to the second,
// that is the one on the right.
func (t *Target) findOperands() {
	t.operands = make(map[*machine.Inst]int)
	jumps := make(map[*operator][]*machine.Block)
	for _, b := range t.M.Blocks {
		last := b.Last()
		if last.Kind != machine.Branch || last.Check || last.IsPart() {
			continue
		}
		if o := t.operatorOf(last); o != nil {
			jumps[o] = append(jumps[o], b)
		}
	}
	for o, list := range jumps {
		if !o.calls && !(o.nested && slices.ContainsFunc(list, comparesItself)) {
			continue // the compare has the position of its operand
		}
		left, right := t.source.of(o.left), t.source.of(o.right)
		if len(list) != 2 || left.f != t.F || right.f != t.F {
			continue
		}
		for k, first := range list {
			second := list[1-k]
			if !reaches(t.M.Blocks[0], second, first) &&
				reaches(first.Next()[0], second, first) != reaches(first.Next()[1], second, first) {
				t.operands[first.Last()], t.operands[second.Last()] = left.block, right.block
			}
		}
	}
}

// findMisplaced finds jumps that have the position of their compare, where that cannot be theirs. They have lost their own to a
// branch that became a conditional move. And the compiler evaluates equal conditions once, so that the compare is where the first
// of them was. Such a jump is of the one block that control can come to and that asks for the same parameter. If there is no such
// block, or several, the jump is of none. findMisplaced reports whether it has found jumps.
func (t *Target) findMisplaced() bool {
	t.misplaced = make(map[*machine.Inst]int)
	at := make(map[uint64]*machine.Inst)
	for _, b := range t.M.Blocks {
		if last := b.Last(); last.Moved && t.branches(b) {
			at[last.PC] = last
		}
	}
	for k := range t.Kills {
		i := at[k.PC]
		if i == nil || t.blockOf(i, t.source.piece(i.File), true) != k.To {
			continue
		}
		block := -1
		for b := range t.F.blocks {
			if b == k.To || !sameParameter(t.testOf(b), t.testOf(k.To)) || len(t.ways(k.From, b, false)) == 0 {
				continue
			}
			if block >= 0 {
				block = -1
				break
			}
			block = b
		}
		if had, ok := t.misplaced[i]; ok && had != block {
			block = -1 // where control comes from decides
		}
		t.misplaced[i] = block
	}
	return len(t.misplaced) > 0
}

// sameParameter reports whether two conditions are the same, and about a parameter to which nothing is assigned.
func sameParameter(a, b *ssacfg.Test) bool {
	if a == nil || b == nil || a.Parameter == 0 || a.Parameter != b.Parameter || a.Op != b.Op || a.Nil != b.Nil {
		return false
	}
	if a.With == nil || b.With == nil {
		return a.With == b.With && (a.Nil || a.Op == token.ILLEGAL)
	}
	return constant.Compare(a.With, token.EQL, b.With)
}

// comparesItself reports whether the jump at the end of a block has no compare in front.
func comparesItself(b *machine.Block) bool { return b.Last().Test == b.Last() }

// reaches reports whether control that enters block a can come to b without entering but.
func reaches(a, b, but *machine.Block) bool {
	seen := map[*machine.Block]bool{a: true}
	work := []*machine.Block{a}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b {
			return true
		}
		if x == but {
			continue
		}
		for _, s := range x.Next() {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

// The compiler makes a bool of a && b && f(), which is set where a or b is false, and returned by f. The bool is tested where
// these ways meet, by a jump that has the position of f(). So the jump is of f's block only if control comes from there.

// findCalling finds the blocks that call whenever they are executed, with nothing that is inlined in place of the call.
func (t *Target) findCalling() {
	t.calls = make([]bool, t.F.blocks)
	inlined := make([]bool, t.F.blocks)
	var indirect []int
	for _, b := range t.M.Blocks {
		for k, i := range b.Insts {
			switch l := t.labels[b.Index][k]; {
			case l.block < 0:
			case l.inner:
				inlined[l.block] = true
			case i.Kind == machine.Strict && i.IsCall() && l.block != t.exit && i.Callee == "":
				indirect = append(indirect, l.block)
			case i.Kind == machine.Strict && i.IsCall() && l.block != t.exit:
				t.calls[l.block] = t.calls[l.block] || !isConditional(i.Callee)
			}
		}
	}
	for _, b := range indirect { // a profile may have it inlined for one callee
		t.calls[b] = t.calls[b] || !inlined[b]
	}
}

// isConditional reports whether a call may be one that the compiler makes if a comparison of words or an instruction of the
// processor does not do.
func isConditional(callee string) bool {
	return slices.ContainsFunc([]string{"runtime.", "internal/", "type:.", "math.", "math/bits.", "sync/atomic."},
		func(p string) bool { return strings.HasPrefix(callee, p) })
}

// isOfOthers reports whether a jump of a block that calls tests a bool which was made elsewhere: control has not come from the
// call. Jumps behind conditional moves are left to findMisplaced.
func (t *Target) isOfOthers(s state, i *machine.Inst, l evidence) bool {
	if l.inner || i.Check || i.Moved || !t.calls[l.block] || s.at == l.block && !s.again {
		return false
	}
	return i.Test == nil || i.Test.Compare == nil || i.Test.Compare.Flag
}
