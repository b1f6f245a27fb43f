package pathmap

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A Look is at a register or a condition, where the source branches and the machine code does not.
type Look struct {
	At        *machine.Inst // before it is executed
	Register  int           // by its number in instructions; -1 for none
	Condition int           // by its number in instructions; -1 for none
	Block     int           // the one whose branch it tells

	edge func(uint64) int // the edge that the block takes
}

// Edge returns the edge that the block takes, given the register, or 0 or 1.
func (l *Look) Edge(value uint64) int { return l.edge(value) }

// doubtful returns the blocks that doubts are about.
func (t *Target) doubtful() map[int]bool {
	about := make(map[int]bool)
	for _, d := range t.Doubts {
		t.blocksOf(d.Ways, about)
	}
	return about
}

// blocksOf adds the blocks that ways leave.
func (t *Target) blocksOf(ways [][]int, to map[int]bool) {
	for _, w := range ways {
		for _, e := range w {
			to[t.F.edges[e].from] = true
		}
	}
}

// findUnseenLooks finds the instructions whose looks tell apart the ways that leave no evidence.
func (t *Target) findUnseenLooks() {
	t.UnseenLooks = make(map[*machine.Inst][]*Look)
	if len(t.Unseen) < 2 {
		return
	}
	about := make(map[int]bool)
	t.blocksOf(t.Unseen, about)
	for _, l := range t.findLooks(about) {
		t.UnseenLooks[l.At] = append(t.UnseenLooks[l.At], l)
	}
	for at, looks := range t.UnseenLooks {
		sees := make(map[int]bool)
		for _, l := range looks {
			sees[l.Block] = true
		}
		if len(t.alike(t.Unseen, sees)) > 0 {
			delete(t.UnseenLooks, at)
		}
	}
}

// findLooks finds looks that tell how control leaves some blocks.
func (t *Target) findLooks(about map[int]bool) (list []*Look) {
	for _, b := range t.M.Blocks {
		for k, i := range b.Insts {
			if i.IsMove() && i.Test != nil {
				list = append(list, t.lookAtMove(i, about)...)
			}
			if i.Kind == machine.Branch && i.Test != nil {
				list = append(list, t.lookAtJump(i, t.labels[b.Index][k], about)...)
				list = append(list, t.lookAtRange(b, k, about)...)
			}
			if i.Kind == machine.Branch && i.Test != nil && t.labels[b.Index][k].block >= 0 && !t.labels[b.Index][k].inner {
				list = append(list, t.lookAtCase(b, k, t.labels[b.Index][k].block, about)...)
			}
		}
	}
	return list
}

// lookAtMove looks at the condition of a conditional move, which is that of the block that the compare or the move has the
// position of.
func (t *Target) lookAtMove(i *machine.Inst, about map[int]bool) (list []*Look) {
	for _, by := range []*machine.Inst{i.Test, i} {
		l := t.label(by)
		if l.inner || l.block < 0 || l.block == t.exit || !about[l.block] {
			continue
		}
		cc, ok := i.Condition()
		if !ok {
			return list
		}
		if is, ok := means(cc, i.Test, t.testOf(l.block)); ok {
			list = append(list, &Look{At: i, Register: -1, Condition: cc, Block: l.block,
				edge: func(v uint64) int { return t.edgeIf(l.block, (v != 0) == is) }})
			return list
		}
	}
	return list
}

// lookAtJump looks at the condition of a jump that is not the target's, or is of another block. The compare has the position
// of a block of the target. So the result of a call that was inlined is the condition of a statement (if isSpace(c)).
// Whoever asks, what the compare compares is what that block's condition does.
func (t *Target) lookAtJump(i *machine.Inst, of evidence, about map[int]bool) (list []*Look) {
	l := t.label(i.Test)
	if l.inner || l.block < 0 || l.block == t.exit || l.block == of.block && !of.inner || !about[l.block] {
		return nil
	}
	cc, ok := i.Condition()
	if !ok {
		return nil
	}
	if is, ok := means(cc, i.Test, t.testOf(l.block)); ok {
		list = append(list, &Look{At: i, Register: -1, Condition: cc, Block: l.block,
			edge: func(v uint64) int { return t.edgeIf(l.block, (v != 0) == is) }})
	}
	return list
}

// lookAtRange looks at the number that a range test compares, which has the lower bound subtracted: it tells both
// conditions. They are joined, or a jump that is not the target's compares what one of them does, as lookAtJump has it.
func (t *Target) lookAtRange(b *machine.Block, k int, about map[int]bool) (list []*Look) {
	i, of := b.Insts[k], t.labels[b.Index][k]
	cc, _ := i.Condition()
	r, isReg := i.Test.Args[0].(x86asm.Reg)
	imm, isConst := i.Test.Args[1].(x86asm.Imm)
	if i.Test.Op != x86asm.CMP || !isReg || !isConst || machine.Register(r) == 0 || !relations[cc].unsigned {
		return nil
	}
	at := slices.Index(b.Insts, i.Test)
	base, ok := subtracted(b, at, r)
	if !ok {
		return nil
	}
	by := t.label(i.Test)
	for _, p := range t.ranges() {
		joined := t.fused[p.second] == p.first && t.isFused(p.first) && of.block == p.first && !of.inner
		apart := !t.jumps[p.first] && !by.inner && (by.block == p.first || by.block == p.second)
		if !joined && !apart || !about[p.first] && !about[p.second] || narrow(base-p.low, i.Test) != 0 {
			continue
		}
		if last := int64(imm) + p.low; relations[cc].op == token.LEQ || relations[cc].op == token.GTR {
			ok = last == p.high
		} else {
			ok = last == p.high+1
		}
		if !ok {
			continue
		}
		for _, block := range []int{p.first, p.second} {
			list = append(list, &Look{At: i.Test, Register: machine.Register(r) - 1, Condition: -1, Block: block,
				edge: func(reg uint64) int {
					test := t.testOf(block)
					v, _ := int64Of(test.With)
					return t.edgeIf(block, compare(extended(int64(reg)+p.low, i.Test, isUnsigned(test)), test.Op, v))
				}})
		}
	}
	return list
}

