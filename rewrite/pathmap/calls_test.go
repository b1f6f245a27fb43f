package pathmap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// TestDepartures knows how often control left a block if that is the same on all ways which nothing tells apart.
func TestDepartures(t *testing.T) {
	f := loop()
	target := &Target{F: f, exit: 3, Doubts: make(map[string]*Doubt)}
	w := &Walker{T: target, Taken: []int64{4, 3, 2, 1}, Lost: make(map[[2]int]int64)}
	check := func(what string, block int, want int64, known bool) {
		t.Helper()
		if n, ok := w.Departures(block); ok != known || known && n != want {
			t.Errorf("%s: control left block %d %d times, which is known: %v", what, block, n, ok)
		}
	}
	check("without doubt", 1, 4, true)
	check("without doubt", 2, 2, true)
	target.Doubts["once or twice"] = &Doubt{Ways: [][]int{{0, 1, 2, 3}, {0, 3}}, From: 0, To: 3}
	check("a round or none", 2, 0, false)
	check("a round or none", 0, 4, true)
	target.Doubts = map[string]*Doubt{"around": {Ways: [][]int{{1, 2}, {1, 2}}, From: 1, To: 1}}
	check("a round, or another piece of evidence", 2, 0, false)
	target.Doubts = nil
	w.Open = []*Doubt{{Ways: [][]int{{0, 1, 2, 3}, {0, 3}}, From: 0, To: 3}}
	check("a look that did not decide", 2, 0, false)
	w.Open, w.Lost = nil, map[[2]int]int64{{0, 2}: 1}
	check("a way that is none of the source", 1, 0, false)
	if n, ok := w.Edge(1); ok {
		t.Errorf("edge 1 was taken %d times, by a way that is none of the source", n)
	}
	w.Lost = nil
	if n, ok := w.Edge(1); !ok || n != 3 {
		t.Errorf("edge 1 was taken %d times, which is known: %v", n, ok)
	}
}

// TestPlainName takes off type arguments, also of types.
func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"p.f[go.shape.[]int]": "p.f", "p.(*T[go.shape.int]).get": "p.(*T).get", "p.g.func1": "p.g.func1",
		"p.(*T[a/b.U[int]]).get[go.shape.struct { A [2]int }].func1": "p.(*T).get.func1", "p.f[": "p.f[",
	} {
		if got := PlainName(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestFuncOf has code of a literal behind one that the compiler drops. Labels count both, and the names of functions do not.
func TestFuncOf(t *testing.T) {
	s := &Source{pieces: []piece{{Label: label.Label{Function: "F.func2"}}}, number: map[string]int{"p.go~gpi0": 0}}
	for _, f := range []mark.Func{{Name: "F.func1-dead", Untyped: "F.func1"}, {Name: "F.func1", Untyped: "F.func2"}} {
		s.Funcs = append(s.Funcs, &Func{Func: &ssacfg.Func{Func: &f}})
	}
	root := &machine.Scope{Name: "p.F.func1"}
	inst := &machine.Inst{File: "p.go~gpi0", Kind: machine.Strict, Chain: []*machine.Scope{root}}
	m := &machine.Function{Root: root, Insts: []*machine.Inst{inst}}
	if f := s.FuncOf(m, nil); f == nil || f.Name != "F.func1" {
		t.Errorf("the code is of %+v", f)
	}
}

// TestCallee knows which literal or parameter a call of a variable is of, unless that may be another one.
func TestCallee(t *testing.T) {
	const src = `package p

func F(given, kept func()) {
	once := func() {}
	once()
	if given == nil {
		given = func() {}
	}
	given()
	kept()
	ranged := func() {}
	for _, ranged = range []func(){once} {
		ranged()
	}
}
`
	s := &Source{fset: token.NewFileSet()}
	f, err := parser.ParseFile(s.fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s.syntax = []*ast.File{f}
	var calls []*ast.CallExpr
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			s.Funcs = append(s.Funcs, &Func{Func: &ssacfg.Func{Func: &mark.Func{Node: n}}})
		case *ast.CallExpr:
			calls = append(calls, n)
		}
		return true
	})
	a := s.arguments()
	type callee struct {
		literal   bool
		parameter int
	}
	want := map[string]callee{"once": {true, -1}, "given": {false, -1}, "kept": {false, 1}, "ranged": {false, -1}}
	if len(calls) != len(want) {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		name := c.Fun.(*ast.Ident).Name
		f, parameter := a.callee(c.Lparen)
		if got := (callee{f != nil, parameter}); got != want[name] {
			t.Errorf("%s: %+v, want %+v", name, got, want[name])
		}
	}
}
