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

// literal names the i-th function literal of outer.
func (n *names) literal(outer *Func, i int) string {
	if _, ok := outer.Node.(*ast.FuncLit); ok {
		return outer.Name + "." + strconv.Itoa(i)
	}
	return strings.TrimSuffix(outer.Name, ".") + ".func" + strconv.Itoa(i)
}

// Number names the literals of files anew, as the compiler does. It counts none of those in code that it drops before. These
// get names of their own, such as F.func1-dead, that nothing has when the program runs.
func Number(files []*File, dropped map[*ast.FuncLit]bool) {
	var n names
	live, dead := make(map[*Func]int), make(map[*Func]int)
	for _, f := range files {
		for _, fn := range f.Funcs { // outer ones first
			lit, ok := fn.Node.(*ast.FuncLit)
			switch {
			case !ok || fn.Outer == nil:
			case dropped[lit]:
				dead[fn.Outer]++
				fn.Name = n.literal(fn.Outer, dead[fn.Outer]) + "-dead"
			default:
				live[fn.Outer]++
				fn.Name = n.literal(fn.Outer, live[fn.Outer])
			}
		}
	}
}
