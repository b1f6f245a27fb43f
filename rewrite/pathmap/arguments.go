package pathmap

import (
	"go/ast"
	"go/token"
)

// arguments finds what function values are that calls are of.
type arguments struct {
	*Source
	literals map[token.Pos]*Func
	calls    map[token.Pos]*ast.CallExpr // by parenthesis
	outer    map[token.Pos]*ast.FuncDecl // of calls
	inner    map[token.Pos]ast.Node      // function or literal that a call is in
}

// arguments indexes the calls of all files.
func (s *Source) arguments() *arguments {
	a := &arguments{s, make(map[token.Pos]*Func), make(map[token.Pos]*ast.CallExpr), make(map[token.Pos]*ast.FuncDecl),
		make(map[token.Pos]ast.Node)}
	for _, f := range s.Funcs {
		a.literals[f.Node.Pos()] = f
	}
	for _, f := range s.syntax {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				a.index(d, d, d.Body)
			}
		}
	}
	return a
}

// index notes the calls in the body of a function or literal.
func (a *arguments) index(outer *ast.FuncDecl, inner ast.Node, body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			a.index(outer, n, n.Body)
			return false
		case *ast.CallExpr:
			a.calls[n.Lparen], a.outer[n.Lparen], a.inner[n.Lparen] = n, outer, inner
		}
		return true
	})
}

// callee returns what a call at a parenthesis calls: a literal that a variable has once and for all, or a parameter of the
// function that the call is in, by its index, which is -1 otherwise.
func (a *arguments) callee(at token.Pos) (f *Func, parameter int) {
	c := a.calls[at]
	if c == nil {
		return nil, -1
	}
	return a.value(ast.Unparen(c.Fun), at)
}

// value returns the function that an expression in the function around a call is, or the parameter.
func (a *arguments) value(x ast.Expr, at token.Pos) (f *Func, parameter int) {
	switch x := x.(type) {
	case *ast.FuncLit:
		return a.literals[x.Pos()], -1
	case *ast.Ident:
		if k := parameterOf(a.inner[at], x.Name); k >= 0 {
			if isAssigned(a.inner[at], x.Name) {
				return nil, -1 // it may be another one than the caller's
			}
			return nil, k
		}
		if lit := onlyValue(a.outer[at], x.Name); lit != nil {
			return a.literals[lit.Pos()], -1
		}
	}
	return nil, -1
}

// parameterOf returns the index of the parameter that has a name, -1 if there is none.
func parameterOf(fn ast.Node, name string) int {
	var typ *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		typ = fn.Type
	case *ast.FuncLit:
		typ = fn.Type
	default:
		return -1
	}
	k := 0
	for _, field := range typ.Params.List {
		for _, id := range field.Names {
			if id.Name == name {
				return k
			}
			k++
		}
	}
	return -1
}

// onlyValue returns the literal that is assigned to all variables of a name in a function, if that is done once.
func onlyValue(fn *ast.FuncDecl, name string) (lit *ast.FuncLit) {
	n := 0
	assignments(fn, name, func(from ast.Expr) {
		n++
		lit, _ = from.(*ast.FuncLit)
	})
	ast.Inspect(fn, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok {
			for _, id := range field.Names {
				if id.Name == name {
					n++
				}
			}
		}
		return true
	})
	if n != 1 {
		return nil
	}
	return lit
}

// isAssigned reports whether a function or literal assigns to a variable of a name.
func isAssigned(fn ast.Node, name string) (found bool) {
	assignments(fn, name, func(ast.Expr) { found = true })
	return found
}

// assignments calls a function for each assignment to a variable of a name in a node, with the value, without parentheses. It is
// nil if the variable has not one of its own there.
func assignments(n ast.Node, name string, do func(from ast.Expr)) {
	note := func(to ast.Expr, from []ast.Expr, k int) {
		id, ok := to.(*ast.Ident)
		switch {
		case !ok || id.Name != name:
		case k < len(from):
			do(ast.Unparen(from[k]))
		default:
			do(nil)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for k, to := range n.Lhs {
				note(to, n.Rhs, k)
			}
		case *ast.ValueSpec:
			for k, to := range n.Names {
				note(to, n.Values, k)
			}
		case *ast.RangeStmt:
			note(n.Key, nil, 0)
			note(n.Value, nil, 0)
		}
		return true
	})
}

// Argument returns what an argument of a call is, as Call has it for what is called.
func (s *Source) Argument(call token.Pos, k int) (f *Func, parameter int) {
	c := s.values.calls[call]
	if c == nil || k >= len(c.Args) || c.Ellipsis.IsValid() {
		return nil, -1
	}
	return s.values.value(ast.Unparen(c.Args[k]), call)
}

// ChecksWithin reports whether all checks that a return statement may fail are in one of its calls: in what is called, and in
// its arguments. It takes other calls for checks: they may be conversions.
func (s *Source) ChecksWithin(call token.Pos) bool {
	c := s.values.calls[call]
	if c == nil {
		return false
	}
	within := false
	for _, f := range s.syntax {
		if call < f.FileStart || call >= f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || call < n.Pos() || call >= n.End() {
				return false
			}
			if r, ok := n.(*ast.ReturnStmt); ok {
				within = !checksBeside(r, c)
			}
			return true
		})
	}
	return within
}

// checksBeside reports whether a return statement may fail a check that is not in a call.
func checksBeside(r *ast.ReturnStmt, call *ast.CallExpr) (some bool) {
	ast.Inspect(r, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if n == call {
				return false
			}
			some = true
		case *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			some = true
		case *ast.BinaryExpr:
			some = some || n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR
		}
		return true
	})
	return some
}
