package mark

import (
	"go/ast"
	"strconv"
	"strings"
)

// names makes up the names of a package's functions as the Go runtime prints them.
type names struct {
	inits   int // init functions so far
	globals int // literals outside functions so far
}

func (n *names) declared(decl *ast.FuncDecl) string {
	name := decl.Name.Name
	if decl.Type.TypeParams != nil { // methods may have some since Go 1.27
		name += "[...]"
	}
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		if name == "init" {
			n.inits++
			return "init." + strconv.Itoa(n.inits-1)
		}
		return name
	}
	recv := ast.Unparen(decl.Recv.List[0].Type)
	star := false
	if p, ok := recv.(*ast.StarExpr); ok {
		star, recv = true, ast.Unparen(p.X)
	}
	generic := ""
	switch x := recv.(type) {
	case *ast.IndexExpr:
		recv, generic = x.X, "[...]"
	case *ast.IndexListExpr:
		recv, generic = x.X, "[...]"
	}
	typ := "?"
	if id, ok := ast.Unparen(recv).(*ast.Ident); ok {
		typ = id.Name + generic
	}
	if star {
		typ = "(*" + typ + ")"
	}
	return typ + "." + name
}

// global names the next function literal outside any function.
func (n *names) global() string {
	n.globals++
	return "init.func" + strconv.Itoa(n.globals)
}

// LiteralName returns the name of the i-th function literal of a function of a name, which is a declaration or a literal itself.
func LiteralName(outer string, function ast.Node, i int) string {
	_, isLiteral := function.(*ast.FuncLit)
	return literalName(outer, isLiteral, i)
}

func literalName(outer string, isLiteral bool, i int) string {
	if isLiteral {
		return outer + "." + strconv.Itoa(i)
	}
	return strings.TrimSuffix(outer, ".") + ".func" + strconv.Itoa(i)
}

// A Numbering is what the compiler does before and while it numbers literals.
type Numbering struct {
	Dropped    map[ast.Node]bool           // literals and range statements in code that it drops
	OverFunc   func(s *ast.RangeStmt) bool // reports whether s ranges over a function
	RangeNames bool                        // literals in its body are those of a function F-range1: F-range1.1
}

// Number names the literals of files anew, as the compiler does. It counts none of those in code that it drops before. These
// get names of their own, such as F.func1-dead, that nothing has when the program runs.
func Number(files []*File, how Numbering) {
	for _, f := range files {
		functions := make(map[ast.Node]*Func)
		for _, fn := range f.Funcs {
			functions[fn.Node] = fn
		}
		for _, fn := range f.Funcs {
			if fn.Outer == nil {
				_, isLiteral := fn.Node.(*ast.FuncLit)
				(&numberer{Numbering: how, functions: functions, name: fn.Name, isLiteral: isLiteral}).number(fn.Body)
			}
		}
	}
}

// A numberer numbers the literals in one function, or in one that the compiler makes.
type numberer struct {
	Numbering
	functions          map[ast.Node]*Func
	name               string
	isLiteral          bool
	live, dead, ranges int // so far
}

// number numbers the literals in a part of the function.
func (n *numberer) number(part ast.Node) {
	ast.Inspect(part, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			n.literal(node)
			return false
		case *ast.RangeStmt:
			if n.OverFunc(node) {
				n.rangeOver(node)
				return false
			}
		}
		return true
	})
}

func (n *numberer) literal(lit *ast.FuncLit) {
	fn := n.functions[lit]
	if fn == nil {
		return // it is part of a constant, as in unsafe.Sizeof(func() {})
	}
	if n.Dropped[lit] {
		n.dead++
		fn.Name = literalName(n.name, n.isLiteral, n.dead) + "-dead"
	} else {
		n.live++
		fn.Name = literalName(n.name, n.isLiteral, n.live)
	}
	n.within(fn.Name).number(lit.Body)
}

// within returns a numberer for a function without a name of its own in the source.
func (n *numberer) within(name string) *numberer {
	return &numberer{Numbering: n.Numbering, functions: n.functions, name: name, isLiteral: true}
}

// rangeOver numbers the literals in a range statement over a function. The compiler declares a function for the body, and then
// calls the function that is ranged over.
func (n *numberer) rangeOver(s *ast.RangeStmt) {
	body := n
	if n.RangeNames && !n.Dropped[s] {
		n.ranges++
		body = n.within(n.name + "-range" + strconv.Itoa(n.ranges))
	}
	for _, x := range []ast.Expr{s.Key, s.Value} { // which the body assigns to
		if x != nil {
			body.number(x)
		}
	}
	body.number(s.Body)
	n.number(s.X)
}
