package inline

import (
	"bytes"
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Strip returns a Go source file without the bodies of functions that no other package can see. These are neither inlinable, as
// the compiler prints them, nor generic. Without -complete the compiler takes such functions for assembly. What the compiler
// writes as export data stands for the package as it is, for types and for what is inlined in others. It takes a third of the
// time. Each line stays where it is.
//
// PackageName returns the name of an imported package; imports that only the removed bodies need are made blank.
func Strip(name string, src []byte, inlinable map[string]bool, packageName func(path string) string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	s := stripper{file: fset.File(file.FileStart), src: src, used: make(map[string]bool)}
	for _, d := range file.Decls {
		s.declaration(d, inlinable)
	}
	for _, spec := range file.Imports {
		path := importPath(spec)
		if path == "C" || spec.Name != nil && spec.Name.Name == "." {
			return nil, errors.New("it imports C, or a package without its name")
		}
		s.imported(spec, packageName(path))
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:embed") { // the compiler would look for the files
				s.cut(c.Pos(), c.End(), "")
			}
		}
	}
	return s.apply(), nil
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic("BUG: the parser accepted import " + spec.Path.Value)
	}
	return path
}

// A stripper cuts pieces out of a file.
type stripper struct {
	file *token.File
	src  []byte
	used map[string]bool // names that something is selected from, packages among them
	cuts []cut
}

type cut struct {
	from, to int
	text     string // that takes its place
}

func (s *stripper) cut(from, to token.Pos, text string) {
	s.cuts = append(s.cuts, cut{s.file.Offset(from), s.file.Offset(to), text})
}

// declaration cuts the body of a function, and notes the packages that what stays needs.
func (s *stripper) declaration(d ast.Decl, inlinable map[string]bool) {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		s.use(d)
		return
	}
	name, plain := printedName(f)
	switch {
	case f.Body == nil, !plain, inlinable[name], f.Name.Name == "_":
		s.use(d)
	case f.Name.Name == "init" && f.Recv == nil:
		s.cut(f.Body.Pos(), f.Body.End(), "{"+s.lines(f.Body)+"}")
	case f.Name.Name == "init": // the compiler demands a body
		s.use(d)
	default:
		if f.Recv != nil {
			s.use(f.Recv)
		}
		s.use(f.Type)
		s.cut(f.Body.Pos(), f.Body.End(), s.lines(f.Body))
	}
}

// lines returns the newlines in the text of a node.
func (s *stripper) lines(n ast.Node) string {
	text := s.src[s.file.Offset(n.Pos()):s.file.Offset(n.End())]
	return strings.Repeat("\n", bytes.Count(text, []byte("\n")))
}

// printedName returns the name of a function as the compiler prints it. It is not plain if type parameters are in it.
func printedName(f *ast.FuncDecl) (name string, plain bool) {
	name = f.Name.Name
	if f.Type.TypeParams != nil {
		return name, false
	}
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return name, true
	}
	switch t := ast.Unparen(f.Recv.List[0].Type).(type) {
	case *ast.Ident:
		return t.Name + "." + name, true
	case *ast.StarExpr:
		if id, ok := ast.Unparen(t.X).(*ast.Ident); ok {
			return "(*" + id.Name + ")." + name, true
		}
	}
	return name, false
}

func (s *stripper) use(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				s.used[id.Name] = true
			}
		}
		return true
	})
}

// imported makes an import blank that nothing needs any more.
func (s *stripper) imported(spec *ast.ImportSpec, name string) {
	if spec.Name == nil {
		if !s.used[name] {
			s.cut(spec.Path.Pos(), spec.Path.Pos(), "_ ")
		}
	} else if !s.used[spec.Name.Name] {
		s.cut(spec.Name.Pos(), spec.Name.End(), "_")
	}
}

// apply returns the source without what is cut.
func (s *stripper) apply() []byte {
	slices.SortFunc(s.cuts, func(a, b cut) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, c := range s.cuts {
		if c.from < at { // a comment in a body
			continue
		}
		out.Write(s.src[at:c.from])
		out.WriteString(c.text)
		at = c.to
	}
	out.Write(s.src[at:])
	return out.Bytes()
}
