// Package localtype finds types that functions declare and by which values are told.
//
// A copy of a function declares another type of the same name. So it panics at a type assertion for a value that the other has
// put into a sync.Pool, and finds no value by the other's key of a context. Most local types do no harm: nobody else knows of
// them.
//
// The same goes for types of a package of which a program has two. [Of] finds these.
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
	declared := make(map[types.Object]bool)
	ast.Inspect(body, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
			declared[info.Defs[spec.Name]] = true
		}
		return true
	})
	if len(declared) == 0 {
		return ""
	}
	found := Of(body, info, declared, func(*ast.TypeAssertExpr) bool { return false })
	if len(found) == 0 {
		return ""
	}
	return found[0].Name()
}

// Of returns those of the declared types by which values may be told in a file or a body, in the order of the source. One may be
// there more than once. Type assertions that are excused do not count.
func Of(n ast.Node, info *types.Info, declared map[types.Object]bool, excused func(*ast.TypeAssertExpr) bool) []types.Object {
	t := told{info: info, declared: declared, excused: excused}
	ast.Inspect(n, t.visit)
	return t.found
}

// told looks for types by which values are told.
type told struct {
	info     *types.Info
	declared map[types.Object]bool // types that are looked for
	excused  func(*ast.TypeAssertExpr) bool
	found    []types.Object
}

func (t *told) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeAssertExpr:
		if n.Type != nil && !t.excused(n) {
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
	return true
}

// note notes a type, if it is one that is looked for.
func (t *told) note(typ types.Type) {
	if named, ok := types.Unalias(typ).(*types.Named); ok && t.declared[named.Obj()] {
		t.found = append(t.found, named.Obj())
	}
}

// compared notes the type of a value that is compared as an interface.
func (t *told) compared(x, y ast.Expr) {
	if !t.isInterface(x) && !t.isInterface(y) {
		return
	}
	for _, e := range []ast.Expr{x, y} {
		t.note(t.info.TypeOf(t.converted(e)))
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

// asked notes the types in an expression that asks for a type.
func (t *told) asked(x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if name, ok := t.info.Uses[id].(*types.TypeName); ok {
				t.note(name.Type())
			}
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
	t.note(typ)
}

// handed notes the type of a value that becomes an interface, by which others can tell it: a pointer tells itself.
func (t *told) handed(to types.Type, x ast.Expr) {
	if typ := t.info.TypeOf(x); typ != nil && types.IsInterface(to) && types.Comparable(typ) {
		t.note(typ)
	}
}

func (t *told) under(x ast.Expr) types.Type {
	if typ := t.info.TypeOf(x); typ != nil {
		return typ.Underlying()
	}
	return nil
}
