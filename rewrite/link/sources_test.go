package link

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// TestRangeNames joins records with functions whose names depend on the compiler.
func TestRangeNames(t *testing.T) {
	const text = `package p

func F(seq func(func(int) bool)) (g, h func() int) {
	for x := range seq {
		g = func() int { return x }
	}
	h = func() int { return 2 }
	return
}
`
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, names := range []bool{false, true} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		funcs, err := ssacfg.Analyze(ssacfg.Input{Path: "p", Fset: fset, Files: []*ast.File{f}, GoVersion: "go1.26",
			Importer: importer.Default(), Abandoned: true, RangeNames: names})
		if err != nil {
			t.Fatal(err)
		}
		r := &Record{Path: "p", GoVersion: "go1.26", RangeNames: names, Table: &label.Table{Files: []label.File{{Name: name}}}}
		for _, fn := range funcs {
			f := Function{Name: fn.Name, Paths: fn.Numbering.Values.NumPaths, Edges: len(fn.Graph.Edges)}
			r.Functions = append(r.Functions, f)
		}
		s := &sources{places: make(map[*pathmap.Func]place), named: make(map[string]sourced), imports: importer.Default()}
		src, err := s.analyze(&unit{records: []*Record{r}})
		if err != nil {
			t.Fatal(err)
		}
		for k, fn := range funcs {
			if joined := src.functions[0][k]; joined == nil || joined.Node.Pos() != fn.Node.Pos() {
				t.Errorf("range names %v: %s is joined with %+v", names, fn.Name, joined)
			}
		}
	}
}
