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

	"golang.org/x/tools/go/types/typeutil"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/passing"
)

// Told returns the name of a type that is declared in a body, in function literals, too, and by which values may be told in the
// files of its package; "" if there is none. Whatever the body hands to functions may be told by these.
func Told(body ast.Node, files []*ast.File, info *types.Info) string {
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
	excused := func(*ast.TypeAssertExpr) bool { return false }
	t := newTold(info, declared, excused)
	ast.Inspect(body, t.visit)
	if t.pass(); len(t.found) == 0 {
		t.found = Of(files, info, declared, excused)
	}
	if len(t.found) == 0 {
		return ""
	}
	return t.found[0].Name()
}

// Of returns those of the declared types by which values may be told in the files of a package. One may be there more than once.
// Type assertions that are excused do not count. What a function of the package gets counts if that function tells values by it.
func Of(files []*ast.File, info *types.Info, declared map[types.Object]bool,
	excused func(*ast.TypeAssertExpr) bool) []types.Object {
	t := newTold(info, declared, excused)
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				t.own[info.Defs[fn.Name]] = true
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, t.visit)
	}
	t.pass()
	return t.found
}

// pass follows what variables get, which may come from others.
func (t *told) pass() {
	for known := -1; known < len(t.by); {
		known = len(t.by)
		for _, p := range t.passed {
			if t.by[p.To] {
				t.tell(p.Arg)
			}
		}
		for _, m := range t.moved {
			if t.by[m.to] {
				t.by[m.of] = true
			}
		}
		for _, i := range t.instances {
			if t.by[i.to] {
				t.asked(i.arg)
			}
		}
	}
}

// told looks for types by which values are told.
type told struct {
	info     *types.Info
	declared map[types.Object]bool // types that are looked for
	excused  func(*ast.TypeAssertExpr) bool
	own      map[types.Object]bool // functions whose bodies are looked at
	passed   []passing.Passing     // to own functions, to variables, and from own functions as their results
	moved    []moved
	by       map[types.Object]bool // interface variables, lists of such, and type parameters, by whose types values are told
	found    []types.Object

	instances []instance
}

// A moved is a result of an own function that has several, and the variable that gets it.
type moved struct{ of, to *types.Var }

// An instance is an argument for a type parameter of a function.
type instance struct {
	arg ast.Expr
	to  types.Object
}

func newTold(info *types.Info, declared map[types.Object]bool, excused func(*ast.TypeAssertExpr) bool) *told {
	return &told{
		info: info, declared: declared, excused: excused, own: make(map[types.Object]bool), by: make(map[types.Object]bool),
	}
}

func (t *told) visit(n ast.Node) bool {
	t.passed = append(t.passed, passing.Assigned(t.info, n)...)
	if c, to := passing.Results(t.info, n); c != nil {
		t.results(c, to)
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		t.returned(n)
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
		t.instantiated(n.X, n.Index)
	case *ast.IndexListExpr:
		t.instantiated(n.X, n.Indices...)
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

// tell notes the type of a value by which others tell it, and follows the value. Values that cannot be compared are told by
// nobody.
func (t *told) tell(x ast.Expr) {
	if typ := t.info.TypeOf(x); typ != nil && types.Comparable(typ) {
		t.note(typ)
	}
	t.follow(x)
}

// follow notes the variable by whose type, or that of its elements, values are told.
func (t *told) follow(x ast.Expr) {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.TypeAssertExpr:
			x = y.X
		case *ast.UnaryExpr: // what a channel has
			if y.Op != token.ARROW {
				return
			}
			x = y.X
		case *ast.SelectorExpr:
			x = y.Sel
		case *ast.Ident:
			if v, ok := t.info.Uses[y].(*types.Var); ok {
				t.by[v.Origin()] = true
			}
			return
		case *ast.CallExpr:
			t.result(y)
			return
		case *ast.CompositeLit:
			t.elements(y)
			return
		default:
			return
		}
	}
}

// result follows what a call returns: what it converts or appends, or the result of an own function.
func (t *told) result(c *ast.CallExpr) {
	fn := typeutil.StaticCallee(t.info, c)
	switch {
	case t.info.Types[c.Fun].IsType() || typeutil.Callee(t.info, c) == types.Universe.Lookup("append"):
		for _, arg := range c.Args {
			t.tell(arg)
		}
	case fn != nil && t.own[fn.Origin()] && fn.Signature().Results().Len() == 1:
		t.by[fn.Origin().Signature().Results().At(0)] = true
	}
}

