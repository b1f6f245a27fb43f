package ssacfg

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Selector is a place in the source where events can be made: a call of an interface's method or of a function value, or a variable whose values the user wants
// to know. (Those of loops are found in the graph.)
type Selector struct {
	Kind     table.EventKind
	Pos      token.Pos // of the parenthesis of a call, or of the variable
	Text     string    // of the source
	Declined string    // why no events can be made

	// Calls: the operand, which becomes an argument of the runtime's function. It is the receiver if Method is not negative; then Fields lead from
	// it to the embedded interface whose method number Method is called.
	Operand ast.Expr
	Fields  []string
	Method  int

	// Numbers and Texts: where a statement can stand that looks at Text, and what the variable is.
	After token.Pos
	Type  ValueType
}

// ValueType says how the value of a variable becomes that of an event.
type ValueType int

const (
	Signed ValueType = iota
	Unsigned
	Boolean
	String
	Length
)

// Directives in comments.
const (
	valueDirective = "//goprofinstr:value"
	kindsDirective = "//goprofinstr:kinds"
)

// A selection finds the selectors of a package.
type selection struct {
	fset     *token.FileSet
	info     *types.Info
	pkg      *types.Package
	literals map[types.Object]bool // variables that only ever have one function literal
	moving   map[types.Object]bool // variables that may get another value while a call is evaluated: by a closure, or through their address
	marked   map[*ast.File]map[int]token.Pos
}

func newSelection(in Input, pkg *types.Package, info *types.Info) *selection {
	s := &selection{fset: in.Fset, info: info, pkg: pkg, literals: make(map[types.Object]bool), moving: make(map[types.Object]bool), marked: make(map[*ast.File]map[int]token.Pos)}
	for _, f := range in.Files {
		s.variables(f)
		lines := make(map[int]token.Pos)
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.TrimRight(c.Text, " \t") == valueDirective {
					lines[s.line(c.Pos())] = c.Pos()
				}
			}
		}
		s.marked[f] = lines
	}
	return s
}

func (s *selection) line(pos token.Pos) int { return s.fset.PositionFor(pos, false).Line }

// variables finds out what is assigned to the variables of a file, and where they are used.
func (s *selection) variables(f *ast.File) {
	assigned := make(map[types.Object]int)
	define := func(lhs, rhs ast.Expr) {
		id, ok := lhs.(*ast.Ident)
		if !ok {
			return
		}
		obj := s.info.ObjectOf(id)
		assigned[obj]++
		if rhs != nil {
			_, s.literals[obj] = ast.Unparen(rhs).(*ast.FuncLit)
		}
	}
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					define(lhs, n.Rhs[i])
				} else {
					define(lhs, nil)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Names) == len(n.Values) {
					define(name, n.Values[i])
				} else {
					define(name, nil)
				}
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
				s.moving[s.info.ObjectOf(id)] = true
			}
		case *ast.Ident:
			if v, ok := s.info.Uses[n].(*types.Var); ok && isCaptured(v, stack) {
				s.moving[v] = true
			}
		}
		return true
	})
	for obj, n := range assigned {
		if n > 1 {
			delete(s.literals, obj)
		}
	}
}

// isCaptured reports whether a variable is declared outside of the innermost function literal that it is used in.
func isCaptured(v *types.Var, stack []ast.Node) bool {
	for _, n := range slices.Backward(stack) {
		if lit, ok := n.(*ast.FuncLit); ok {
			return v.Pos() < lit.Pos() || v.Pos() > lit.End()
		}
	}
	return false
}

