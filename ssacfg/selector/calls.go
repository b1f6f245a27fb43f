package selector

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// calls returns those of calls, outer ones before those in their operands.
func (s *Finder) calls(fn *mark.Func) (list []*Selector) {
	later := make(map[*ast.CallExpr]bool)
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			later[n.Call] = true
		case *ast.DeferStmt:
			later[n.Call] = true
		case *ast.CallExpr:
			sel := s.call(n)
			if sel == nil {
				break
			}
			switch {
			case later[n]:
				sel.Declined = "in a go or defer statement: it is called later"
			case s.mayMove(sel.Operand) && slices.ContainsFunc(n.Args, s.mayCall):
				sel.Declined = "its arguments call functions, which may change what is called"
			}
			list = append(list, sel)
		}
		return true
	})
	return list
}

// call returns the selector of a call; nil if the source names the function, or the compiler knows it.
func (s *Finder) call(call *ast.CallExpr) *Selector {
	fun := ast.Unparen(call.Fun)
	if tv := s.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	sel := &Selector{Kind: table.Calls, Pos: call.Lparen, Text: text(call.Fun), Operand: call.Fun, Method: -1}
	switch f := fun.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.Ident:
		if obj := s.info.Uses[f]; !isVar(obj) || s.literals[obj] {
			return nil
		}
	case *ast.IndexExpr:
		if s.info.Types[f.Index].IsType() {
			return nil // an instance of a generic function
		}
	case *ast.IndexListExpr:
		return nil
	case *ast.SelectorExpr:
		selection := s.info.Selections[f]
		switch {
		case selection == nil && !isVar(s.info.Uses[f.Sel]):
			return nil
		case selection == nil || selection.Kind() == types.FieldVal:
		case selection.Kind() == types.MethodExpr || !s.method(sel, f, selection):
			return nil
		}
	}
	return sel
}

func isVar(obj types.Object) bool {
	_, ok := obj.(*types.Var)
	return ok
}

// method completes the selector of a call of a method. It is false if the source tells which one that is.
func (s *Finder) method(sel *Selector, f *ast.SelectorExpr, selection *types.Selection) bool {
	t := selection.Recv()
	index := selection.Index()
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		field := st.Field(i)
		if !field.Exported() && field.Pkg() != s.pkg {
			sel.Declined = "the interface is in a field of another package's"
		}
		sel.Fields = append(sel.Fields, field.Name())
		t = field.Type()
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	sel.Operand, sel.Method = f.X, methodIndex(iface, selection.Obj().(*types.Func))
	return true
}

// methodIndex returns the index of a method in an interface's table: exported ones come first, each by name
// (cmd/compile/internal/types.Sym.Less).
func methodIndex(iface *types.Interface, method *types.Func) int {
	index := 0
	for m := range iface.Methods() {
		switch a, b := m.Exported(), method.Exported(); {
		case a && !b, a == b && m.Name() < method.Name(),
			a == b && m.Name() == method.Name() && m.Pkg() != method.Pkg() && !a && m.Pkg().Path() < method.Pkg().Path():
			index++
		}
	}
	return index
}

// mayMove reports whether what an operand refers to may be another thing after something else has been called. The compiler
// looks at variables in operands after it has evaluated calls in arguments.
func (s *Finder) mayMove(operand ast.Expr) bool {
	switch e := ast.Unparen(operand).(type) {
	case *ast.CallExpr, *ast.TypeAssertExpr, *ast.CompositeLit:
		return false
	case *ast.Ident:
		v, ok := s.info.Uses[e].(*types.Var)
		return !ok || s.moving[v] || v.Parent() == s.pkg.Scope()
	}
	return true
}

// mayCall reports whether something is called, or received, where e is evaluated.
func (s *Finder) mayCall(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			tv := s.info.Types[ast.Unparen(n.Fun)]
			found = found || !tv.IsType() && !tv.IsBuiltin() && !s.isMarker(n)
		}
		return !found
	})
	return found
}

// isMarker reports whether a call is that of a marker.
func (s *Finder) isMarker(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	obj := s.info.Uses[sel.Sel]
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == mark.PkgPath
}
