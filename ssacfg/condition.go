package ssacfg

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A condition is one whose value depends on variables only.
type condition struct {
	variables []*ssa.Alloc

	// If it is the comparison of one variable with a constant, "of op with"; op is ILLEGAL for a boolean variable by itself.
	of   *ssa.Alloc
	op   token.Token
	with *ssa.Const
}

// given returns the outcome of c if its variable has a value.
func (c *condition) given(value ssa.Value) (is, known bool) {
	switch {
	case c.of == nil || value == nil:
		return false, false
	case c.op == token.ILLEGAL || c.with.Value != nil:
		v, ok := constantOf(value)
		switch {
		case !ok:
			return false, false
		case c.op == token.ILLEGAL:
			return constant.BoolVal(v), v.Kind() == constant.Bool
		}
		return compare(v, c.op, c.with.Value)
	case c.op == token.EQL: // with nil
		if value == ssa.Value(c.of) { // it comes to life
			return true, true
		}
		return isNil(value)
	}
	return false, false
}

// compare compares constants that are exact.
func compare(x constant.Value, op token.Token, y constant.Value) (is, known bool) {
	if x.Kind() != y.Kind() {
		return false, false
	}
	switch x.Kind() {
	case constant.Int, constant.String:
		return constant.Compare(x, op, y), true
	case constant.Bool:
		return constant.Compare(x, op, y), op == token.EQL
	}
	return false, false
}

// constantOf returns the value of a boolean, integer or string that is always the same.
func constantOf(v ssa.Value) (constant.Value, bool) {
	t := v.Type()
	c, isConst := v.(*ssa.Const)
	if a, ok := v.(*ssa.Alloc); ok {
		t = a.Type().Underlying().(*types.Pointer).Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return nil, false
	}
	if isConst {
		ok := c.Value != nil && b.Info()&(types.IsBoolean|types.IsInteger|types.IsString) != 0
		return c.Value, ok
	}
	if _, ok := v.(*ssa.Alloc); !ok {
		return nil, false
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return constant.MakeBool(false), true
	case b.Info()&types.IsInteger != 0:
		return constant.MakeInt64(0), true
	case b.Info()&types.IsString != 0:
		return constant.MakeString(""), true
	}
	return nil, false
}

// isNil reports whether a value that is stored is nil, as far as that is known.
func isNil(v ssa.Value) (is, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil, v.Value == nil
	case *ssa.Alloc, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function:
		return false, true
	}
	return false, false
}
