package pathmap

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// Calls return bools that the machine code needs as numbers only. Looks behind the calls tell what they are.

// madeBy returns the calls of the source whose results blocks ask for, by block: those that are the only one of their function
// in a piece, or the only one there whose function the source does not tell.
func (t *Target) madeBy(about map[int]bool) (made map[int]Call) {
	made = make(map[int]Call)
	var calls []Call
	for b := range about {
		test := t.testOf(b)
		if test == nil || !test.Made.IsValid() {
			continue
		}
		if calls == nil {
			calls = t.source.Calls(t.F)
		}
		for _, c := range calls {
			same := func(o Call) bool { return o.Piece == c.Piece && o.Callee == c.Callee && o.Pos != c.Pos }
			if c.Pos == test.Made && c.Piece >= 0 && !slices.ContainsFunc(calls, same) {
				made[b] = c
			}
		}
	}
	return made
}

// lookAtResult looks at what the call at the end of a machine block returns, if it is the condition of a block of the source.
func (t *Target) lookAtResult(b *machine.Block, made map[int]Call, about map[int]bool) (list []*Look) {
	call := b.Last()
	if !t.isOwn(call) {
		return nil
	}
	for block := range t.F.blocks {
		c, ok := made[block]
		if !ok || t.source.piece(call.File) != c.Piece {
			continue
		}
		if call.Callee == "" && c.Callee == "" || isNamed(call.Callee, c.Callee) {
			list = append(list, t.lookBehind(b, block, true))
		}
	}
	return append(list, t.lookAtEqual(b, about)...)
}

// lookAtInlined looks at the number that an inlined call compares with a range, if the call returns whether it is there and is
// the condition of a block. A jump asks for both at once, with the position of any function around the call.
func (t *Target) lookAtInlined(b *machine.Block, k int, made map[int]Call) *Look {
	i := b.Insts[k]
	chain := i.Test.Chain
	relation, _ := i.Relation()
	c := i.Test.Compare
	if len(chain) == 0 || !comparesConst(c) || !relation.Unsigned || len(chain) == 1 && t.At != nil ||
		len(chain) > 1 && chain[len(chain)-2] != t.At {
		return nil
	}
	call := chain[len(chain)-1]
	r := t.source.ref(call.CallFile)
	of, ok := made[r.block]
	if !ok || r.f != t.F || t.source.piece(call.CallFile) != of.Piece || !isNamed(call.Name, of.Callee) {
		return nil
	}
	low, high, within, ok := t.source.rangeOf(of.Callee)
	base, known := subtracted(b, slices.Index(b.Insts, i.Test), c.Register)
	if !ok || !known || narrow(base-low, c.Bits) != 0 {
		return nil
	}
	last := c.Const + low
	if relation.Op == token.LSS || relation.Op == token.GEQ {
		last--
	}
	if last != high {
		return nil
	}
	is := Case{Mask: uint64(narrow(-1, c.Bits)), High: uint64(high - low), Edge: t.edgeIf(r.block, within)}
	return &Look{
		At: i.Test, Register: c.Register, Condition: -1, Block: r.block, Cases: []Case{is}, Otherwise: t.edgeIf(r.block, !within),
	}
}

// rangeOf returns the range of numbers for which a function returns true, or false if not within. That is all it does.
func (s *Source) rangeOf(name string) (low, high int64, within, ok bool) {
	for _, f := range s.Funcs {
		if s.NameOf(f) != name {
			continue
		}
		x := f.onlyResult()
		if x == nil || x.Op != token.LAND && x.Op != token.LOR || !compares(x.X) || !compares(x.Y) {
			return 0, 0, false, false
		}
		within = x.Op == token.LAND
		for _, e := range f.out[0] {
			first, second := f.testOf(0), f.testOf(f.edges[e].to)
			if f.Graph.Edges[e].True == within && first != nil && second != nil {
				low, high, ok = bounds(first, second, within)
				return low, high, within, ok && low <= high
			}
		}
	}
	return 0, 0, false, false
}

// onlyResult returns the expression that a function returns, without markers, if it has two operands and is all there is.
func (f *Func) onlyResult() *ast.BinaryExpr {
	d, isDecl := f.Node.(*ast.FuncDecl)
	if !isDecl || d.Body == nil {
		return nil
	}
	for _, st := range d.Body.List {
		if r, ok := st.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			x, _ := mark.Without(r.Results[0]).(*ast.BinaryExpr)
			return x
		} else if !mark.IsStmt(st) {
			return nil
		}
	}
	return nil
}

