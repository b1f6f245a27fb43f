package placement

import (
	"errors"
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

func TestFit(t *testing.T) {
	for _, test := range []struct{ wanted, versions, want int }{
		{6, 2, 6}, {9, 2, 7}, {6, 3, 5}, {6, 4, 3}, {6, 5, 3}, {6, 6, 1}, {6, 15, 1}, {3, 2, 3}, {2, 2, 1}, {1, 2, 1},
	} {
		if got := Fit(test.wanted, test.versions); got != test.want {
			t.Errorf("%d of %d versions: %d, want %d", test.wanted, test.versions, got, test.want)
		}
	}
}

// add returns the sources of files, in the order of their names, and the names of versions, when each function whose name begins
// with F has two copies.
func add(t *testing.T, sources ...string) (out []string, versionOf map[string]string) {
	t.Helper()
	p := &load.Package{Path: "p"}
	for i, src := range sources {
		if err := p.Add(&load.File{Name: string(rune('a'+i)) + ".go", Src: []byte(src)}); err != nil {
			t.Fatal(err)
		}
	}
	check := func() *types.Info {
		info := &types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object)}
		if err := p.Parse(); err != nil {
			t.Fatal(err)
		}
		if _, err := new(types.Config).Check("p", p.Fset, p.Compiled, info); err != nil {
			t.Fatal(errors.Join(err, errors.New(string(p.Files[0].Src))))
		}
		return info
	}
	info := check()
	var versions []Version
	for _, f := range p.Files {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "F") {
				v := Version{Name: fn.Name.Name, File: f, Decl: fn, Object: info.Defs[fn.Name].(*types.Func), Of: "F", Copies: 2}
				if fn.Recv != nil {
					v.Name = "T." + v.Name
				}
				versions = append(versions, v)
			}
		}
	}
	versionOf = Add(p, info, versions)
	check()
	for _, f := range p.Files {
		out = append(out, string(f.Src))
	}
	return out, versionOf
}

// TestAdd has a method that calls itself, and one of the same name; files with other positions, from some line on; and
// directives.
func TestAdd(t *testing.T) {
	a := `package p

type U struct{}

func (U) F(int) {}

type T struct{ U }

func (t T) F(n int) { t.F(n - 1); t.U.F(n) }
`
	b := `package p

//line gen.y:10
func before() {}

// F1 has a comment in it.
//
//go:noinline
//go:nocheckptr
func F1() {
	/* F1 is not called here */ _ = "copy_"
}
`
	c := `package p

func F2() {}

//line gen.y:10
func F3() {}
`
	got, names := add(t, a, b, c)
	want := []string{strings.Replace(a, "package p", "package p;var copy__never bool", 1) + `

//goprofinstr:variant of=F
//line :5:1
func (U) copy__2_F(int) {if copy__never{copy__never=false};}


//goprofinstr:variant of=F
//line :9:1
func (t T) copy__2_F(n int) {if copy__never{copy__never=false}; t.copy__2_F(n - 1); t.U.F(n) }
`, b + `

//goprofinstr:variant of=F
//go:noinline
//go:nocheckptr
//line gen.y:16
func copy__2_F1() {if copy__never{copy__never=false};
	/* F1 is not called here */ _ = "copy_"
}
`, c + `

//goprofinstr:variant of=F
//line c.go:3:1
func copy__2_F2() {if copy__never{copy__never=false};}


//goprofinstr:variant of=F
//line gen.y:10
func copy__2_F3() {if copy__never{copy__never=false};}
`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	versions := map[string]string{"T.copy__2_F": "T.F", "copy__2_F1": "F1", "copy__2_F2": "F2", "copy__2_F3": "F3"}
	if diff := cmp.Diff(versions, names); diff != "" {
		t.Errorf("names -want +got:\n%s", diff)
	}
}
