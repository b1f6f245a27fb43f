package rewrite

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
)

func TestMatchName(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"example.com/m", "example.com/m.F", true},
		{"example.com/m", "example.com/m/p.F", false},
		{"example.com/m/...", "example.com/m/p.F", true},
		{"example.com/m.F", "example.com/m.F", true},
		{"example.com/m.F", "example.com/m.F.func1", true}, // in F
		{"example.com/m.F", "example.com/m.Find", false},
		{"example.com/m.F...", "example.com/m.Find", true},
		{"example.com/m.(*T)", "example.com/m.(*T).M", true},
		{"....String", "example.com/m.(*T).String", true},
		{"....String", "example.com/m.(*T).Strings", false},
		{"...", "sort.Sort", true},
		{"sort", "example.com/sort.Sort", false},
		{"example", "example.com/sort.Sort", false},
		{"net/...", "net.Dial", true},
		{"m.T", "m.T.M", true},
	} {
		if got := matchName(test.pattern, test.name); got != test.want {
			t.Errorf("matchName(%q, %q) = %v", test.pattern, test.name, got)
		}
	}
}

// TestTripOffsets has a line directive move a function with loops of several kinds. How far behind its start a loop is stays the
// same.
func TestTripOffsets(t *testing.T) {
	const src = `package p

//line p.y:500
func F(list []int, c chan int, n int) int {
	for i := range list {
		n += i
	}
	for n < 10 && list[n] > 0 {
		n++
	}
	for {
		select {
		case n = <-c:
		default:
			return n
		}
		switch {
		case n > 100:
			return 0
		}
	}
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	funcs, err := ssacfg.Analyze(ssacfg.Input{
		Path: "p", Fset: fset, Files: []*ast.File{f}, Importer: importer.Default(), Sizes: types.SizesFor("gc", "amd64"),
		Kinds: func(string) selector.Kinds { return selector.Kinds{Trips: true} },
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &load.Package{Path: "p", Files: []*load.File{{Name: "p.go", Src: []byte(src), Syntax: f}}}
	var o Options
	pkg, err := emitPackage(fset, p, o.newTable(p), funcs, o)
	if err != nil {
		t.Fatal(err)
	}
	fn := pkg.Table.Functions[0]
	if len(fn.Selectors) != 3 {
		t.Fatalf("%d selectors: %+v", len(fn.Selectors), fn.Selectors)
	}
	for _, s := range fn.Selectors {
		if s.Offset != s.Line-fn.Line {
			t.Errorf("%s is %d lines behind the start of F, want %d", s.Text, s.Offset, s.Line-fn.Line)
		}
	}
}