// results notes the variables that get the results of a call of an own function, if it has several. The last one, of a variadic
// parameter, may get more than one.
func (t *told) results(call ast.Expr, to []*types.Var) {
	c, ok := ast.Unparen(call).(*ast.CallExpr)
	if !ok || len(to) == 0 { // as in a call that does not type-check
		return
	}
	fn := typeutil.StaticCallee(t.info, c)
	if fn == nil || !t.own[fn.Origin()] || fn.Signature().Results().Len() < 2 {
		return
	}
	for i := range fn.Signature().Results().Len() {
		if v := to[min(i, len(to)-1)]; v != nil {
			t.moved = append(t.moved, moved{fn.Origin().Signature().Results().At(i), v})
		}
	}
}

// elements follows the elements of a list.
func (t *told) elements(list *ast.CompositeLit) {
	for _, e := range list.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		t.tell(e)
	}
}

// returned notes what a function returns.
func (t *told) returned(decl *ast.FuncDecl) {
	fn, ok := t.info.Defs[decl.Name].(*types.Func)
	if !ok || decl.Body == nil {
		return
	}
	results := slices.Collect(fn.Signature().Results().Variables())
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.ReturnStmt); ok {
			switch len(s.Results) {
			case len(results):
				for i, x := range s.Results {
					t.passed = append(t.passed, passing.Passing{Arg: x, To: results[i]})
				}
			case 1:
				t.results(s.Results[0], results)
			}
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}

// compared notes the type of a value that is compared as an interface.
func (t *told) compared(x, y ast.Expr) {
	if !t.isInterface(x) && !t.isInterface(y) {
		return
	}
	x, y = t.converted(x), t.converted(y)
	both := t.isInterface(x) && t.isInterface(y) // and neither is nil
	for _, e := range []ast.Expr{x, y} {
		if both {
			t.follow(e)
		}
		t.note(t.info.TypeOf(e))
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

// instantiated notes the type arguments of a function. That of errors.AsType is asked for.
func (t *told) instantiated(fun ast.Expr, args ...ast.Expr) {
	if sel, ok := ast.Unparen(fun).(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	id, ok := ast.Unparen(fun).(*ast.Ident)
	if !ok {
		return
	}
	fn, ok := t.info.Uses[id].(*types.Func)
	if !ok {
		return
	}
	params := fn.Origin().Signature().TypeParams()
	for i, arg := range args {
		if fn.FullName() == "errors.AsType" {
			t.asked(arg)
		} else if i < params.Len() {
			t.instances = append(t.instances, instance{arg, params.At(i).Obj()})
		}
	}
}

// asked notes the types in an expression that asks for a type.
func (t *told) asked(x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if name, ok := t.info.Uses[id].(*types.TypeName); ok {
				t.note(name.Type())
				t.by[name] = true // which matters of a type parameter
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

// call notes arguments that others get as interfaces. Of the builtin functions, delete asks for a key.
func (t *told) call(c *ast.CallExpr) {
	if t.info.Types[c.Fun].IsBuiltin() && typeutil.Callee(t.info, c) != types.Universe.Lookup("delete") {
		return
	}
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		f := t.info.Uses[s.Sel]
		if fn, ok := f.(*types.Func); ok && len(c.Args) == 2 {
			switch fn.FullName() {
			case "errors.As":
				t.kept(c.Args[1])
			case "errors.Is":
				t.tell(c.Args[1])
			}
		}
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
	if fn := typeutil.StaticCallee(t.info, c); fn != nil && t.own[fn.Origin()] {
		t.passed = append(t.passed, passing.ToCall(t.info, c, fn)...)
		if args := passing.Arguments(t.info, c); len(c.Args) == 1 {
			t.results(c.Args[0], passing.Parameters(fn)[len(args)-1:])
		}
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

// kept notes the type of a value that is stored in an atomic.Value, which panics if values of two types are, or that errors.As
// asks for. So are a pointer and a slice of one.
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
		if types.IsInterface(typ) {
			t.follow(x)
		}
	}
}

func (t *told) under(x ast.Expr) types.Type {
	if typ := t.info.TypeOf(x); typ != nil {
		return typ.Underlying()
	}
	return nil
}
