package ssacfg

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// conditions are those of one function. Equal ones are one.
type conditions struct {
	all   []*condition
	known map[string]*condition
	local map[*ssa.Alloc]bool // whether a variable is one that only loads and stores refer to
}

func newConditions() *conditions {
	return &conditions{known: make(map[string]*condition), local: make(map[*ssa.Alloc]bool)}
}

// isLocal reports whether nothing but loads and stores refers to v.
func (c *conditions) isLocal(v *ssa.Alloc) bool {
	is, ok := c.local[v]
	if ok {
		return is
	}
	is = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			is = is && r.Op == token.MUL
		case *ssa.Store:
			is = is && r.Addr == v && r.Val != v
		case *ssa.DebugRef:
		default:
			is = false
		}
	}
	c.local[v] = is
	return is
}

// tested returns what is known where the If at the end of a block has found its condition to be so.
func (c *conditions) tested(s *ssa.If, is bool) trace {
	e := expression{conditions: c, block: s.Block(), condition: new(condition)}
	key, negated := e.outcome(s.Cond)
	if !e.pure() {
		return nil
	}
	if c.known[key] == nil {
		c.known[key] = e.condition
		c.all = append(c.all, e.condition)
	}
	return trace{finding{c.known[key], is != negated}}
}

// An expression reads a condition. Its keys are equal only if the values are.
type expression struct {
	*conditions
	block     *ssa.BasicBlock
	condition *condition
	impure    bool
}

func (e *expression) pure() bool { return !e.impure && len(e.condition.variables) > 0 }

// outcome returns the key of a condition or of what it negates.
func (e *expression) outcome(v ssa.Value) (key string, negated bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			key, negated = e.outcome(v.X)
			return key, !negated
		}
		if of, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			e.condition.of = of
		}
	case *ssa.BinOp:
		return e.comparison(v)
	}
	return e.key(v), false
}

// comparison is outcome for two operands. It says a < b and a == b only, if it can.
func (e *expression) comparison(b *ssa.BinOp) (key string, negated bool) {
	op, x, y := b.Op, b.X, b.Y
	if op == token.NEQ {
		op, negated = token.EQL, true
	}
	if total(x.Type()) && (op == token.GEQ || op == token.GTR) { // not a number is neither less nor not
		op, negated = map[token.Token]token.Token{token.GEQ: token.LSS, token.GTR: token.LEQ}[op], true
	}
	kx, ky := e.key(x), e.key(y)
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		if with, ok := y.(*ssa.Const); ok {
			if of, ok := load.X.(*ssa.Alloc); ok {
				e.condition.of, e.condition.op, e.condition.with = of, op, with
			}
		}
	}
	return fmt.Sprintf("(%s %s %s)", kx, op, ky), negated
}

// total reports whether of two values of t one is less or they are equal.
func total(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// key returns what tells v from other values, of which some may be equal to it. Types are told apart by address: those of
// different functions may have one name.
func (e *expression) key(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return fmt.Sprintf("nil:%p", v.Type())
		}
		return fmt.Sprintf("%s:%p", v.Value.ExactString(), v.Type())
	case *ssa.UnOp:
		if of, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return e.load(v, of)
		}
		if v.Op == token.SUB || v.Op == token.XOR || v.Op == token.NOT {
			return fmt.Sprintf("%s(%s)", v.Op, e.key(v.X))
		}
	case *ssa.BinOp:
		return fmt.Sprintf("(%s %s %s)", e.key(v.X), v.Op, e.key(v.Y))
	case *ssa.ChangeType:
		return fmt.Sprintf("%p(%s)", v.Type(), e.key(v.X))
	case *ssa.Convert:
		if isBasic(v.Type()) && isBasic(v.X.Type()) { // others copy what is in memory
			return fmt.Sprintf("%p(%s)", v.Type(), e.key(v.X))
		}
	case *ssa.MakeInterface:
		return fmt.Sprintf("%p(%s)", v.X.Type(), e.key(v.X))
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") && fixedLength(v.Call.Args[0].Type()) {
			return fmt.Sprintf("%s(%s)", b.Name(), e.key(v.Call.Args[0]))
		}
	case *ssa.Extract:
		if a, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 {
			return fmt.Sprintf("%s.(%p)", e.key(a.X), a.AssertedType)
		}
	}
	e.impure = true
	return ""
}

// load is key for the value of a variable, which must not be another when it decides.
func (e *expression) load(load *ssa.UnOp, of *ssa.Alloc) string {
	if !e.isLocal(of) || load.Block() != e.block && !settled(of) {
		e.impure = true
		return ""
	}
	for _, instr := range slices.Backward(load.Block().Instrs) {
		store, ok := instr.(*ssa.Store)
		if instr == ssa.Instruction(load) {
			break
		}
		if instr == ssa.Instruction(of) || ok && store.Addr == of {
			e.impure = true
		}
	}
	if !slices.Contains(e.condition.variables, of) {
		e.condition.variables = append(e.condition.variables, of)
	}
	return fmt.Sprintf("%p", of)
}

// settled reports whether a variable gets no values but in the function's first block. The tag of a switch is read before the
// first clause, and compared in blocks of their own.
func settled(v *ssa.Alloc) bool {
	first := v.Parent().Blocks[0]
	for _, r := range *v.Referrers() {
		if store, ok := r.(*ssa.Store); ok && store.Block() != first {
			return false
		}
	}
	return v.Block() == first
}

func isBasic(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.UnsafePointer
}

// fixedLength reports whether the length of a value of t is part of the value.
func fixedLength(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice, *types.Array:
		return true
	}
	return false
}
