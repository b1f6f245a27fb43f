package pathmap

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// means reports whether the condition of a jump or move i is the condition t of the source or its contrary. It is neither if
// that does not follow. The compiler exchanges operands, negates, and changes constants together with whether equality is meant.
// But it does not ask for more or less than the source.
func means(i *machine.Inst, t *ssacfg.Test) (is, known bool) {
	r, ok := i.Relation()
	test := i.Test
	if !ok || test == nil || test.Compare == nil || t == nil {
		return false, false
	}
	c := test.Compare
	if c.Made && t.Op != token.ILLEGAL {
		return false, false // it was asked for before
	}
	if c.Masked && t.Op != token.EQL && t.Op != token.NEQ && !(c.Flag && t.Op == token.ILLEGAL) {
		return false, false // of some bits only
	}
	switch t.Op {
	case token.EQL, token.NEQ:
		return meansEqual(r, c, t)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return meansOrder(r, c, t)
	}
	if of := t.Of; of != nil && !c.Self && !c.Flag && (of.With != nil || of.Nil || !c.IsConst) {
		return means(i, of) // the comparison is made, or made again, where its outcome is asked for
	}
	asksZero := r.Op == token.EQL || r.Op == token.NEQ
	if by := test.Call; t.Found && by != nil && by.Finds() && len(by.Chain) == len(test.Chain) {
		return r.Op == token.NEQ, asksZero
	}
	if by := test.Call; t.Call && by != nil && len(by.Chain) == len(test.Chain) && !strings.HasPrefix(by.Callee, "runtime.") {
		return r.Op == token.NEQ, asksZero
	}
	// A value by itself. A byte in memory is known not to be the outcome of a comparison made before, whose flags may be asked
	// for. If it is the result of a call that is inlined, that may compare whatever it likes (v.IsNil()).
	if c.Memory && !t.Call && c.Bits == 8 && c.IsConst && c.Const == 0 && asksZero {
		return r.Op == token.NEQ, true
	}
	return false, false
}

// meansEqual is means where the source asks whether values are equal: c is the comparison, and r what is asked of its outcome.
func meansEqual(r machine.Relation, c *machine.Compare, t *ssacfg.Test) (is, known bool) {
	isNil := t.Nil && types.IsInterface(t.Type) && c.IsConst && c.Const == 0
	if r.Op != token.EQL && r.Op != token.NEQ || !plainlyEqual(t.Type) && !isNil {
		return false, false
	}
	v, isInt := int64Of(t.With)
	if isInt && v != 0 && c.Masked && c.Mask == v && v&(v-1) == 0 {
		return r.Op != t.Op, true // the only bit is there, or it is not
	}
	switch {
	case t.With == nil && c.IsConst && (c.Const != 0 || isInteger(t.Type)):
		return false, false // a division asks whether the divisor is -1
	case t.With != nil && (!isInt || !c.IsConst || narrow(v, width(c, t)) != narrow(c.Const, width(c, t))):
		return false, false
	}
	return r.Op == t.Op, true
}

// meansOrder is means where the source asks which value is more.
func meansOrder(r machine.Relation, c *machine.Compare, t *ssacfg.Test) (is, known bool) {
	if c.Float { // the compiler changes no constant, and NaN is of the side that is not so
		return strict(r.Op) == strict(t.Op), true
	}
	if t.With == nil && (!c.IsConst || c.Const < -1 || c.Const > 1) { // a variable may be constant where the call is inlined
		if r.Op == token.EQL || r.Op == token.NEQ {
			return false, false
		}
		return strict(r.Op) == strict(t.Op), true
	}
	v, ok := int64Of(t.With)
	if !c.IsConst || !ok {
		return false, false
	}
	return sameTest(r, c.Const, t.Op, v)
}

// comparesConst reports whether a general register is compared with a constant, not tested.
func comparesConst(c *machine.Compare) bool {
	return c != nil && c.Register >= 0 && c.IsConst && !c.Self && !c.Masked
}

func strict(op token.Token) bool { return op == token.LSS || op == token.GTR }

// plainlyEqual reports whether values of a type are equal if one compare of the machine says so.
func plainlyEqual(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsInteger != 0 || u.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature, *types.Slice:
		return true
	}
	return false
}

