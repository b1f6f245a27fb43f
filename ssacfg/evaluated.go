package ssacfg

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// evaluates notes what instr, which comes next in b, says of the source: the expression whose value it has, or where it stands
// itself. The positions of markers and of variables mean nothing.
func (b *Block) evaluates(instr ssa.Instruction, isMarker bool) {
	if d, ok := instr.(*ssa.DebugRef); ok {
		b.Exprs = append(b.Exprs, d.Expr)
		return
	}
	if _, ok := instr.(*ssa.Alloc); !ok && !isMarker && instr.Pos().IsValid() {
		b.Points = append(b.Points, instr.Pos())
	}
}

// A Test is the condition of a branch.
type Test struct {
	Op    token.Token    // of a comparison: ==, !=, <, <=, > or >=; ILLEGAL if the condition is a value by itself
	With  constant.Value // what is compared with, which is on the right, if it is constant
	Type  types.Type     // of what is compared
	Nil   bool           // what is compared with is nil
	Call  bool           // the condition is the result of a call
	Found bool           // the condition is whether a map has an element
	Has   types.Type     // the condition is whether an interface has a value of this type
	Made  token.Pos      // the call whose result the condition is, by itself or as a variable to which nothing else is ever assigned

	Of *Test // the comparison that the condition is the outcome of, if it is a variable to which nothing else is ever assigned

	Constant constant.Value // what is compared, or is the condition by itself, if that is a variable which has one value there

	Parameter int // 1 and the index of the parameter that is compared, or is the condition by itself; 0 for anything else

	Operands [2]int // the same for what is on the left and on the right, if neither is constant
}

// parameterOf returns 1 and the index of the parameter that a value is, if nothing else is ever assigned to it; 0 otherwise.
func parameterOf(v ssa.Value) int {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return 0
	}
	param, ok := onlyValue(load).(*ssa.Parameter)
	if !ok {
		return 0
	}
	return 1 + slices.Index(param.Parent().Params, param)
}

// onlyValue returns what is ever assigned to the variable that is loaded, nil if there are several assignments, or if more than
// loads and assignments use it.
func onlyValue(load *ssa.UnOp) (v ssa.Value) {
	local, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	list, ok := storesTo(local)
	if !ok || len(list) != 1 {
		return nil
	}
	return list[0].Val
}

// storesTo returns the assignments to a local variable. It is not ok if more than loads and assignments use the variable.
func storesTo(local *ssa.Alloc) (list []*ssa.Store, ok bool) {
	if local.Referrers() == nil {
		return nil, false
	}
	for _, r := range *local.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != local {
				return nil, false
			}
			list = append(list, r)
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil, false
		}
	}
	return list, true
}

func isSame(a, b constant.Value) bool {
	return a.Kind() == b.Kind() && constant.Compare(a, token.EQL, b)
}

// knownConstant returns the constant that a local variable has where it is loaded: each assignment that may be the last one
// gives it this. It is nil if there is none, or if more than loads and assignments use the variable.
func knownConstant(v ssa.Value) (value constant.Value) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	local, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	if _, ok := storesTo(local); !ok {
		return nil
	}
	seen := make(map[*ssa.BasicBlock]bool)
	var back func(b *ssa.BasicBlock, before []ssa.Instruction) bool
	back = func(b *ssa.BasicBlock, before []ssa.Instruction) bool {
		for _, i := range slices.Backward(before) {
			if i == ssa.Instruction(local) {
				return false
			}
			store, ok := i.(*ssa.Store)
			if !ok || store.Addr != local {
				continue
			}
			c, ok := store.Val.(*ssa.Const)
			if !ok || c.Value == nil || value != nil && !isSame(value, c.Value) {
				return false
			}
			value = c.Value
			return true
		}
		for _, p := range b.Preds {
			if !seen[p] {
				if seen[p] = true; !back(p, p.Instrs) {
					return false
				}
			}
		}
		return len(b.Preds) > 0
	}
	b := load.Block()
	if !back(b, b.Instrs[:slices.Index(b.Instrs, ssa.Instruction(load))]) {
		return nil
	}
	return value
}

// madeBy returns the position of the call that a value is the result of, or a variable to which nothing else is ever assigned.
func madeBy(v ssa.Value) token.Pos {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = onlyValue(load)
	}
	if call, ok := v.(*ssa.Call); ok {
		return call.Pos()
	}
	return token.NoPos
}

// isFound reports whether a value is that of ok in v, ok := m[k], to which nothing else is ever assigned.
func isFound(v ssa.Value) bool {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = onlyValue(load)
	}
	x, ok := v.(*ssa.Extract)
	if !ok || x.Index != 1 {
		return false
	}
	lookup, ok := x.Tuple.(*ssa.Lookup)
	return ok && lookup.CommaOk
}

// asserted returns the type that a value is whether an interface has, nil if it is not.
func asserted(v ssa.Value) types.Type {
	x, ok := v.(*ssa.Extract)
	if !ok || x.Index != 1 {
		return nil
	}
	if a, ok := x.Tuple.(*ssa.TypeAssert); ok {
		return a.AssertedType
	}
	return nil
}

// An Argument is what a call gives: a constant, or a parameter of the caller as parameterOf has it, or neither.
type Argument struct {
	Value     constant.Value
	Parameter int
}

func arguments(list []ssa.Value) []Argument {
	args := make([]Argument, len(list))
	for k, v := range list {
		if c, ok := v.(*ssa.Const); ok {
			args[k].Value = c.Value
		} else {
			args[k].Parameter = parameterOf(v)
		}
	}
	return args
}

// mirrored is the operator that says the same with operands exchanged.
var mirrored = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ}

func newTest(cond ssa.Value) *Test {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		_, call := cond.(*ssa.Call)
		return &Test{Type: cond.Type(), Call: call, Found: isFound(cond), Has: asserted(cond), Made: madeBy(cond),
			Of: comparisonOf(cond), Constant: knownConstant(cond), Parameter: parameterOf(cond)}
	}
	t := &Test{Op: b.Op, Type: b.X.Type()}
	if c, ok := b.Y.(*ssa.Const); ok {
		t.With, t.Nil, t.Constant, t.Parameter = c.Value, c.Value == nil, knownConstant(b.X), parameterOf(b.X)
	} else if c, ok := b.X.(*ssa.Const); ok {
		t.With, t.Nil, t.Type = c.Value, c.Value == nil, b.Y.Type()
		t.Constant, t.Parameter = knownConstant(b.Y), parameterOf(b.Y)
		t.Op = Mirrored(b.Op)
	} else {
		t.Operands = [2]int{parameterOf(b.X), parameterOf(b.Y)}
	}
	return t
}

// comparisonOf returns the comparison whose outcome is all that is ever assigned to the variable that is loaded, nil if there is
// none.
func comparisonOf(v ssa.Value) *Test {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	b, ok := onlyValue(load).(*ssa.BinOp)
	if !ok {
		return nil
	}
	return newTest(b)
}

// Mirrored returns the operator that says the same with operands exchanged.
func Mirrored(op token.Token) token.Token {
	if m, ok := mirrored[op]; ok {
		return m
	}
	return op
}

// alsoTests notes the conditions of an edge that is merged into e.
func (e *Edge) alsoTests(o *Edge) {
	if o.Test != nil && o.True {
		e.Also = append(e.Also, o.Test)
	}
	e.Also = append(e.Also, o.Also...)
}
