package selector

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
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

// TestIdle has directives for values, of which those that ask for none have "idle" on the line before.
func TestIdle(t *testing.T) {
	const src = `package p

func F(n int) (m int) { //goprofinstr:value
	m = n //goprofinstr:value
	m++   //goprofinstr:value
	var x = n //goprofinstr:value
	x = n +
		m //goprofinstr:value
again:
	m-- //goprofinstr:value
	// idle
	if v := n; v > 3 { //goprofinstr:value
		goto again
	}
	// idle
	for i := range n { //goprofinstr:value
		func(i int) { //goprofinstr:value
		}(i)
	}
	// idle
	x = max( //goprofinstr:value
		n, m)
	var (
		// idle
		y = 3 //goprofinstr:value
	)
	// idle
	_ = x + y //goprofinstr:value
	switch {
	// idle
	case x > 3: //goprofinstr:value
		x = 4 //goprofinstr:value
	}
	// idle
	//goprofinstr:value
	return m
}

// idle
func none() { //goprofinstr:value
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []int
	for _, pos := range Idle(fset, f) {
		got = append(got, fset.Position(pos).Line)
	}
	for i, line := range strings.Split(src, "\n") {
		if strings.HasSuffix(line, "// idle") {
			want = append(want, i+2)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("idle directives on lines %v, want %v", got, want)
	}
}