// compares reports whether an expression compares two others.
func compares(e ast.Expr) bool {
	x, ok := mark.Without(e).(*ast.BinaryExpr)
	return ok && isComparison[x.Op.String()]
}

// lookBehind looks at the bool that the call at the end of a machine block returns. The block's condition is so if the result
// is as given.
func (t *Target) lookBehind(b *machine.Block, block int, is bool) *Look {
	return &Look{At: b.Succs[0].Insts[0], Register: 0, Condition: -1, Block: block,
		Cases: []Case{{Mask: 1<<8 - 1, Edge: t.edgeIf(block, !is)}}, Otherwise: t.edgeIf(block, is)}
}

// lookAtEqual looks at whether two interfaces are equal. A jump asks whether the types are. If they are not, control is led
// past the call that compares values. Otherwise the look behind the call comes later, and counts.
func (t *Target) lookAtEqual(b *machine.Block, about map[int]bool) (list []*Look) {
	call := b.Last()
	r := t.source.ref(call.File)
	if call.Callee != "runtime.efaceeq" && call.Callee != "runtime.ifaceeq" || r.f != t.F || !about[r.block] {
		return nil
	}
	test := t.testOf(r.block)
	if !isOfInterfaces(test) {
		return nil
	}
	for _, p := range b.Preds {
		last := p.Last()
		cc, ok := last.Condition()
		asks, known := last.Relation()
		if !ok || !known || len(p.Succs) != 2 || !t.isOwn(last) || t.source.ref(last.File) != r || last.Test == nil {
			return nil
		}
		if asks.Op != token.EQL && asks.Op != token.NEQ || (asks.Op == token.EQL) != (p.Succs[0] == b) {
			return nil
		}
		list = append(list, t.lookAtCondition(last, cc, r.block, asks.Op == test.Op))
	}
	return append(list, t.lookBehind(b, r.block, test.Op == token.EQL))
}

// isOfInterfaces reports whether a condition is that two interfaces are equal, or are not.
func isOfInterfaces(test *ssacfg.Test) bool {
	return test != nil && (test.Op == token.EQL || test.Op == token.NEQ) && !test.Nil && types.IsInterface(test.Type)
}

// isNamed reports whether a symbol is that of a function, whose package may be main.
func isNamed(symbol, name string) bool {
	symbol = PlainName(symbol)
	if of, ok := strings.CutPrefix(symbol, "main."); ok {
		return strings.HasSuffix(name, "."+of)
	}
	return symbol == name
}

// answers returns the block whose condition decides what an inlined call returns, if a jump of the caller is behind that
// condition (if asciiAlphaNum(c)). The jump has the position of the caller's condition, which is the result of the call. Its
// compare has the position of the call's condition. So control has come there: the jump is for this call alone.
func (t *Target) answers(i *machine.Inst) (block int, ok bool) {
	test := i.Test
	if i.Kind != machine.Branch || i.Check || test == nil || test == i || len(test.Chain) <= len(i.Chain) ||
		test.Chain[len(test.Chain)-1] != t.At || !slices.Equal(test.Chain[:len(i.Chain)], i.Chain) {
		return 0, false
	}
	r := t.source.ref(test.File)
	if r.f != t.F || len(t.F.out[r.block]) != 2 || !t.source.compares(t.source.piece(test.File)) {
		return 0, false
	}
	asks := t.source.asksFor(t.source.piece(i.File))
	of := t.source.ref(test.Chain[len(i.Chain)].CallFile)
	if of.f == nil || !slices.Contains(asks, of) || !of.f.asksCall(of.block) {
		return 0, false
	}
	if to, ok := t.fused[r.block]; ok {
		return to, true
	}
	return r.block, true
}

// asksFor returns the blocks that a jump with the position of a piece may be of.
func (s *Source) asksFor(piece int) []blockRef {
	if o := s.operators[piece]; o != nil {
		return []blockRef{s.of(o.left), s.of(o.right)}
	}
	return []blockRef{s.of(piece)}
}

// asksCall reports whether a block branches on the result of a call.
func (f *Func) asksCall(block int) bool {
	out := f.out[block]
	if len(out) != 2 {
		return false
	}
	test := f.Graph.Edges[out[0]].Test
	return test != nil && test.Call
}
