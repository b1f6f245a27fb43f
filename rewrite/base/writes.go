package base

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/passing"
)

// findWrites notes the variables that are written to. A copy of one begins with what its declaration says: it has not what
// functions, of which the head's is one, keep in it, nor what init makes of the head's.
func (s *side) findWrites() {
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			s.writes(d, ok && fn.Recv == nil && fn.Name.Name == "init")
		}
	}
	for again := true; again; { // what a variable gets may be passed on
		again = false
		for _, p := range s.passed {
			if s.written[p.To] && s.write(p.Arg) {
				again = true
			}
		}
	}
}

// writes notes what a declaration writes to.
func (s *side) writes(d ast.Decl, inInit bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					s.assign(x)
				}
			}
		case *ast.IncDecStmt:
			s.assign(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				s.address(n.X)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				s.assign(n.Key)
				s.assign(n.Value)
			}
		case *ast.SelectorExpr: // a call, or a method value
			if s.takesAddress(n) && !isPool(s.typeOf(n.X)) {
				s.write(n.X)
			}
		case *ast.CallExpr:
			s.call(n, inInit)
		}
		for _, p := range passing.Assigned(s.info, n) {
			switch p.To.Type().Underlying().(type) {
			case *types.Slice, *types.Map: // of a variable, perhaps, that is written to through another name
				s.passed = append(s.passed, p)
			}
		}
		return true
	})
}

// assign notes what is assigned to.
func (s *side) assign(x ast.Expr) {
	s.address(s.whole(x))
}

// whole returns what an expression is a field or an element of, without what a pointer, a slice or a map leads to.
func (s *side) whole(x ast.Expr) ast.Expr {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.SelectorExpr:
			if selection := s.info.Selections[y]; selection == nil || selection.Indirect() {
				return x
			}
			x = y.X
		case *ast.IndexExpr:
			if _, ok := s.typeOf(y.X).Underlying().(*types.Array); !ok {
				return x
			}
			x = y.X
		default:
			return x
		}
	}
}

// address notes what is assigned to, or whose address is taken. A parameter of its own is nobody else's variable; what it leads
// to is.
func (s *side) address(x ast.Expr) {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		if obj := s.info.Uses[id]; obj == nil || obj.Parent() != s.pkg.Scope() {
			return
		}
	}
	s.write(x)
}

// changesFirst are functions of the standard library that write to what their first argument is, or what they are called on.
// Methods write to their first argument, too.
var changesFirst = map[string][]string{
	"encoding/binary": {"PutUint16", "PutUint32", "PutUint64", "PutUvarint", "PutVarint"},
	"encoding/hex":    {"Decode", "Encode"},
	"unicode/utf8":    {"EncodeRune"},
	"sort":            {"Float64s", "Ints", "Reverse", "Slice", "SliceStable", "Sort", "Stable", "Strings"},
	"slices": {"Compact", "CompactFunc", "Delete", "DeleteFunc", "Insert", "Replace", "Reverse", "Sort", "SortFunc",
		"SortStableFunc"},
	"maps": {"Copy", "DeleteFunc", "Insert"},
}

// call notes what a call writes to. In init it may be all that a function gets which is not known.
func (s *side) call(c *ast.CallExpr, inInit bool) {
	tv := s.info.Types[c.Fun]
	if tv.IsType() {
		return
	}
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && len(c.Args) > 0 {
		b := s.info.Uses[id]
		if changesArgument[b] || b == types.Universe.Lookup("append") && isBeginning(c.Args[0]) {
			s.write(c.Args[0])
		}
	}
	args := passing.Arguments(s.info, c)
	fn, _ := typeutil.Callee(s.info, c).(*types.Func)
	switch {
	case tv.IsBuiltin() || len(args) == 0:
	case fn != nil && fn.Pkg() == s.pkg && s.byObj[fn.Origin()] != nil && s.byObj[fn.Origin()].fn.Body != nil:
		s.pass(c, fn)
	case fn != nil && fn.Pkg() != nil && slices.Contains(changesFirst[fn.Pkg().Path()], fn.Name()):
		s.write(args[0])
		if fn.Signature().Recv() != nil && len(c.Args) > 0 {
			s.write(c.Args[0])
		}
	case inInit && !s.harmless(c.Fun):
		for _, arg := range args {
			if isReference(s.typeOf(arg)) {
				s.write(arg)
			}
		}
	}
}

// pass notes what a call passes to a function of the package. A variadic parameter is a slice of the call's.
func (s *side) pass(c *ast.CallExpr, fn *types.Func) {
	for _, p := range passing.ToCall(s.info, c, fn) {
		if !p.Element && isReference(s.typeOf(p.Arg)) {
			s.passed = append(s.passed, p)
		}
	}
}

// isBeginning reports whether an expression is the beginning of a list. What is appended to it takes the place of the rest.
func isBeginning(x ast.Expr) bool {
	slice, ok := ast.Unparen(x).(*ast.SliceExpr)
	return ok && slice.High != nil && !slice.Slice3
}

// isReference reports whether what is written to a parameter of a type may be written to the argument: to a slice or a map, also
// in a struct or an array.
func isReference(t types.Type) bool {
	return refers(t, make(map[types.Type]bool))
}

func refers(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	case *types.Array:
		return refers(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// changesArgument are the builtin functions that write to what their first argument is.
var changesArgument = map[types.Object]bool{
	types.Universe.Lookup("delete"): true,
	types.Universe.Lookup("clear"):  true,
	types.Universe.Lookup("copy"):   true,
	types.Universe.Lookup("close"):  true,
}

// takesAddress reports whether the selector of a method takes the address of its operand.
func (s *side) takesAddress(sel *ast.SelectorExpr) bool {
	selection := s.info.Selections[sel]
	if selection == nil || selection.Kind() != types.MethodVal {
		return false
	}
	recv := selection.Obj().(*types.Func).Signature().Recv()
	if recv == nil {
		return false
	}
	_, pointer := types.Unalias(recv.Type()).(*types.Pointer)
	_, already := types.Unalias(s.typeOf(sel.X)).(*types.Pointer)
	return pointer && !already
}

// write notes the variable that is at the root of what is written to, and reports whether it was not known.
func (s *side) write(x ast.Expr) (added bool) {
	obj := s.root(x)
	if obj == nil || s.written[obj] {
		return false
	}
	s.written[obj] = true
	return true
}

// root returns what an expression begins with that leads to what is written, or nil.
func (s *side) root(x ast.Expr) types.Object {
	for x != nil {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.Ident:
			return origin(s.info.Uses[y])
		case *ast.CallExpr: // a conversion, which may be of a string
			if len(y.Args) != 1 || !s.info.Types[y.Fun].IsType() || !isReference(s.typeOf(y.Args[0])) {
				return nil
			}
			x = y.Args[0]
		default:
			return nil
		}
	}
	return nil
}