// extended returns the number that as many bits are as a compare compares.
func extended(v int64, test *machine.Inst, unsigned bool) int64 {
	bits := width(test)
	if bits == 64 {
		return v
	}
	if v &= 1<<bits - 1; !unsigned && v >= 1<<(bits-1) {
		v -= 1 << bits
	}
	return v
}

// A span is a range between two constants, which two conditions are about.
type span struct {
	first, second int // blocks
	low, high     int64
}

// ranges returns the ranges that conditions may be about, of which the second is evaluated if the first is so.
func (t *Target) ranges() (list []span) {
	for c := range t.F.blocks {
		first := t.testOf(c)
		if first == nil {
			continue
		}
		for _, e := range t.F.out[c] {
			d := t.F.edges[e].to
			if d == t.exit || t.testOf(d) == nil {
				continue
			}
			if low, high, ok := bounds(first, t.testOf(d), t.F.Graph.Edges[e].True); ok && low <= high {
				list = append(list, span{c, d, low, high})
			}
		}
	}
	return list
}

// bounds returns the least and the greatest number in the range that two conditions are about. The second condition
// is evaluated if the first is so.
func bounds(first, second *ssacfg.Test, is bool) (low, high int64, ok bool) {
	some := 0
	for _, t := range []*ssacfg.Test{first, second} {
		op := t.Op
		if !is { // the range is where both are false
			op = contrary[op]
		}
		v, isInt := int64Of(t.With)
		if !isInt {
			return 0, 0, false
		}
		switch op {
		case token.GEQ:
			low, some = v, some|1
		case token.GTR:
			low, some = v+1, some|1
		case token.LEQ:
			high, some = v, some|2
		case token.LSS:
			high, some = v-1, some|2
		}
	}
	return low, high, some == 3
}

// contrary is the operator that is true where another is false.
var contrary = map[token.Token]token.Token{token.LSS: token.GEQ, token.GEQ: token.LSS, token.LEQ: token.GTR, token.GTR: token.LEQ}

func compare(x int64, op token.Token, y int64) bool {
	switch op {
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	case token.GEQ:
		return x >= y
	case token.EQL:
		return x == y
	}
	return x != y
}

// untold returns the pairs of ways of a doubt that looks do not tell apart.
func (t *Target) untold(d *Doubt) (pairs [][2]int) {
	sees := make(map[int]bool)
	for _, l := range t.Looks {
		sees[l.Block] = true
	}
	return t.alike(d.Ways, sees)
}

// alike returns the pairs of ways that looks at some blocks do not tell apart.
func (t *Target) alike(ways [][]int, sees map[int]bool) (pairs [][2]int) {
	for k, v := range ways {
		for l, w := range ways[:k] {
			if !t.differ(v, w, sees) {
				pairs = append(pairs, [2]int{k, l})
			}
		}
	}
	return pairs
}

// differ reports whether two ways leave a block that is looked at by different edges.
func (t *Target) differ(v, w []int, sees map[int]bool) bool {
	for _, e := range v {
		for _, o := range w {
			if e != o && t.F.edges[e].from == t.F.edges[o].from && sees[t.F.edges[e].from] {
				return true
			}
		}
	}
	return false
}

func isUnsigned(t *ssacfg.Test) bool {
	b, ok := t.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// lookAtCase looks at the value that a switch is about, where a jump of it compares that, or what is left when something was
// subtracted.
func (t *Target) lookAtCase(b *machine.Block, k, block int, about map[int]bool) (list []*Look) {
	test := b.Insts[k].Test
	r, isReg := test.Args[0].(x86asm.Reg)
	if !about[block] || test.Op != x86asm.CMP || !isReg || machine.Register(r) == 0 || !isImm(test.Args[1]) {
		return nil
	}
	other, ok := t.otherwise(block)
	if !ok {
		return nil
	}
	at := k
	for at > 0 && b.Insts[at] != test {
		at--
	}
	base, ok := subtracted(b, at, r)
	if !ok {
		return nil
	}
	edge := func(reg uint64) int {
		v := int64(reg) + base
		if e, ok := t.caseFor(block, func(c int64) bool { return narrow(c-v, test) == 0 }); ok {
			return e
		}
		return other
	}
	list = append(list, &Look{At: test, Register: machine.Register(r) - 1, Condition: -1, Block: block, edge: edge})
	return list
}

// otherwise returns the edge that a block takes if no value of a clause is that of the switch, whose values are all known.
func (t *Target) otherwise(block int) (edge int, ok bool) {
	if len(t.F.out[block]) < 3 {
		return 0, false
	}
	edge = -1
	for _, e := range t.F.out[block] {
		g := t.F.Graph.Edges[e]
		switch {
		case g.Test == nil || g.Test.Op != token.EQL:
			return 0, false
		case !g.True && len(g.Also) == 0 && edge < 0:
			edge = e
		case len(t.values(e)) == 1+len(g.Also):
		default:
			return 0, false
		}
	}
	return edge, edge >= 0
}
