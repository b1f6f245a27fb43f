package selection

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/rewrite"
)

// A kind is what a declaration is of.
type kind int

const (
	function kind = iota
	method
	typeName
	constant
	variable
	initialiser // func init
)

// A declaration is one of a file's at package level. Constants that count with iota are one.
type declaration struct {
	key   string // the same for the old and the new one
	kind  kind
	names []string // that it declares; of a method, of the type
	file  string
	text  string // its words, without comments
	head  string // of functions, those before the body
	runs  bool   // of variables: what they are initialised with may have effects

	inHead, inBody words // all of those without a body are in its head
}

// Words are what may be names, with how they stand there.
type words map[string]standing

// A standing is how a word stands in a declaration: alone, behind a dot, or both.
type standing int

const (
	plain standing = 1 << iota
	qualified
)

// A source is what is known of a file.
type source struct {
	name         string
	pkg          string   // name of the package
	imports      []string // paths, sorted
	special      []string // build constraints, directives and C code, in order
	odd          bool     // it imports with a dot or a blank
	examples     []string // functions with a comment of what they print, which go test runs
	declarations []*declaration
}

// parse reads a Go file. The name is for messages and keys.
func parse(name string, src []byte) (*source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	r := &reader{fset: fset, src: src, source: &source{name: name, pkg: f.Name.Name}}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			r.odd = r.odd || spec.Name.Name == "." || spec.Name.Name == "_"
			p = spec.Name.Name + " " + p
		}
		r.imports = append(r.imports, p)
	}
	slices.Sort(r.imports)
	r.addSpecial(f)
	if isTestFile(name) {
		r.addExamples(f)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.addFunc(d)
		case *ast.GenDecl:
			r.addGen(d)
		}
	}
	return r.source, nil
}

// A reader makes the source of a syntax tree.
type reader struct {
	fset *token.FileSet
	src  []byte
	*source
}

// addSpecial adds comments that are read by tools which make programs.
func (r *reader) addSpecial(f *ast.File) {
	usesC := slices.Contains(r.imports, "C")
	for _, group := range f.Comments {
		for _, c := range group.List {
			is := strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:generate")
			is = is || strings.HasPrefix(c.Text, "//line ") || strings.HasPrefix(c.Text, "/*line ")
			is = is || strings.HasPrefix(c.Text, "//export ") || strings.HasPrefix(c.Text, "// +build") || usesC
			if is {
				r.special = append(r.special, c.Text)
			}
		}
	}
}

// addExamples adds the examples that have an output. The package gets another name: of examples in a package p_test, go/doc
// makes programs, for which it needs objects.
func (r *reader) addExamples(f *ast.File) {
	for _, e := range doc.Examples(&ast.File{Name: ast.NewIdent("p"), Decls: f.Decls, Comments: f.Comments}) {
		if e.Output != "" || e.EmptyOutput {
			r.examples = append(r.examples, "Example"+e.Name)
		}
	}
}

// addFunc adds a function or method.
func (r *reader) addFunc(d *ast.FuncDecl) {
	n := &declaration{kind: function, names: []string{d.Name.Name}, key: "func " + d.Name.Name}
	switch recv := rewrite.ReceiverType(d); {
	case recv != "":
		n.kind, n.names, n.key = method, []string{recv}, "method "+recv+"."+d.Name.Name
	case d.Name.Name == "init":
		n.kind, n.key = initialiser, "init"
	}
	end := d.End()
	if d.Body != nil {
		end = d.Body.Lbrace
	}
	n.head, n.inHead = r.words(d.Pos(), end, false)
	isExample := strings.HasPrefix(d.Name.Name, "Example") && strings.HasSuffix(r.name, "_test.go")
	var body string
	body, n.inBody = r.words(end, d.End(), isExample) // what it is to print is a comment
	n.text = n.head + body
	r.add(n)
}

// addGen adds types, constants and variables.
func (r *reader) addGen(d *ast.GenDecl) {
	if d.Tok == token.IMPORT {
		return
	}
	if d.Tok == token.CONST && r.counts(d) {
		n := &declaration{kind: constant}
		for _, spec := range d.Specs {
			n.names = append(n.names, namesOf(spec.(*ast.ValueSpec))...)
		}
		r.addSpec(n, d)
		return
	}
	for _, spec := range d.Specs {
		n := new(declaration)
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			n.kind, n.names = typeName, []string{spec.Name.Name}
		case *ast.ValueSpec:
			n.kind, n.names = constant, namesOf(spec)
			if d.Tok == token.VAR {
				n.kind = variable
				n.runs = slices.ContainsFunc(spec.Values, hasEffects)
			}
		}
		r.addSpec(n, spec)
	}
}

