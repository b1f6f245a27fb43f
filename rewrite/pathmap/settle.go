package pathmap

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// relation is what a conditional jump or move asks of two numbers.
type relation struct {
	op       token.Token
	unsigned bool
}

// relations are those of conditions by their number in instructions, for what a compare leaves.
var relations = map[int]relation{
	0x2: {token.LSS, true}, 0x3: {token.GEQ, true}, 0x6: {token.LEQ, true}, 0x7: {token.GTR, true},
	0x4: {token.EQL, false}, 0x5: {token.NEQ, false},
	0xc: {token.LSS, false}, 0xd: {token.GEQ, false}, 0xe: {token.LEQ, false}, 0xf: {token.GTR, false},
}

// means reports whether a condition of the machine is the condition t of the source or its contrary. The machine's condition
// is asked of the flags that test sets. It is neither if that does not follow. The compiler exchanges operands, negates, and
// changes constants together with whether equality is meant. But it does not ask for more or less than the source.
func means(cc int, test *machine.Inst, t *ssacfg.Test) (is, known bool) {
	r, ok := relations[cc]
	if !ok || test == nil || t == nil {
		return false, false
	}
	with, isConst, ok := operand(test)
	if !ok {
		return false, false
	}
	if test.Op == x86asm.TEST && test.Args[0] != test.Args[1] && t.Op != token.EQL && t.Op != token.NEQ {
		return false, false // of some bits only
	}
	switch t.Op {
	case token.EQL, token.NEQ:
		isNil := t.Nil && types.IsInterface(t.Type) && isConst && with == 0
		if r.op != token.EQL && r.op != token.NEQ || !plainlyEqual(t.Type) && !isNil {
			return false, false
		}
		v, isInt := int64Of(t.With)
		switch {
		case t.With == nil && isConst && (with != 0 || isInteger(t.Type)):
			return false, false // a division asks whether the divisor is -1
		case t.With != nil && (!isInt || !isConst || narrow(v, test) != narrow(with, test)):
			return false, false
		}
		return r.op == t.Op, true
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if t.With == nil && (!isConst || with < -1 || with > 1) { // a variable may be constant where the call is inlined
			if r.op == token.EQL || r.op == token.NEQ {
				return false, false
			}
			return strict(r.op) == strict(t.Op), true
		}
		v, ok := int64Of(t.With)
		if !isConst || !ok || isFloat(test) {
			return false, false
		}
		return sameTest(r, with, t.Op, v)
	}
	if c := test.Call; t.Call && c != nil && len(c.Chain) == len(test.Chain) && !strings.HasPrefix(c.Callee, "runtime.") {
		return r.op == token.NEQ, r.op == token.EQL || r.op == token.NEQ
	}
	// A value by itself. A byte in memory is known not to be the outcome of a comparison made before, whose flags may be asked
	// for. If it is the result of a call that is inlined, that may compare whatever it likes (v.IsNil()).
	_, isMem := test.Args[0].(x86asm.Mem)
	if isMem && !t.Call && width(test) == 8 && isConst && with == 0 && (r.op == token.EQL || r.op == token.NEQ) {
		return r.op == token.NEQ, true
	}
	return false, false
}

// operand returns the constant that a compare has on the right.
func operand(test *machine.Inst) (v int64, isConst, ok bool) {
	switch test.Op {
	case x86asm.CMP:
		imm, isImm := test.Args[1].(x86asm.Imm)
		return int64(imm), isImm, true
	case x86asm.TEST:
		return 0, true, test.Args[0] == test.Args[1] || isImm(test.Args[1])
	case x86asm.UCOMISD, x86asm.UCOMISS:
		return 0, false, true
	}
	return 0, false, false
}

func isImm(a x86asm.Arg) bool { _, ok := a.(x86asm.Imm); return ok }