func int64Of(v constant.Value) (int64, bool) {
	if v == nil {
		return 0, false
	}
	if v = constant.ToInt(v); v.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(v)
}

// sameTest compares "x r k" with "x op c" where they can differ: around both constants. That the machine asks for equality,
// or takes numbers for unsigned, it does only where it knows that they are not negative.
func sameTest(r machine.Relation, k int64, op token.Token, c int64) (is, known bool) {
	same, contrary := true, true
	n := 0
	for _, x := range []int64{k - 1, k, k + 1, c - 1, c, c + 1} {
		if x < 0 && (r.Unsigned || r.Op == token.EQL || r.Op == token.NEQ) {
			continue
		}
		n++
		a := constant.Compare(constant.MakeInt64(x), r.Op, constant.MakeInt64(k))
		b := constant.Compare(constant.MakeInt64(x), op, constant.MakeInt64(c))
		same, contrary = same && a == b, contrary && a != b
	}
	return same, n > 1 && same != contrary
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// width returns how many bits of a value the source compares, as far as the machine does. What is shorter than a register of
// arm64 is extended before, also if something has been subtracted.
func width(c *machine.Compare, t *ssacfg.Test) int {
	if b, ok := t.Type.Underlying().(*types.Basic); ok && isInteger(b) {
		return min(c.Bits, 8*int(sizes.Sizeof(b)))
	}
	return c.Bits
}

// sizes are those of types, which are the same for both architectures.
var sizes = types.SizesFor("gc", "amd64")

// narrow returns the lower bits of a number.
func narrow(v int64, bits int) int64 {
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// settle finds which edges of the source the sides of branches are, from what they ask.
func (t *Target) settle() {
	t.tables = make([]int, len(t.M.Blocks))
	for _, b := range t.M.Blocks {
		t.tables[b.Index] = -1
		last := b.Last()
		l := t.labels[b.Index][len(b.Insts)-1]
		switch {
		case b.Table != 0:
			t.settleTable(b)
		case !t.branches(b) || l.block == t.exit || t.joined(l.block):
		case t.settleTypes(b, l.block), t.settleParts(b, l.block):
		case t.goesOn(b):
			if t.isSwitch(l.block) {
				t.settleCase(b, l.block)
			}
		case t.testOf(l.block) != nil:
			if again := b.AsksAgain(); again != nil {
				last = again
			}
			if is, ok := means(last, t.testOf(l.block)); ok {
				t.sides[side{b.Index, 0}], t.sides[side{b.Index, 1}] = t.edgeIf(l.block, is), t.edgeIf(l.block, !is)
			}
		case len(t.F.out[l.block]) > 1:
			t.settleCase(b, l.block)
			t.settleRest(b, l.block)
		}
	}
}

// isSwitch reports whether a block compares one value with constants, each of which decides on an edge.
func (t *Target) isSwitch(block int) bool {
	for _, e := range t.F.out[block] {
		for _, test := range append([]*ssacfg.Test{t.F.Graph.Edges[e].Test}, t.F.Graph.Edges[e].Also...) {
			if test = t.known(test); test == nil || test.Op != token.EQL || !isInteger(test.Type) {
				return false
			}
			if _, isInt := int64Of(test.With); !isInt {
				return false
			}
		}
	}
	return true
}

// settleRest finds the edge for the other side of the last jump of a switch with two edges. If that were the same edge there
// would be no jump.
func (t *Target) settleRest(b *machine.Block, block int) {
	out := t.F.out[block]
	if len(out) != 2 || !t.isSwitch(block) {
		return
	}
	for k := range 2 {
		e, known := t.sides[side{b.Index, k}]
		if _, other := t.sides[side{b.Index, 1 - k}]; known && !other {
			t.sides[side{b.Index, 1 - k}] = out[0] + out[1] - e
			return
		}
	}
}

// settleRange finds the edge for a range of values that a jump of a switch asks for, with the lowest subtracted.
func (t *Target) settleRange(b *machine.Block, block int, r machine.Relation) {
	last := b.Last()
	c := last.Test.Compare
	if !comparesConst(c) || !r.Unsigned || c.Const < 0 || c.Const > mostCases {
		return
	}
	base, ok := subtracted(b, slices.Index(b.Insts, last.Test), c.Register)
	if !ok || !t.isSwitch(block) {
		return
	}
	bits := width(c, t.F.Graph.Edges[t.F.out[block][0]].Test)
	k, high := 0, c.Const
	switch r.Op {
	case token.GTR:
		k = 1
	case token.LSS:
		high--
	case token.GEQ:
		k, high = 1, high-1
	}
	edge := -1
	for v := base; v <= base+high; v++ {
		e, ok := t.caseFor(block, func(x int64) bool { return narrow(x-v, bits) == 0 })
		if !ok || edge >= 0 && e != edge {
			return
		}
		edge = e
	}
	if edge >= 0 {
		t.sides[side{b.Index, k}] = edge
	}
}

// mostCases is how many values a range of a switch may have.
const mostCases = 1 << 10

// branches reports whether a machine block ends in a jump of the target itself, whose block is known.
func (t *Target) branches(b *machine.Block) bool {
	last := b.Last()
	l := t.labels[b.Index][len(b.Insts)-1]
	return last.Kind == machine.Branch && !last.Check && !l.inner && l.block >= 0
}

// goesOn reports whether control may come from a jump to another one of the same block, before there is evidence of others.
// Then the jump is about a part of what the block evaluates, as whether a type assertion holds.
func (t *Target) goesOn(b *machine.Block) bool {
	block := t.labels[b.Index][len(b.Insts)-1].block
	seen := map[*machine.Block]bool{b: true}
	var visit func(from *machine.Block) bool
	visit = func(from *machine.Block) bool {
		for k, x := range from.Next() {
			if from.Back[k] || seen[x] {
				continue
			}
			if seen[x] = true; t.leaves(x, block) {
				continue
			}
			if t.branches(x) && t.labels[x.Index][len(x.Insts)-1].block == block || visit(x) {
				return true
			}
		}
		return false
	}
	return visit(b)
}

// leaves reports whether there is evidence in a machine block of another block of the source.
func (t *Target) leaves(x *machine.Block, block int) bool {
	for k, i := range x.Insts {
		if l := t.labels[x.Index][k]; l.block >= 0 && l.block != block && (i.Kind == machine.Strict || i.Kind == machine.Branch) {
			return true
		}
	}
	return false
}

// joined reports whether a block is a condition that has no jump of its own, or is joined with one.
func (t *Target) joined(block int) bool {
	_, ok := t.fused[block]
	return ok || t.isFused(block)
}

// testOf returns what a block with two edges branches on, or nil. Parameters are the constants that they are where the call is
// inlined.
func (t *Target) testOf(block int) *ssacfg.Test { return t.tests[block] }

// findTests finds what blocks branch on.
func (t *Target) findTests() {
	t.tests = make([]*ssacfg.Test, t.F.blocks)
	for b := range t.tests {
		t.tests[b] = t.known(t.F.testOf(b))
	}
}

// known returns a condition with the constants that parameters are where the call is inlined.
func (t *Target) known(test *ssacfg.Test) *ssacfg.Test {
	if test == nil || test.With != nil || test.Nil || t.At == nil {
		return test
	}
	for k, p := range test.Operands {
		if p == 0 {
			continue
		}
		if v := t.source.argument(t.F, t.At, p-1); v != nil {
			with := *test
			if with.With = v; k == 0 {
				with.Op = ssacfg.Mirrored(test.Op)
			}
			with.Parameter = test.Operands[1-k]
			return &with
		}
	}
	return test
}

// testOf returns what a block with two edges branches on in the source, or nil.
func (f *Func) testOf(block int) *ssacfg.Test {
	out := f.out[block]
	if len(out) != 2 {
		return nil
	}
	a, b := f.Graph.Edges[out[0]], f.Graph.Edges[out[1]]
	if a.Test == nil || a.Test != b.Test || a.True == b.True {
		return nil
	}
	return a.Test
}

// edgeIf returns the edge that a block with two takes if its condition is so.
func (t *Target) edgeIf(block int, is bool) int {
	out := t.F.out[block]
	if t.F.Graph.Edges[out[0]].True == is {
		return out[0]
	}
	return out[1]
}

// caseOf returns the edge of a block for a value of a clause.
func (t *Target) caseOf(block int, v int64) (edge int, ok bool) {
	return t.caseFor(block, func(c int64) bool { return c == v })
}

// caseFor returns the edge of a block for the value that is so.
func (t *Target) caseFor(block int, is func(int64) bool) (edge int, ok bool) {
	for _, e := range t.F.out[block] {
		for _, c := range t.values(e) {
			if is(c) {
				return e, true
			}
		}
	}
	return 0, false
}

// values returns the values of clauses for which an edge is taken.
func (t *Target) values(e int) (list []int64) {
	g := t.F.Graph.Edges[e]
	tests := g.Also
	if g.True {
		tests = append([]*ssacfg.Test{g.Test}, tests...)
	}
	for _, test := range tests {
		if test = t.known(test); test == nil || test.Op != token.EQL {
			continue
		}
		if c, isInt := int64Of(test.With); isInt {
			list = append(list, c)
		}
	}
	return list
}

// settleCase finds the edge for the value that a jump of a switch compares with.
func (t *Target) settleCase(b *machine.Block, block int) {
	last := b.Last()
	r, ok := last.Relation()
	if last.Test == nil || !ok {
		return
	}
	if r.Op != token.EQL && r.Op != token.NEQ {
		t.settleRange(b, block, r)
		return
	}
	c := last.Test.Compare
	if c == nil || !c.IsConst || c.Masked {
		return
	}
	k := 0
	if r.Op == token.NEQ {
		k = 1
	}
	if e, ok := t.caseOf(block, c.Const); ok {
		t.sides[side{b.Index, k}] = e
	} else if e, ok := t.caseOf(block, narrow(c.Const, c.Bits)); ok {
		t.sides[side{b.Index, k}] = e
	}
}

// settleTable finds the edges for the entries of a jump table.
func (t *Target) settleTable(b *machine.Block) {
	block := t.tableOf(b)
	t.tables[b.Index] = block
	if block < 0 || t.settleHashes(b, block) {
		return
	}
	base, ok := lowest(b)
	if !ok {
		return
	}
	for k := range b.Succs {
		if e, ok := t.caseOf(block, base+int64(k)); ok {
			t.sides[side{b.Index, k}] = e
		}
	}
}

// tableOf returns the block whose branch a jump through a table is, -1 if that is not known.
func (t *Target) tableOf(b *machine.Block) int {
	l := t.label(b.Last())
	if l.inner || l.block < 0 || l.block == t.exit {
		return -1
	}
	if _, _, isType := t.typeCase(l.block); isType || len(t.F.out[l.block]) > 2 {
		return l.block
	}
	return -1
}

// lowest returns the value that the first entry of a jump table is for: what is subtracted to get the index.
func lowest(b *machine.Block) (v int64, ok bool) {
	return subtracted(b, len(b.Insts)-1, b.Selects)
}

// subtracted returns what was subtracted from a value that a switch is about before instruction k of b, to get what a
// register has there.
func subtracted(b *machine.Block, k, register int) (v int64, ok bool) {
	all := b.Insts[:k]
	for len(all) < 24 && len(b.Preds) == 1 {
		b = b.Preds[0]
		all = append(append([]*machine.Inst(nil), b.Insts...), all...)
	}
	for k := len(all) - 1; k >= 0; k-- {
		if all[k].IsCall() {
			return 0, true
		}
		switch s := all[k].Set(register); s.How {
		case machine.Kept:
		case machine.Added:
			return -s.Value, true
		case machine.Loaded, machine.Constant:
			return 0, true
		case machine.Copied:
			register = s.From
		default:
			return addedTo(all[:k], all[k], register)
		}
	}
	return 0, true
}

// addedTo returns what was subtracted if i adds a register to another, of which one has a constant there.
func addedTo(before []*machine.Inst, i *machine.Inst, register int) (v int64, ok bool) {
	to, from, both := i.Registers()
	if !both || to != register || !i.Adds(from) {
		return 0, false
	}
	for _, r := range []int{to, from} {
		for _, by := range slices.Backward(before) {
			s := by.Set(r)
			if s.How == machine.Constant {
				return -s.Value, true
			}
			if s.How != machine.Kept || by.IsCall() {
				break
			}
		}
	}
	return 0, false
}
