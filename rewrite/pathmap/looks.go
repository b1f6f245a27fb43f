package pathmap

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A Look is at a register or a condition, where the source branches and the machine code does not.
type Look struct {
	At        *machine.Inst // before it is executed
	Register  int           // by its number in instructions; -1 for none
	Condition int           // by its number in instructions; -1 for none
	Block     int           // the one whose branch it tells

	Cases     []Case
	Otherwise int // the edge that the block takes in no case

	Rounds bool   // in place of edges it tells how often a loop goes round at once, and all rounds but the first are
	Path   uint64 // this path
}

// A Case says that a block takes an edge if (value+Add)&Mask is not less than Low and not greater than High.
type Case struct {
	Add, Mask, Low, High uint64
	Edge                 int
}

// Edge returns the edge that the block takes, given the register, or 0 or 1.
func (l *Look) Edge(value uint64) int {
	for _, c := range l.Cases {
		if v := (value + c.Add) & c.Mask; c.Low <= v && v <= c.High {
			return c.Edge
		}
	}
	return l.Otherwise
}

// lookAtCondition returns the look at a condition, which is the block's or its contrary.
func (t *Target) lookAtCondition(i *machine.Inst, cc, block int, is bool) *Look {
	return &Look{At: i, Register: -1, Condition: cc, Block: block,
		Cases: []Case{{Mask: 1<<8 - 1, Edge: t.edgeIf(block, !is)}}, Otherwise: t.edgeIf(block, is)}
}

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
	made := t.madeBy(about)
	list = t.lookAtIncrements(about)
	for _, b := range t.M.Blocks {
		if b.Calls() {
			list = append(list, t.lookAtResult(b, made, about)...)
		}
		for k, i := range b.Insts {
			list = append(list, t.lookAtNumber(b, k, about)...)
			if i.IsMove() && i.Test != nil {
				list = append(list, t.lookAtMove(i, about)...)
				list = append(list, t.lookAtRange(b, k, about)...)
			}
			if i.IsSet() && i.Test != nil {
				list = append(list, t.lookAtSet(i, about)...)
			}
			if i.Kind == machine.Branch && i.Test != nil {
				list = append(list, t.lookAtJump(i, t.labels[b.Index][k], about)...)
				list = append(list, t.lookAtRange(b, k, about)...)
				list = append(list, t.lookAtEither(b, k, about)...)
				if l := t.lookAtInlined(b, k, made); l != nil {
					list = append(list, l)
				}
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
		if is, ok := means(i, t.testOf(l.block)); ok {
			return append(list, t.lookAtCondition(i, cc, l.block, is))
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
	if is, ok := means(i, t.testOf(l.block)); ok {
		list = append(list, t.lookAtCondition(i, cc, l.block, is))
	}
	return list
}

// lookAtRange looks at the number that a range test compares, which has the lower bound subtracted: it tells both
// conditions. They are joined, or a jump that is not the target's compares what one of them does, as lookAtJump has it.
func (t *Target) lookAtRange(b *machine.Block, k int, about map[int]bool) (list []*Look) {
	i, of := b.Insts[k], t.labels[b.Index][k]
	relation, _ := i.Relation()
	c := i.Test.Compare
	if !comparesConst(c) || !relation.Unsigned {
		return nil
	}
	at := slices.Index(b.Insts, i.Test)
	base, ok := subtracted(b, at, c.Register)
	if !ok {
		return nil
	}
	by := t.label(i.Test)
	for _, p := range t.ranges() {
		joined := t.fused[p.second] == p.first && t.isFused(p.first) && of.block == p.first && !of.inner
		apart := !t.jumps[p.first] && !by.inner && (by.block == p.first || by.block == p.second)
		bits := width(c, t.testOf(p.first))
		if !joined && !apart || !about[p.first] && !about[p.second] || narrow(base-p.low, bits) != 0 {
			continue
		}
		if last := c.Const + p.low; relation.Op == token.LEQ || relation.Op == token.GTR {
			ok = last == p.high
		} else {
			ok = last == p.high+1
		}
		if !ok {
			continue
		}
		for _, block := range []int{p.first, p.second} {
			test := t.testOf(block)
			v, _ := int64Of(test.With)
			look := &Look{At: i.Test, Register: c.Register, Condition: -1, Block: block}
			c, is, some := interval(test.Op, v, bits, isUnsigned(test))
			c.Add += uint64(p.low)
			c.Edge, look.Otherwise = t.edgeIf(block, is), t.edgeIf(block, !is)
			if some {
				look.Cases = []Case{c}
			}
			list = append(list, look)
		}
	}
	return list
}

// interval returns the numbers for which a comparison with y is so, or not so: is. Compared are as many bits as given. Some
// reports whether there are such numbers. Numbers of 64 bits are taken as signed.
func interval(op token.Token, y int64, bits int, unsigned bool) (c Case, is, some bool) {
	least, greatest := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	if unsigned && bits < 64 {
		least, greatest = 0, 1<<bits-1
	}
	from, to := y, y
	switch op {
	case token.LSS, token.GEQ: // the numbers less than y
		if is = op == token.LSS; y <= least {
			return c, is, false
		}
		from, to = least, min(y-1, greatest)
	case token.LEQ, token.GTR: // those that are not greater
		is = op == token.LEQ
		from, to = least, min(y, greatest)
	default:
		is = op == token.EQL
	}
	if from < least || from > to || to > greatest {
		return c, is, false
	}
	return Case{Add: -uint64(least), Mask: 1<<bits - 1, Low: uint64(from - least), High: uint64(to - least)}, is, true
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

// Untold returns the pairs of ways of a doubt that looks do not tell apart.
func (t *Target) Untold(d *Doubt) (pairs [][2]int) {
	sees := make(map[int]bool)
	for _, l := range t.Looks {
		sees[l.Block] = sees[l.Block] || !l.Rounds
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
	if !about[block] || !comparesConst(test.Compare) {
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
	base, ok := subtracted(b, at, test.Compare.Register)
	if !ok {
		return nil
	}
	look := &Look{At: test, Register: test.Compare.Register, Condition: -1, Block: block, Otherwise: other}
	for _, e := range t.F.out[block] {
		mask := uint64(narrow(-1, width(test.Compare, t.F.Graph.Edges[e].Test)))
		for _, c := range t.values(e) {
			look.Cases = append(look.Cases, Case{Add: uint64(base - c), Mask: mask, Edge: e})
		}
	}
	return append(list, look)
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