func isFloat(test *machine.Inst) bool { return test.Op == x86asm.UCOMISD || test.Op == x86asm.UCOMISS }

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
func sameTest(r relation, k int64, op token.Token, c int64) (is, known bool) {
	same, contrary := true, true
	n := 0
	for _, x := range []int64{k - 1, k, k + 1, c - 1, c, c + 1} {
		if x < 0 && (r.unsigned || r.op == token.EQL || r.op == token.NEQ) {
			continue
		}
		n++
		a := constant.Compare(constant.MakeInt64(x), r.op, constant.MakeInt64(k))
		b := constant.Compare(constant.MakeInt64(x), op, constant.MakeInt64(c))
		same, contrary = same && a == b, contrary && a != b
	}
	return same, n > 1 && same != contrary
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// narrow returns as much of a number as a compare compares.
func narrow(v int64, test *machine.Inst) int64 {
	if bits := width(test); bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// width returns how many bits a compare compares.
func width(test *machine.Inst) int {
	switch r := test.Args[0].(type) {
	case x86asm.Reg:
		switch {
		case r <= x86asm.R15B:
			return 8
		case r <= x86asm.R15W:
			return 16
		case r <= x86asm.R15L:
			return 32
		}
		return 64
	case x86asm.Mem:
		return 8 * test.MemBytes
	}
	return 64
}

// settle finds which edges of the source the sides of branches are, from what they ask.
func (t *Target) settle() {
	t.tables = make([]int, len(t.M.Blocks))
	for _, b := range t.M.Blocks {
		t.tables[b.Index] = -1
		last := b.Last()
		l := t.labels[b.Index][len(b.Insts)-1]
		switch {
		case b.Cond && last.Op == x86asm.JMP:
			t.settleTable(b)
		case !t.branches(b) || l.block == t.exit || t.joined(l.block):
		case t.goesOn(b):
			if t.isSwitch(l.block) {
				t.settleCase(b, l.block)
			}
		case t.testOf(l.block) != nil:
			cc, _ := last.Condition()
			if is, ok := means(cc, last.Test, t.testOf(l.block)); ok {
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
			if test == nil || test.Op != token.EQL || !isInteger(test.Type) {
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
func (t *Target) settleRange(b *machine.Block, block int, r relation) {
	last := b.Last()
	reg, isReg := last.Test.Args[0].(x86asm.Reg)
	imm, isConst := last.Test.Args[1].(x86asm.Imm)
	if last.Test.Op != x86asm.CMP || !isReg || !isConst || !r.unsigned || imm < 0 || imm > mostCases {
		return
	}
	base, ok := subtracted(b, slices.Index(b.Insts, last.Test), reg)
	if !ok || !t.isSwitch(block) {
		return
	}
	k, high := 0, int64(imm)
	switch r.op {
	case token.GTR:
		k = 1
	case token.LSS:
		high--
	case token.GEQ:
		k, high = 1, high-1
	}
	edge := -1
	for v := base; v <= base+high; v++ {
		e, ok := t.caseFor(block, func(c int64) bool { return narrow(c-v, last.Test) == 0 })
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

// testOf returns what a block with two edges branches on, or nil.
func (t *Target) testOf(block int) *ssacfg.Test {
	out := t.F.out[block]
	if len(out) != 2 {
		return nil
	}
	a, b := t.F.Graph.Edges[out[0]], t.F.Graph.Edges[out[1]]
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
		if test == nil || test.Op != token.EQL {
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
	cc, _ := last.Condition()
	r, ok := relations[cc]
	if last.Test == nil || !ok {
		return
	}
	if r.op != token.EQL && r.op != token.NEQ {
		t.settleRange(b, block, r)
		return
	}
	v, isConst, ok := operand(last.Test)
	if !ok || !isConst || last.Test.Op == x86asm.TEST && last.Test.Args[0] != last.Test.Args[1] {
		return
	}
	k := 0
	if r.op == token.NEQ {
		k = 1
	}
	if e, ok := t.caseOf(block, v); ok {
		t.sides[side{b.Index, k}] = e
	} else if e, ok := t.caseOf(block, narrow(v, last.Test)); ok {
		t.sides[side{b.Index, k}] = e
	}
}

// settleTable finds the edges for the entries of a jump table.
func (t *Target) settleTable(b *machine.Block) {
	block := t.tableOf(b)
	t.tables[b.Index] = block
	if block < 0 {
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
	if l.inner || l.block < 0 || l.block == t.exit || len(t.F.out[l.block]) < 3 {
		return -1
	}
	return l.block
}

// lowest returns the value that the first entry of a jump table is for: what is subtracted to get the index.
func lowest(b *machine.Block) (v int64, ok bool) {
	m, ok := b.Last().Args[0].(x86asm.Mem)
	if !ok {
		return 0, false
	}
	return subtracted(b, len(b.Insts)-1, m.Index)
}

// subtracted returns what was subtracted from a value that a switch is about before instruction k of b, to get what a
// register has there.
func subtracted(b *machine.Block, k int, reg x86asm.Reg) (v int64, ok bool) {
	index := machine.Register(reg)
	all := b.Insts[:k]
	for len(all) < 24 && len(b.Preds) == 1 {
		b = b.Preds[0]
		all = append(append([]*machine.Inst(nil), b.Insts...), all...)
	}
	for k := len(all) - 1; k >= 0; k-- {
		i := all[k]
		r, isReg := i.Args[0].(x86asm.Reg)
		if i.Op == x86asm.CALL {
			return 0, true
		}
		if !isReg || machine.Register(r) != index || i.Op == x86asm.CMP || i.Op == x86asm.TEST {
			continue
		}
		switch i.Op {
		case x86asm.LEA:
			from, _ := i.Args[1].(x86asm.Mem)
			return -int64(int32(from.Disp)), from.Index == 0 && from.Base != x86asm.RIP && from.Base != x86asm.RSP
		case x86asm.SUB:
			imm, isImm := i.Args[1].(x86asm.Imm)
			return int64(imm), isImm
		case x86asm.ADD:
			imm, isImm := i.Args[1].(x86asm.Imm)
			return -int64(imm), isImm
		case x86asm.DEC:
			return 1, true
		case x86asm.INC:
			return -1, true
		case x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.MOV:
			from, isReg := i.Args[1].(x86asm.Reg)
			if !isReg {
				return 0, true // loaded: nothing is subtracted
			}
			index = machine.Register(from)
		default:
			return 0, false
		}
	}
	return 0, true
}
