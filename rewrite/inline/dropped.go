package inline

import (
	"go/ast"
	"go/token"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// The compiler drops literals in branches by constant conditions before it numbers the others: behind one for another system
// F.func2 is F.func1. Without types nobody knows what is a constant. So a literal has a name for each number that it may have.
// Those that are of other literals do no harm: these do not call the same at the same lines.
//
// Not handled: literals behind a return that such a branch ends with.

// mostNames is how many names a literal may have. In a test of many cases each literal behind a condition would have one more.
const mostNames = 64

// literalNames returns the names that the functions of a file may have, first those by which all literals are counted.
func literalNames(functions []*mark.Func, dropped map[ast.Node]bool) map[*mark.Func][]string {
	names := make(map[*mark.Func][]string)
	all, sure := make(map[*mark.Func]int), make(map[*mark.Func]int)
	for _, fn := range functions { // outer ones first
		outer := fn.Outer
		if _, literal := fn.Node.(*ast.FuncLit); !literal || outer == nil {
			names[fn] = []string{fn.Name}
			continue
		}
		least := sure[outer] + 1
		all[outer]++
		if !dropped[fn.Node] {
			sure[outer]++
		}
		for _, name := range names[outer] {
			for i := all[outer]; i >= least && len(names[fn]) < mostNames; i-- {
				names[fn] = append(names[fn], mark.LiteralName(name, outer.Node, i))
			}
		}
	}
	return names
}

// perhapsDropped returns the literals of a file that the compiler may drop.
func perhapsDropped(f *ast.File) map[ast.Node]bool {
	found := make(map[ast.Node]bool)
	drop := func(n ast.Node) {
		if n == nil {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				found[lit] = true
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if perhapsConstant(n.Cond) {
				drop(n.Body)
				drop(n.Else)
			}
		case *ast.ForStmt:
			if n.Cond != nil && perhapsConstant(n.Cond) {
				drop(n.Post)
				drop(n.Body)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil || perhapsConstant(n.Tag) {
				drop(n.Body)
			}
		case *ast.BinaryExpr:
			if mark.IsLogical(n) && perhapsConstant(n.X) {
				drop(n.Y)
			}
		}
		return true
	})
	return found
}

// perhapsConstant reports whether an expression may be a constant, or be decided by one: it has nothing but names and literals.
func perhapsConstant(x ast.Expr) bool {
	if b, ok := x.(*ast.BinaryExpr); ok && mark.IsLogical(b) {
		return perhapsConstant(b.X) || perhapsConstant(b.Y)
	}
	constant := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.BasicLit, *ast.ParenExpr, *ast.BinaryExpr, *ast.SelectorExpr:
		case *ast.Ident:
			constant = constant && n.Name != "nil"
		case *ast.UnaryExpr:
			constant = constant && n.Op != token.ARROW && n.Op != token.AND
		default:
			constant = false
		}
		return constant
	})
	return constant
}
