package inline

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// A Package is a package as it is compiled.
type Package struct {
	ID    string // as go list prints it
	Path  string // import path
	Name  string
	Files []string // Go files in the order of compilation, absolute names

	Instrumented bool // some of the functions in its files get our code
}

// A function is a function or a function literal in the source. Its positions are those that the compiler shows, as line
// directives have them.
type function struct {
	name  string   // without the package; that of a generic function has [...] for its type arguments
	also  []string // of a literal: other names that it may have
	file  string   // absolute, whatever line directives say
	start token.Position
	end   token.Position

	deferred []deferral  // its go and defer statements
	calls    []namedCall // without those in function literals
	nodes    int         // statements and expressions, without those in function literals
}

// names returns all names that a function may have.
func (f *function) names() []string { return append([]string{f.name}, f.also...) }

// A namedCall is a call in the source. Its position is that of the parenthesis, as in the compiler's messages.
type namedCall struct {
	name  string // of a function or method, without the package or the type; "" for a function literal
	local bool   // it may be a call of a function literal, directly or by a variable
	at    token.Position
}

// A deferral is a go or defer statement. The compiler makes a function of a call with arguments or results in it, and numbers
// that function. Without types we do not know which calls get a number.
type deferral struct {
	kind       string // gowrap or deferwrap
	start, end token.Position
}

// functions finds the functions of a package, those of each file by the file's base name. Files that do not parse are left out.
func functions(p *Package, source func(file string) ([]byte, error)) map[string][]function {
	found := make(map[string][]function)
	fset := token.NewFileSet()
	var marked mark.Package // for its names of functions
	for _, name := range p.Files {
		src, err := source(name)
		if err != nil {
			continue
		}
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		dropped := perhapsDropped(f) // before there are markers in it
		list := marked.File(f).Funcs
		names := literalNames(list, dropped)
		for _, fn := range list {
			start := fset.Position(fn.Node.Pos())
			base := filepath.Base(start.Filename)
			found[base] = append(found[base], function{
				name: fn.Name, also: names[fn][1:], file: name, start: start, end: fset.Position(fn.Body.End()),
				deferred: deferrals(fset, fn.Body), calls: namedCalls(fset, fn.Body), nodes: nodes(fn.Body),
			})
		}
	}
	return found
}

// deferrals returns the go and defer statements of a function.
func deferrals(fset *token.FileSet, body *ast.BlockStmt) []deferral {
	var list []deferral
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			list = append(list, deferral{"gowrap", fset.Position(n.Pos()), fset.Position(n.End())})
		case *ast.DeferStmt:
			list = append(list, deferral{"deferwrap", fset.Position(n.Pos()), fset.Position(n.End())})
		}
		return true
	})
	return list
}

// namedCalls returns the calls in a function whose callee has a name or is a literal. Calls of the language's own functions and
// conversions to its types are left out.
func namedCalls(fset *token.FileSet, body *ast.BlockStmt) []namedCall {
	var list []namedCall
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if name, local := called(n.Fun); (name != "" || local) && types.Universe.Lookup(name) == nil {
				list = append(list, namedCall{name, local, fset.Position(n.Lparen)})
			}
		}
		return true
	})
	return list
}

// called returns the name of the function in a call, without type arguments, and whether it may be a function literal.
func called(fun ast.Expr) (name string, local bool) {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return "", true
	case *ast.Ident:
		return fun.Name, true
	case *ast.SelectorExpr:
		return fun.Sel.Name, false
	case *ast.IndexExpr:
		name, _ = called(fun.X)
	case *ast.IndexListExpr:
		name, _ = called(fun.X)
	}
	return name, false
}

// nodes counts what the compiler counts, more or less, to see whether a function is small enough to be inlined: statements
// and expressions.
func nodes(body *ast.BlockStmt) (n int) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.FuncLit:
			n++
			return false
		case ast.Stmt, ast.Expr:
			n++
		}
		return true
	})
	return n
}

// wrappers returns the names that the function may have which the compiler makes of a go or defer statement
// that a call is in.
func (f *function) wrappers(c Call) []string {
	for _, d := range f.deferred {
		if !before(c.Line, c.Col, d.start) && before(c.Line, c.Col, d.end) {
			var names []string
			for _, name := range f.names() {
				for i := range f.deferred {
					names = append(names, fmt.Sprintf("%s.%s%d", name, d.kind, i+1))
				}
			}
			return names
		}
	}
	return nil
}

// enclosing returns the innermost of functions that a call is in, or nil.
func enclosing(functions []function, c Call) *function {
	var in *function
	for i := range functions {
		f := &functions[i]
		if !before(c.Line, c.Col, f.start) && before(c.Line, c.Col, f.end) &&
			(in == nil || before(in.start.Line, in.start.Column, f.start)) {
			in = f
		}
	}
	return in
}

// before reports whether a position is before p. Without a column it is taken for the line's first.
func before(line, col int, p token.Position) bool {
	return line < p.Line || line == p.Line && col != 0 && col < p.Column
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
