// Package localtype finds types that functions declare and by which values are told.
//
// A copy of a function declares another type of the same name. So it panics at a type assertion for a value that the other has
// put into a sync.Pool, and finds no value by the other's key of a context. Most local types do no harm: nobody else knows of
// them.
package localtype

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Told returns the name of a type that is declared in a body, in function literals, too, and by which values may be told; "" if
// there is none.
func Told(body ast.Node, info *types.Info) string {
	t := told{info: info, local: make(map[types.Object]bool)}
	ast.Inspect(body, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
			t.local[info.Defs[spec.Name]] = true
		}
		return true
	})
	if len(t.local) > 0 {
		ast.Inspect(body, t.visit)
	}
	return t.name
}

// told looks for types by which values are told.
type told struct {
	info  *types.Info
	local map[types.Object]bool // types that the body declares
	name  string                // of the first that is found
}

func (t *told) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			t.asked(n.Type)
		}
	case *ast.TypeSwitchStmt:
		for _, c := range n.Body.List {
			for _, x := range c.(*ast.CaseClause).List {
				t.asked(x)
			}
		}
	case *ast.CallExpr:
		t.call(n)
	case *ast.IndexExpr:
		if m, ok := t.under(n.X).(*types.Map); ok {
			t.handed(m.Key(), n.Index)
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			t.compared(n.X, n.Y)
		}
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, x := range c.(*ast.CaseClause).List {
				if n.Tag != nil {
					t.compared(n.Tag, x)
				}
			}
		}
	}
	return t.name == ""
}

// compared notes the type of a value that is compared as an interface.
func (t *told) compared(x, y ast.Expr) {
	if !t.isInterface(x) && !t.isInterface(y) {
		return
	}
	for _, e := range []ast.Expr{x, y} {
		if named := t.localOf(t.converted(e)); named != nil {
			t.name = named.Obj().Name()
		}
	}
}

// converted returns what an expression makes an interface of, or the expression.
func (t *told) converted(x ast.Expr) ast.Expr {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || !t.info.Types[c.Fun].IsType() || !t.isInterface(c) {
		return x
	}
	return t.converted(c.Args[0])
}

func (t *told) isInterface(x ast.Expr) bool {
	_, ok := t.under(x).(*types.Interface)
	return ok
}

// localOf returns the type of an expression if the body declares it, or nil.
func (t *told) localOf(x ast.Expr) *types.Named {
	if named, ok := t.info.TypeOf(x).(*types.Named); ok && t.local[named.Obj()] {
		return named
	}
	return nil
}

// asked notes the types in an expression that asks for a type.
func (t *told) asked(x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && t.local[t.info.Uses[id]] {
			t.name = id.Name
		}
		return true
	})
}

// harmless are packages that keep no value by which they tell others.
var harmless = []string{
	"encoding/binary", "encoding/gob", "encoding/json", "encoding/xml", "errors", "fmt", "log", "log/slog",
	"reflect", "sort", "testing",
}

// call notes arguments that others get as interfaces.
func (t *told) call(c *ast.CallExpr) {
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		f := t.info.Uses[s.Sel]
		if f != nil && f.Pkg() != nil && slices.Contains(harmless, f.Pkg().Path()) {
			return
		}
		if f, ok := f.(*types.Func); ok && strings.HasPrefix(f.FullName(), "(*sync/atomic.Value).") {
			for _, arg := range c.Args {
				t.kept(arg)
			}
		}
	}
	sig, ok := t.under(c.Fun).(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range c.Args {
		last := sig.Params().Len() - 1
		switch {
		case sig.Variadic() && i >= last && !c.Ellipsis.IsValid():
			t.handed(sig.Params().At(last).Type().(*types.Slice).Elem(), arg)
		case i <= last:
			t.handed(sig.Params().At(i).Type(), arg)
		}
	}
}

// kept notes the type of a value that is stored in an atomic.Value, which panics if values of two types are. So are a pointer
// and a slice of one.
func (t *told) kept(x ast.Expr) {
	typ := t.info.TypeOf(t.converted(x))
	for {
		t, ok := typ.(interface{ Elem() types.Type })
		if !ok {
			break
		}
		typ = t.Elem()
	}
	if named, ok := typ.(*types.Named); ok && t.local[named.Obj()] {
		t.name = named.Obj().Name()
	}
}

// handed notes the type of a value that becomes an interface, by which others can tell it: a pointer tells itself.
func (t *told) handed(to types.Type, x ast.Expr) {
	if named := t.localOf(x); named != nil && types.IsInterface(to) && types.Comparable(named) {
		t.name = named.Obj().Name()
	}
}

func (t *told) under(x ast.Expr) types.Type {
	if typ := t.info.TypeOf(x); typ != nil {
		return typ.Underlying()
	}
	return nil
}
