// Package selector finds the places in the source where events besides paths can be made. These are calls whose callee
// the source does not name, and variables whose values the user asks for. The package needs syntax and types, and no
// SSA.
package selector

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

// A Selector is a place in the source where events can be made. It is a call of an interface's method or of a function value, or
// a variable whose values the user wants to know. (Events of loops are found in the graph.)
type Selector struct {
	Kind     table.EventKind
	Pos      token.Pos // of the parenthesis of a call, or of the variable
	Text     string    // of the source
	Declined string    // why no events can be made

	// Calls: the operand, which becomes an argument of the runtime's function. It is the receiver if Method is not negative;
	// then Fields lead from it to the embedded interface whose method number Method is called.
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

// A Finder finds the selectors of a package.
type Finder struct {
	fset     *token.FileSet
	info     *types.Info
	pkg      *types.Package
	literals map[types.Object]bool // variables that only ever have one function literal
	moving   map[types.Object]bool // variables that a closure, or their address, may give another value while a call is evaluated

	marked map[*ast.File]map[int]token.Pos // directives for values, by line
}

// NewFinder returns the finder of a package, given its files with comments and what type-checking has found.
func NewFinder(fset *token.FileSet, files []*ast.File, pkg *types.Package, info *types.Info) *Finder {
	s := &Finder{
		fset: fset, info: info, pkg: pkg,
		literals: make(map[types.Object]bool), moving: make(map[types.Object]bool),
		marked: make(map[*ast.File]map[int]token.Pos),
	}
	assigned := make(map[types.Object]int)
	for _, f := range files {
		s.variables(f, assigned)
		s.marked[f] = marked(fset, f)
	}
	for obj, n := range assigned {
		if n > 1 {
			delete(s.literals, obj)
		}
	}
	return s
}

func (s *Finder) line(pos token.Pos) int { return line(s.fset, pos) }

func line(fset *token.FileSet, pos token.Pos) int { return fset.PositionFor(pos, false).Line }

// many is how often something is assigned to variables that a pointer, or another package, may give another value.
const many = 2

// variables finds out what a file assigns to variables, how often, and where it uses them.
func (s *Finder) variables(f *ast.File, assigned map[types.Object]int) {
	define := func(lhs, rhs ast.Expr) {
		id, ok := ast.Unparen(lhs).(*ast.Ident)
		if !ok {
			return
		}
		obj := s.info.ObjectOf(id)
		assigned[obj]++
		if obj != nil && obj.Exported() && obj.Parent() == s.pkg.Scope() {
			assigned[obj] += many
		}
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
		case *ast.RangeStmt:
			define(n.Key, nil)
			define(n.Value, nil)
		case *ast.Field: // parameters have a value before one is assigned to them
			for _, name := range n.Names {
				define(name, nil)
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
				s.moving[s.info.ObjectOf(id)] = true
				assigned[s.info.ObjectOf(id)] += many
			}
		case *ast.Ident:
			if v, ok := s.info.Uses[n].(*types.Var); ok && isCaptured(v, stack) {
				s.moving[v] = true
			}
		}
		return true
	})
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

// Of returns the selectors of a function in a file, in source order.
func (s *Finder) Of(fn *mark.Func, file *ast.File, kinds Kinds) (list []*Selector) {
	if kinds.Calls {
		list = append(list, s.calls(fn)...)
	}
	if kinds.Values {
		list = append(list, s.values(fn, file)...)
	}
	if v := s.info.FileVersions[file]; version.IsValid(v) && version.Compare(v, "go1.18") < 0 {
		for _, sel := range list {
			if sel.Kind == table.Calls && sel.Declined == "" {
				sel.Declined = "it takes generic functions, and the language is that of " + v
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Selector) int { return int(a.Pos - b.Pos) })
	return list
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
