package selector

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// TestLiterals has calls of variables with one function literal, whose calls the compiler knows, and of others with more than one
// value. The files of a package come in either order.
func TestLiterals(t *testing.T) {
	sources := []string{`package p

var only, hook, Exported = func() {}, func() {}, func() {}

func F(list []func(), given func()) {
	once := func() {}
	once()
	ranged := func() {}
	for _, ranged = range list {
		ranged()
	}
	if given == nil {
		given = func() {}
	}
	given()
	only()
	hook()
	Exported()
	pointed := func() {}
	p := &pointed
	*p = hook
	pointed()
}
`, `package p

func Hook(f func()) { hook = f }
`}
	want := []string{"ranged", "given", "hook", "Exported", "pointed"}
	for range 2 {
		fset := token.NewFileSet()
		var files []*ast.File
		var fn *mark.Func
		var file *ast.File
		var marks mark.Package
		for _, src := range sources {
			f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
		}
		var conf types.Config
		pkg, err := conf.Check("p", fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		finder := NewFinder(fset, files, pkg, info)
		for _, f := range files {
			for _, x := range marks.File(f).Funcs {
				if x.Name == "F" {
					fn, file = x, f
				}
			}
		}
		var got []string
		for _, s := range finder.Of(fn, file, Kinds{Calls: true}) {
			got = append(got, s.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("selectors of %q, want %q", got, want)
		}
		slices.Reverse(sources)
	}
}
