package ssacfg

import (
	"go/ast"
	"go/token"
	"go/types"
)

// unrotate makes range statements over functions and integers look, to go/ssa,
// like range statements over maps.
//
// All range statements have the same control flow in the source: a header that
// either enters the body or leaves the loop. go/ssa gives a range over an integer
// two headers without a position. It turns the body of a range over a function into
// a function of its own. Breaks and returns of this function come back through a
// switch that is not in the source. The compiler's code does the same. But code is
// inserted into the source, where the path register is a variable, too. So the
// source's graph is the one to number.
//
// It returns these statements, with true for those that range over functions.
func unrotate(files []*ast.File, info *types.Info) (overFunc map[*ast.RangeStmt]bool) {
	overFunc = make(map[*ast.RangeStmt]bool)
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, "any(0)")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.RangeStmt)
			if !ok {
				return true
			}
			m := asMap(info.Types[s.X].Type)
			if m == nil {
				return true
			}
			overFunc[s] = rangesOverFunc(s, info)
			x := &ast.TypeAssertExpr{X: s.X, Lparen: s.X.Pos(), Rparen: s.X.End() - 1}
			tv := value // only go/types can make one that says it is a value
			tv.Type = m
			info.Types[x] = tv
			s.X = x
			return true
		})
	}
	return overFunc
}

// asMap returns a map type whose range statement has variables of the same types as that over a function or integer of type t. It
// returns nil for other types.
func asMap(t types.Type) *types.Map {
	var vars []types.Type
	switch u := coreType(t).(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			return nil
		}
		vars = append(vars, t)
	case *types.Signature:
		yield, ok := coreType(u.Params().At(0).Type()).(*types.Signature)
		if !ok {
			return nil
		}
		for v := range yield.Params().Variables() {
			vars = append(vars, v.Type())
		}
	}
	if vars == nil && !isFunc(t) {
		return nil
	}
	for len(vars) < 2 {
		vars = append(vars, types.Typ[types.Int])
	}
	return types.NewMap(vars[0], vars[1])
}

func isFunc(t types.Type) bool {
	_, ok := coreType(t).(*types.Signature)
	return ok
}

// coreType returns the underlying type of t. For a type parameter it returns the underlying type of the first type in its type
// set. All types of the set can be ranged over in the same way.
func coreType(t types.Type) types.Type {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	return firstTerm(tp.Constraint())
}

func firstTerm(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if found := firstTerm(e); found != nil {
				return found
			}
		}
		return nil
	default:
		return u
	case *types.Union:
		return firstTerm(u.Term(0).Type())
	}
}
