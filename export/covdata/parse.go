package covdata

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A file is a source file with the functions that the cover tool makes counters for, in its order.
type file struct {
	pkg       string // name in the package clause
	functions []*function
	spans     []span // of the functions
}

// A span is where a function is in its file, whatever //line directives say.
type span struct{ from, to place }

type place struct{ line, col int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

// parse returns the functions of a file, without extents. Their names are those of package main in cmd/cover: receivers
// with type parameters are left out, and literals are called by their place.
func parse(s *coverprofile.Source) (*file, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, s.Name, s.Text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	f := &file{pkg: syntax.Name.Name}
	add := func(n ast.Node, name string, literal bool) {
		from, to := fset.PositionFor(n.Pos(), false), fset.PositionFor(n.End(), false)
		f.functions = append(f.functions, &function{name: name, literal: literal})
		f.spans = append(f.spans, span{place{from.Line, from.Column}, place{to.Line, to.Column}})
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name != "_" && n.Body != nil {
				add(n, declaredName(n), false)
			}
			return false
		case *ast.FuncLit:
			p := fset.Position(n.Pos())
			add(n, fmt.Sprintf("func.L%d.C%d", p.Line, p.Column), true)
			return false
		}
		return true
	})
	return f, nil
}

// declaredName returns what the cover tool calls a function.
func declaredName(f *ast.FuncDecl) string {
	name := f.Name.Name
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return name
	}
	t, star := f.Recv.List[0].Type, ""
	if p, ok := t.(*ast.StarExpr); ok {
		t, star = p.X, "*"
	}
	if id, ok := t.(*ast.Ident); ok {
		name = star + id.Name + "." + name
	}
	return name
}

// addExtents gives the functions their extents and counts.
func (f *file) addExtents(s *coverprofile.Source, counts map[*profile.Function][]int64) {
	for i := range s.Extents {
		e := &s.Extents[i]
		fn := f.around(place{e.Line(), e.Col()})
		if fn == nil {
			continue
		}
		n := int64(0)
		if e.Why == "" {
			if counts[e.Function] == nil {
				counts[e.Function] = e.Function.StatementCounts()
			}
			n = max(counts[e.Function][e.Statement], 0)
		}
		fn.file = e.File
		fn.extents, fn.counts = append(fn.extents, e.Extent), append(fn.counts, n)
	}
}

// around returns the function around a place, nil if there is none.
func (f *file) around(at place) *function {
	i := sort.Search(len(f.spans), func(i int) bool { return at.before(f.spans[i].from) }) - 1
	if i < 0 || !at.before(f.spans[i].to) {
		return nil
	}
	return f.functions[i]
}
