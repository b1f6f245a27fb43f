package reference

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"
)

// sources are types, and what comments say of their fields.
type sources struct {
	fset     *token.FileSet
	packages map[string]*types.Package // by path
	comments map[place]string
}

// A place is where a name is declared. It is the same for a type from source and for one from export data.
type place struct {
	file string
	line int
}

// load reads the packages with types that are written as JSON.
func load(t *testing.T) *sources {
	fset := token.NewFileSet()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	patterns := []string{"./export/...", "./ssacfg/table"}
	for _, s := range schemas {
		patterns = append(patterns, "./"+s.pkg)
	}
	list, err := packages.Load(&packages.Config{Mode: mode, Dir: root, Fset: fset}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	s := &sources{fset: fset, packages: make(map[string]*types.Package), comments: make(map[place]string)}
	for _, p := range list {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		s.packages[p.PkgPath] = p.Types
		for _, f := range p.Syntax {
			s.read(f)
		}
	}
	return s
}

// read notes what the comments of a file say of fields, behind them or before. One before that ends with a colon is about
// others, too.
func (s *sources) read(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		text := oneLine(field.Comment.Text())
		if doc := oneLine(field.Doc.Text()); text == "" && !strings.HasSuffix(doc, ":") {
			text = doc
		}
		for _, name := range field.Names {
			s.comments[s.at(name.Pos())] = text
		}
		return true
	})
}

// at returns the place of a position: the file with its folder, as paths of export data are others.
func (s *sources) at(pos token.Pos) place {
	p := s.fset.Position(pos)
	return place{filepath.Base(filepath.Dir(p.Filename)) + "/" + filepath.Base(p.Filename), p.Line}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// A writer writes the sections of a schema.
type writer struct {
	*sources
	b      *strings.Builder
	title  string
	known  map[*types.TypeName]bool
	coming []*types.Named
}

// write writes a section for each struct of a schema.
func (s *sources) write(t *testing.T, b *strings.Builder, j schema) {
	w := &writer{sources: s, b: b, title: j.title, known: make(map[*types.TypeName]bool)}
	for _, name := range j.types {
		w.link(types.Unalias(s.lookup(t, j.pkg, name).Type()).(*types.Named))
	}
	for len(w.coming) > 0 {
		next := w.coming[0]
		w.coming = w.coming[1:]
		fmt.Fprintf(b, "\n### %s: %s\n\n| field | type | |\n|---|---|---|\n", w.title, title(next))
		w.fields(next.Underlying().(*types.Struct))
	}
}

// lookup returns what a package declares by a name.
func (s *sources) lookup(t *testing.T, pkg, name string) types.Object {
	if p := s.packages[module+pkg]; p != nil && p.Scope().Lookup(name) != nil {
		return p.Scope().Lookup(name)
	}
	t.Fatalf("package %s has no %s", pkg, name)
	return nil
}

// version returns the version of a schema.
func (s *sources) version(t *testing.T, j schema) string {
	return s.lookup(t, j.pkg, j.version).(*types.Const).Val().String()
}

// title returns what a type is called in headings.
func title(n *types.Named) string {
	name := strings.TrimPrefix(strings.TrimPrefix(n.Obj().Name(), "json"), "markers")
	r, size := utf8.DecodeRuneInString(name)
	if len(name) > 1 && unicode.IsUpper(rune(name[1])) {
		return strings.ToLower(name)
	}
	return string(unicode.ToLower(r)) + name[size:]
}

// link returns a link to the section of a type, which it has written.
func (w *writer) link(n *types.Named) string {
	if !w.known[n.Obj()] {
		w.known[n.Obj()] = true
		w.coming = append(w.coming, n)
	}
	return fmt.Sprintf("[%s](#%s-%s)", title(n), w.title, strings.ToLower(title(n)))
}

// fields writes a row for each field, with those of structs that are embedded.
func (w *writer) fields(s *types.Struct) { w.rows(s, nil, false) }

// rows writes the fields of a struct, but those that a struct around it hides. Those of an embedded pointer may be missing.
func (w *writer) rows(s *types.Struct, hidden []string, missing bool) {
	own := slices.Clone(hidden)
	for i := range s.NumFields() {
		if name, _ := member(s, i); name != "" {
			own = append(own, name)
		}
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		name, options := member(s, i)
		switch {
		case name == "" && f.Embedded():
			_, pointer := types.Unalias(f.Type()).(*types.Pointer)
			w.rows(dereferenced(f.Type()).Underlying().(*types.Struct), own, missing || pointer)
			continue
		case name == "-" || slices.Contains(hidden, name):
			continue
		}
		text := w.typeText(f.Type())
		if strings.Contains(options, "string") {
			text = "string"
		}
		if missing || strings.Contains(options, "omit") {
			text += " *?*"
		}
		comment := strings.ReplaceAll(w.comments[w.at(f.Pos())], "|", `\|`)
		if comment == "…" {
			comment = "as above"
		}
		fmt.Fprintf(w.b, "| `%s` | %s | %s |\n", name, text, comment)
	}
}

// member returns what a field is called in JSON, with the options of its tag. It is "-" for a field that JSON does not have, and
// "" for an embedded struct, whose fields stand for themselves.
func member(s *types.Struct, i int) (name, options string) {
	f := s.Field(i)
	name, options, _ = strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
	switch {
	case !f.Exported() && !f.Embedded():
		return "-", ""
	case name == "" && !f.Embedded():
		return f.Name(), options
	}
	return name, options
}

func dereferenced(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// typeText returns what JSON has for a type.
func (w *writer) typeText(t types.Type) string {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.Pointer:
		return w.typeText(t.Elem())
	case *types.Slice:
		if t.String() == "[]byte" {
			return "string, base64"
		}
		return "list of " + w.typeText(t.Elem())
	case *types.Array:
		return "list of " + w.typeText(t.Elem())
	case *types.Map:
		return "object, with " + w.typeText(t.Key()) + " to " + w.typeText(t.Elem())
	case *types.Named:
		switch name := t.String(); {
		case name == "time.Time":
			return "time, RFC 3339"
		case name == "time.Duration":
			return "integer, ns"
		case name == "math/big.Int":
			return "integer"
		case has(t, "MarshalText"):
			return "string"
		case has(t, "MarshalJSON"):
			return "any"
		}
		if _, ok := t.Underlying().(*types.Struct); ok {
			return w.link(t)
		}
		return w.typeText(t.Underlying())
	case *types.Struct:
		var names []string
		for i := range t.NumFields() {
			name, _, _ := strings.Cut(reflect.StructTag(t.Tag(i)).Get("json"), ",")
			names = append(names, "`"+name+"`: "+w.typeText(t.Field(i).Type()))
		}
		return "object with " + strings.Join(names, ", ")
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsBoolean != 0:
			return "boolean"
		case info&types.IsString != 0:
			return "string"
		case info&types.IsInteger != 0:
			return "integer"
		}
		return "number"
	}
	return "any"
}

// has reports whether a type, or a pointer to it, has a method.
func has(t types.Type, method string) bool {
	return types.NewMethodSet(types.NewPointer(t)).Lookup(nil, method) != nil
}
