// Package clone makes a second function of a function, with the same source. So the compiler can be told something about one of
// the two only. AUDIT section 2: "a performance auditing system compiles two (or more) versions of the method: one with the
// optimization (A), and one without".
//
// The optimization is what a PGO profile brings: inlining of hot calls, and calls through interfaces that become direct ones. The
// compiler looks edges up by the name of the function that calls and by the line of the call. The line is counted from the start
// of the function. So of
//
//	func (p *parser) next() { … }
//
// [Add] makes, behind the end of the file,
//
//	//goprofinstr:variant of=(*parser).next
//	//line :12:1
//	func (p *parser) next_pgo() { … }
//
// and package inline has the profile's edges of next say next_pgo. Package rewrite has next_pgo call itself where next does.
//
// Not handled: functions without a name of their own, which are init, main of package main, and literals. Nor are those with type
// parameters, of which the compiler calls each instance by another name. A method more is seen by package reflect.
package clone

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/placement"
)

// Clone is a function with its second.
type Clone struct {
	Source []byte // of the file
	Of     string // the function, as the Go runtime calls it, without the package: F, T.F, (*T).F
	Name   string // of the clone, in the same form
}

// Functions returns the functions that a file declares; none if it cannot be parsed.
func Functions(src []byte) (functions []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			functions = append(functions, name(d))
		}
	}
	return functions
}

// Add adds a clone of a function to the file that declares it. Its name is in no other source of the package either.
func Add(file string, src []byte, function string, others [][]byte) (*Clone, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	decl := declaration(f, function)
	if decl == nil {
		return nil, fmt.Errorf("%s: no function %s", file, function)
	}
	if why := refuse(f, decl); why != "" {
		return nil, fmt.Errorf("%s: %s: %s", fset.Position(decl.Pos()), function, why)
	}
	suffix := "_pgo"
	has := func(src []byte) bool { return bytes.Contains(src, []byte(decl.Name.Name+suffix)) }
	for has(src) || slices.ContainsFunc(others, has) {
		suffix += "_"
	}
	at := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	var b strings.Builder
	b.Write(src)
	fmt.Fprintf(&b, "\n\n//goprofinstr:variant of=%s\n", function)
	b.WriteString(placement.Directives(f, decl))
	b.WriteString(placement.LineDirective(file, src, fset.Position(decl.Pos())))
	b.Write(src[at(decl.Pos()):at(decl.Name.End())])
	b.WriteString(suffix)
	b.Write(src[at(decl.Name.End()):at(decl.End())])
	b.WriteString("\n")
	return &Clone{Source: []byte(b.String()), Of: function, Name: function + suffix}, nil
}

// refuse returns why a function cannot have a clone.
func refuse(f *ast.File, decl *ast.FuncDecl) string {
	switch {
	case decl.Body == nil:
		return "it has no body here"
	case isGeneric(decl):
		return "it has type parameters, and the compiler gives each instance a name of its own"
	case decl.Recv == nil && (decl.Name.Name == "init" || decl.Name.Name == "main" && f.Name.Name == "main"):
		return "it cannot be called"
	}
	return ""
}

func isGeneric(decl *ast.FuncDecl) bool {
	if decl.Type.TypeParams != nil {
		return true
	}
	return decl.Recv != nil && strings.Contains(receiver(decl), "[")
}

// declaration returns that of a function.
func declaration(f *ast.File, function string) *ast.FuncDecl {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && name(d) == function {
			return d
		}
	}
	return nil
}

// name returns what the Go runtime calls a function, without the package.
func name(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	return receiver(decl) + "." + decl.Name.Name
}

// receiver returns the type of a method's receiver: T, (*T), or with brackets if it is generic.
func receiver(decl *ast.FuncDecl) string {
	t := ast.Unparen(decl.Recv.List[0].Type)
	if p, ok := t.(*ast.StarExpr); ok {
		return "(*" + typeName(ast.Unparen(p.X)) + ")"
	}
	return typeName(t)
}

func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.IndexExpr:
		return typeName(t.X) + "[...]"
	case *ast.IndexListExpr:
		return typeName(t.X) + "[...]"
	}
	return "?"
}
