// Package passing pairs values with the variables that get them: arguments with the parameters of a function, and what is
// assigned with what it is assigned to.
package passing

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Passing is a value that a variable gets.
type Passing struct {
	Arg     ast.Expr
	To      *types.Var
	Element bool // one of the two is an element of the other: of a variadic parameter, a channel, or what is ranged over
}

// ToCall returns what a call passes to a function, with the value that a method is called on.
func ToCall(info *types.Info, c *ast.CallExpr, fn *types.Func) (list []Passing) {
	sig, params := fn.Origin().Signature(), Parameters(fn)
	last := len(params) - 1
	if last < 0 {
		return nil // also of arguments, which do not type-check
	}
	for i, arg := range Arguments(info, c) {
		element := sig.Variadic() && i >= last && !c.Ellipsis.IsValid()
		list = append(list, Passing{arg, params[min(i, last)], element})
	}
	return list
}

// Parameters returns the parameters of a function, behind the receiver of a method.
func Parameters(fn *types.Func) (params []*types.Var) {
	sig := fn.Origin().Signature()
	if sig.Recv() != nil {
		params = append(params, sig.Recv())
	}
	for p := range sig.Params().Variables() {
		params = append(params, p)
	}
	return params
}

// Arguments returns the arguments of a call behind the value that a method is called on. In the call of a method expression it
// is the first argument.
func Arguments(info *types.Info, c *ast.CallExpr) []ast.Expr {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return append([]ast.Expr{sel.X}, c.Args...)
		}
	}
	return c.Args
}

// Assigned returns what a statement assigns to variables, fields among them, and a declaration. Of several values that one call
// returns Results tells.
func Assigned(info *types.Info, n ast.Node) (list []Passing) {
	add := func(to, arg ast.Expr, element bool) {
		if v := variable(info, to); v != nil {
			list = append(list, Passing{arg, v, element})
		}
	}
	// Of two variables, the second may get whether there is a value for the first.
	pair := func(i, n int, values []ast.Expr) bool {
		return n == len(values) || n == 2 && len(values) == 1 && i == 0 && !isCall(values[0])
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if pair(i, len(n.Lhs), n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
				add(to, n.Rhs[i], false)
			}
		}
	case *ast.ValueSpec:
		for i, to := range n.Names {
			if pair(i, len(n.Names), n.Values) {
				add(to, n.Values[i], false)
			}
		}
	case *ast.RangeStmt:
		to := n.Value
		if t := info.TypeOf(n.X); t != nil {
			if _, ok := t.Underlying().(*types.Chan); ok {
				to = n.Key
			}
		}
		add(to, n.X, true)
	case *ast.SendStmt:
		add(n.Chan, n.Value, true)
	case *ast.CompositeLit:
		return fields(info, n)
	}
	return list
}

func isCall(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok
}

// Results returns the call of several results that a statement or a declaration assigns, or nil, and the variable that gets each
// result. It is nil where that is no variable.
func Results(info *types.Info, n ast.Node) (c *ast.CallExpr, to []*types.Var) {
	var values []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		values = n.Rhs
		for _, x := range n.Lhs {
			to = append(to, variable(info, x))
		}
	case *ast.ValueSpec:
		values = n.Values
		for _, x := range n.Names {
			to = append(to, variable(info, x))
		}
	}
	if len(values) != 1 || len(to) < 2 {
		return nil, nil
	}
	c, _ = ast.Unparen(values[0]).(*ast.CallExpr)
	return c, to
}

// fields returns what the fields of a struct get.
func fields(info *types.Info, lit *ast.CompositeLit) (list []Passing) {
	t := info.TypeOf(lit)
	if t == nil {
		return nil
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i, x := range lit.Elts {
		if pair, ok := x.(*ast.KeyValueExpr); ok {
			if v := variable(info, pair.Key); v != nil {
				list = append(list, Passing{pair.Value, v, false})
			}
		} else if i < s.NumFields() { // of what type-checks, all are
			list = append(list, Passing{x, s.Field(i).Origin(), false})
		}
	}
	return list
}

// variable returns the variable that an expression is, or nil.
func variable(info *types.Info, x ast.Expr) *types.Var {
	switch y := x.(type) {
	case *ast.ParenExpr:
		return variable(info, y.X)
	case *ast.SelectorExpr:
		return variable(info, y.Sel)
	case *ast.Ident:
		if v, ok := info.ObjectOf(y).(*types.Var); ok {
			return v.Origin()
		}
	}
	return nil
}
