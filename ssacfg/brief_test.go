package ssacfg

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// TestBrief names functions after what they are: those that end soon begin with "brief", the others with "long".
func TestBrief(t *testing.T) {
	const src = `package p

import (
	"iter"
	"math"
	"unicode/utf8"
	"sort"
)

var sink int

type doer interface{ do() }

func brief(x int) int                  { if x > 0 { return x }; return len(make([]int, 3)) }
func briefCaller(x int) int            { return brief(brief(x)) }
func briefElsewhere(s string) float64  { r, _ := utf8.DecodeRuneInString(s); return math.Sqrt(float64(r)) }
func briefPanics(x int)                { if x < 0 { panic("x") } }
func briefGeneric[T any](x T) T        { return x }
func briefInstance()                   { sink = briefGeneric(1) }
func longLoop(n int)                   { for range n { sink++ } }
func longGoto()                        { l: sink++; if sink < 9 { goto l } }
func longCaller()                      { brief(1); longLoop(3) }
func longElsewhere(s []int)            { sort.Ints(s) }
func longInterface(d doer)             { d.do() }
func longValue(f func())               { f() }
func longDefers()                      { defer brief(1) }
func longRecursive(n int)              { if n > 0 { longRecursive(n - 1) } }
func longMutual(n int)                 { if n > 0 { longMutually(n - 1) } }
func longMutually(n int)               { longMutual(n - 1) }
func longIterator(s iter.Seq[int]) int { for v := range s { return v }; return 0 }
func longIterates(s iter.Seq[int]) int { return longIterator(s) }
func briefCounts(n int) int            { for i := range n { return i }; return 0 }
`
	var names []string
	for _, fn := range analyzeSource(t, src) {
		names = append(names, fn.Name)
		if want := fn.Name[:len("brief")] == "brief"; fn.Brief != want {
			t.Errorf("%s is brief: %v", fn.Name, fn.Brief)
		}
	}
	if len(names) != 19 || !slices.Contains(names, "longMutually") {
		t.Errorf("functions %v", names)
	}
}

// analyzeSource returns the functions of a package of one file.
func analyzeSource(t *testing.T, src string) []*Func {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	funcs, err := Analyze(Input{Path: "p", Fset: fset, Files: []*ast.File{file}, Importer: importer.Default(), Sizes: types.SizesFor("gc", "amd64")})
	if err != nil {
		t.Fatal(err)
	}
	return funcs
}