// of returns the selectors of a function, in source order.
func (s *selection) of(fn *Func, kinds Kinds) (list []*Selector) {
	if kinds.Calls {
		list = append(list, s.calls(fn)...)
	}
	if kinds.Values {
		list = append(list, s.values(fn)...)
	}
	if v := s.info.FileVersions[fn.File]; version.IsValid(v) && version.Compare(v, "go1.18") < 0 {
		for _, sel := range list {
			if sel.Kind == table.Calls && sel.Declined == "" {
				sel.Declined = "it takes generic functions, and the language is that of " + v
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Selector) int { return int(a.Pos - b.Pos) })
	return list
}

// calls returns those of calls, outer ones before those in their operands.
func (s *selection) calls(fn *Func) (list []*Selector) {
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
func (s *selection) call(call *ast.CallExpr) *Selector {
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
func (s *selection) method(sel *Selector, f *ast.SelectorExpr, selection *types.Selection) bool {
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

// methodIndex returns the index of a method in an interface's table: exported ones come first, each by name (cmd/compile/internal/types.Sym.Less).
func methodIndex(iface *types.Interface, method *types.Func) int {
	index := 0
	for m := range iface.Methods() {
		switch a, b := m.Exported(), method.Exported(); {
		case a && !b, a == b && m.Name() < method.Name(), a == b && m.Name() == method.Name() && m.Pkg() != method.Pkg() && !a && m.Pkg().Path() < method.Pkg().Path():
			index++
		}
	}
	return index
}

// mayMove reports whether what an operand refers to may be another thing after something else has been called. The compiler looks at variables in
// operands after it has evaluated calls in arguments.
func (s *selection) mayMove(operand ast.Expr) bool {
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
func (s *selection) mayCall(e ast.Expr) bool {
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
func (s *selection) isMarker(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.info.Uses[sel.Sel] != nil && s.info.Uses[sel.Sel].Pkg() != nil && s.info.Uses[sel.Sel].Pkg().Path() == mark.PkgPath
}

// values returns the selectors of the variables that are marked.
func (s *selection) values(fn *Func) (list []*Selector) {
	lines := s.marked[fn.File]
	if len(lines) == 0 {
		return nil
	}
	add := func(id *ast.Ident, after token.Pos) {
		if id.Name != "_" {
			list = append(list, s.value(id, after))
		}
	}
	if _, ok := lines[s.line(fn.Node.Pos())]; ok && s.line(fn.Node.Pos()) == s.line(fn.Body.Lbrace) {
		for _, field := range funcType(fn.Node).Params.List {
			for _, id := range field.Names {
				add(id, fn.Opened.Pos)
			}
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		for _, stmt := range statementList(n) {
			if _, ok := lines[s.line(stmt.End())]; ok {
				for _, id := range assignees(stmt) {
					add(id, stmt.End())
				}
			}
		}
		return true
	})
	return list
}

func funcType(n ast.Node) *ast.FuncType {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Type
	case *ast.FuncLit:
		return n.Type
	}
	panic("BUG: a function that is neither declared nor a literal")
}

func statementList(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// assignees returns the variables that a statement assigns to.
func assignees(stmt ast.Stmt) (list []*ast.Ident) {
	add := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			list = append(list, id)
		}
	}
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		for _, e := range stmt.Lhs {
			add(e)
		}
	case *ast.IncDecStmt:
		add(stmt.X)
	case *ast.DeclStmt:
		for _, spec := range stmt.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					add(id)
				}
			}
		}
	}
	return list
}

// value returns the selector of a variable.
func (s *selection) value(id *ast.Ident, after token.Pos) *Selector {
	sel := &Selector{Kind: table.Numbers, Pos: id.Pos(), Text: id.Name, After: after}
	t := s.info.ObjectOf(id).Type()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsUnsigned != 0:
			sel.Type = Unsigned
		case info&types.IsInteger != 0:
			sel.Type = Signed
		case info&types.IsBoolean != 0:
			sel.Type = Boolean
		case info&types.IsString != 0:
			sel.Kind, sel.Type = table.Texts, String
		default:
			sel.Declined = "a " + t.String() + " has too many values"
		}
	case *types.Slice, *types.Map, *types.Chan:
		sel.Type, sel.Text = Length, "len("+id.Name+")"
		if _, obj := s.pkg.Scope().Innermost(id.Pos()).LookupParent("len", id.Pos()); obj != types.Universe.Lookup("len") {
			sel.Declined = "len is another thing here"
		}
	default:
		sel.Declined = "of a " + t.String() + " there is no number"
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		sel.Declined = "its type is a type parameter"
	}
	return sel
}

// mostText is how much of an operand a table has.
const mostText = 40

// text returns an expression as it is in the source, more or less.
func text(e ast.Expr) string {
	s := types.ExprString(e)
	if len(s) > mostText {
		s = s[:mostText-3] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

// Kinds says which kinds of events are made.
type Kinds struct{ Calls, Trips, Values bool }

// kindsOf returns the kinds for a function: those for its package, and those that a comment before it asks for.
func kindsOf(fn *Func, kinds Kinds) Kinds {
	decl, ok := fn.Node.(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return kinds
	}
	for _, c := range decl.Doc.List {
		if list, ok := strings.CutPrefix(c.Text, kindsDirective+" "); ok {
			for kind := range strings.SplitSeq(list, ",") {
				kinds.add(strings.TrimSpace(kind))
			}
		}
	}
	return kinds
}

// add adds a kind by its name, if it is one.
func (k *Kinds) add(name string) {
	switch name {
	case "calls":
		k.Calls = true
	case "trips":
		k.Trips = true
	case "values":
		k.Values = true
	}
}