func (r *reader) addSpec(n *declaration, node ast.Node) {
	n.key = fmt.Sprint(n.kind, n.names)
	if n.kind == variable {
		n.key += r.name // in what order they are initialised depends on the file
	}
	n.text, n.inHead = r.words(node.Pos(), node.End(), false)
	r.add(n)
}

// add adds a declaration. Those that share a name are told apart by their order.
func (r *reader) add(n *declaration) {
	n.file = r.name
	if n.kind == initialiser || slices.Contains(n.names, "_") {
		n.key = fmt.Sprint(n.key, " ", r.name)
		for slices.ContainsFunc(r.declarations, func(d *declaration) bool { return d.key == n.key }) {
			n.key += "+"
		}
	}
	r.declarations = append(r.declarations, n)
}

// counts reports whether constants depend on where they stand in their group.
func (r *reader) counts(d *ast.GenDecl) bool {
	return slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool {
		_, words := r.words(spec.Pos(), spec.End(), false)
		return words["iota"] != 0 || len(spec.(*ast.ValueSpec).Values) == 0
	})
}

func namesOf(spec *ast.ValueSpec) (names []string) {
	for _, id := range spec.Names {
		names = append(names, id.Name)
	}
	return names
}

// words returns the words of a part of the source, and those among them that may be names.
func (r *reader) words(from, to token.Pos, comments bool) (text string, names words) {
	start, end := r.fset.Position(from).Offset, r.fset.Position(to).Offset
	part := r.src[start:end]
	names = make(words)
	var s scanner.Scanner
	mode := scanner.Mode(0)
	if comments {
		mode = scanner.ScanComments
	}
	s.Init(token.NewFileSet().AddFile("", -1, len(part)), part, nil, mode)
	var b bytes.Buffer
	for before := token.ILLEGAL; ; {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return b.String(), names
		case tok == token.SEMICOLON:
			literal = ";"
		case tok == token.IDENT && before == token.PERIOD:
			names[literal] |= qualified
		case tok == token.IDENT:
			names[literal] |= plain
		}
		before = tok
		b.WriteString(tok.String() + " " + literal + "\n")
	}
}

// harmless are functions that have no effect besides their result.
var harmless = []string{
	"errors.New", "fmt.Errorf", "fmt.Sprintf", "regexp.MustCompile", "reflect.TypeOf", "reflect.TypeFor", "strings.NewReplacer",
	"big.NewInt", "make", "new", "len", "cap", "min", "max",
	"string", "byte", "rune", "int", "int64", "uint64", "float64", "int32", "uint32",
}

// hasEffects reports whether evaluating an expression may have effects.
func hasEffects(x ast.Expr) (has bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // does not run
		case *ast.UnaryExpr:
			has = has || n.Op == token.ARROW
		case *ast.CallExpr:
			has = has || !isHarmless(n)
		}
		return !has
	})
	return has
}

// isHarmless reports whether a call itself has no effect. Its arguments may have some.
func isHarmless(call *ast.CallExpr) bool {
	fun := call.Fun
	if p, ok := fun.(*ast.ParenExpr); ok {
		fun = p.X
	}
	if x, ok := fun.(*ast.IndexExpr); ok { // an instance of a generic function
		fun = x.X
	}
	switch f := fun.(type) {
	case *ast.Ident:
		return slices.Contains(harmless, f.Name)
	case *ast.ArrayType, *ast.StarExpr, *ast.MapType, *ast.InterfaceType, *ast.FuncType:
		return true // a conversion
	case *ast.SelectorExpr:
		if inner, ok := f.X.(*ast.CallExpr); ok && f.Sel.Name == "Elem" {
			return isHarmless(inner)
		}
		id, ok := f.X.(*ast.Ident)
		return ok && slices.Contains(harmless, id.Name+"."+f.Sel.Name)
	}
	return false
}

// isRun reports whether a declaration is a test that go test runs. An example without output is only compiled.
func (s *source) isRun(d *declaration) bool {
	if d.kind != function || !isTestFile(s.name) || !alone.IsTest(d.names[0]) || d.names[0] == "TestMain" {
		return false
	}
	return !strings.HasPrefix(d.names[0], "Example") || slices.Contains(s.examples, d.names[0])
}

// importsPath reports whether a file imports a package.
func (s *source) importsPath(p string) bool {
	return slices.ContainsFunc(s.imports, func(i string) bool { return importPath(i) == p })
}

// importPath returns the path of an element of source.imports.
func importPath(i string) string { return i[strings.LastIndexByte(i, ' ')+1:] }

// isTestFile reports whether a file is a test file by its name.
func isTestFile(name string) bool { return strings.HasSuffix(path.Base(name), "_test.go") }
