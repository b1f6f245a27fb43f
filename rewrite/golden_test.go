package rewrite

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden rewrites the source of each testdata file, one for each kind of syntax, and compares the result and
// the graph behind it. The files are the statement of what is supported.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if ar.Files[0].Name != "in.go" {
				t.Fatalf("first file is %s, want in.go", ar.Files[0].Name)
			}
			o := Options{Abandoned: true}
			if strings.Contains(string(ar.Comment), "in strata") {
				o.Counting.Stream = method.Stream{Spec: stream.Spec{Sampler: stream.Sampler{Kind: stream.KindPeriodic, Rate: 256}, Bits: 11}, Counted: 2}
			}
			out, graph := rewriteSource(t, ar.Files[0].Data, strings.Contains(string(ar.Comment), "All kinds of events"), o)
			got := &txtar.Archive{Comment: ar.Comment, Files: []txtar.File{
				ar.Files[0], {Name: "out.go", Data: out}, {Name: "graph", Data: graph},
			}}
			compareGolden(t, name, ar, got)
		})
	}
}

// compareGolden compares what was made with what the file has, or writes it there.
func compareGolden(t *testing.T, name string, want, got *txtar.Archive) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(want)), string(txtar.Format(got))); diff != "" {
		t.Errorf("(-want +got, -update to accept)\n%s", diff)
	}
}

// rewriteSource rewrites one file without its trailer and describes its functions.
func rewriteSource(t *testing.T, src []byte, events bool, o Options) (out, graph []byte) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &load.Package{Path: "p", Files: []*load.File{{Name: "in.go", Src: src, Syntax: f}}}
	in := ssacfg.Input{Path: "p", Fset: fset, Importer: importer.Default(), Sizes: types.SizesFor("gc", "amd64"), Abandoned: true}
	in.Files = append(in.Files, f)
	if events {
		in.Kinds = func(string) selector.Kinds { return selector.Kinds{Calls: true, Trips: true, Values: true} }
	}
	funcs, err := ssacfg.Analyze(in)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := emitPackage(fset, p, o.newTable(p), funcs, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, fn := range funcs {
		describeGolden(&b, fset, fn)
		describeSelectors(&b, pkg.Table, fn)
		if fn.Numbering == nil {
			continue
		}
		if err := fn.Numbering.Check(); err != nil {
			t.Errorf("%s: %v", fn.Name, err)
		}
	}
	rewritten, ok := pkg.Files["in.go"]
	if !ok {
		return nil, []byte(b.String())
	}
	checkLines(t, src, rewritten)
	text, _, found := strings.Cut(string(rewritten), "\nvar _ gpi_rt.U\n")
	if !found {
		t.Errorf("no trailer")
	}
	return encodedTable.ReplaceAll([]byte(text), []byte(`$1"…"`)), []byte(b.String())
}

// describeSelectors writes those of a function.
func describeSelectors(b *strings.Builder, tab *table.Package, fn *ssacfg.Func) {
	for _, f := range tab.Functions {
		for _, s := range f.Selectors {
			if f.Name == "p."+fn.Name {
				fmt.Fprintf(b, "  %s %d:%d %s", s.Kind, s.Line, s.Col, s.Text)
				for _, site := range s.Sites {
					fmt.Fprintf(b, " at %d", site.At)
				}
				if s.Declined != "" {
					fmt.Fprintf(b, ": %s", s.Declined)
				}
				b.WriteString("\n")
			}
		}
	}
}

// checkLines makes sure that all lines of src are still where they were. Only insertions, "case" in place of some
// commas, and conditions that have become statements may be new.
func checkLines(t *testing.T, src, rewritten []byte) {
	t.Helper()
	want, got := strings.Split(string(src), "\n"), strings.Split(string(rewritten), "\n")
	for i, line := range want {
		if i < len(got) && strings.Contains(got[i], ";fallthrough;case ") {
			line = strings.ReplaceAll(line, ",", "")
		}
		if i < len(got) && isLowered(got[i]) && sameWords(line, got[i]) {
			continue
		}
		if i >= len(got) || !isSubsequence(line, got[i]) {
			t.Fatalf("line %d of the source is gone: %q", i+1, line)
		}
	}
}

// isLowered reports whether a line has a part of a condition that has become statements.
func isLowered(line string) bool {
	return strings.Contains(line, "gpi_l") || strings.Contains(line, "){break};") || strings.HasSuffix(line, ":}")
}

// sameWords reports whether a lowered line has the names and numbers of the source line, wherever they are now. The if may
// be on a later one, and an else is gone.
func sameWords(line, lowered string) bool {
	words := func(s string) map[string]int {
		n := make(map[string]int)
		for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
			n[word]++
		}
		return n
	}
	got := words(lowered)
	got["if"]++
	got["else"]++
	for word, n := range words(line) {
		if got[word] < n {
			return false
		}
	}
	return true
}

func isSubsequence(s, of string) bool {
	i := 0
	for j := 0; i < len(s) && j < len(of); j++ {
		if s[i] == of[j] {
			i++
		}
	}
	return i == len(s)
}

// describeGolden writes a function's blocks with their lines, and edges with their values and code.
func describeGolden(w *strings.Builder, fset *token.FileSet, fn *ssacfg.Func) {
	if fn.Declined != "" {
		fmt.Fprintf(w, "%s: declined: %s\n", fn.Name, fn.Declined)
		return
	}
	n := fn.Numbering
	fmt.Fprintf(w, "%s: %d paths", fn.Name, n.Values.NumPaths)
	if fn.Graph.Merged > 0 {
		fmt.Fprintf(w, ", %d edges merged", fn.Graph.Merged)
	}
	w.WriteByte('\n')
	for i, b := range fn.Graph.Blocks[:len(fn.Graph.Blocks)-1] {
		fmt.Fprintf(w, "  %d", i)
		if b.From.IsValid() {
			from, to := fset.Position(b.From), fset.Position(b.To)
			fmt.Fprintf(w, "  %d:%d–%d:%d", from.Line, from.Column, to.Line, to.Column)
		}
		if b.Pinned() {
			w.WriteString("  may panic")
		}
		w.WriteByte('\n')
	}
	facts := fn.Facts()
	for i, e := range fn.Graph.Edges {
		to := fmt.Sprint(e.To.Index())
		if e.To == fn.Graph.Exit() {
			to = "exit"
		}
		fmt.Fprintf(w, "  e%d %d→%s %s  Val %d", i, e.From.Index(), to, e.Kind, n.Values.Edge[i])
		if n.Cut[i] {
			w.WriteString("  cut")
		}
		if e.Place == nil {
			w.WriteString("  no place")
		}
		if code := n.Ops[i].String(); code != "" {
			fmt.Fprintf(w, "  %s", code)
		}
		if facts != nil && len(facts[i]) > 0 {
			fmt.Fprintf(w, "  facts %v", facts[i])
		}
		w.WriteByte('\n')
	}
	for _, s := range n.Values.Starts {
		fmt.Fprintf(w, "  start %d  Val %d\n", s.Block, s.Val)
	}
}

// TestGoldenForEveryNode makes sure that there is a golden file for each type of syntax node
// that can be part of a function.
func TestGoldenForEveryNode(t *testing.T) {
	for _, n := range []ast.Node{
		&ast.DeclStmt{}, &ast.EmptyStmt{}, &ast.LabeledStmt{}, &ast.ExprStmt{}, &ast.SendStmt{}, &ast.IncDecStmt{},
		&ast.AssignStmt{}, &ast.GoStmt{}, &ast.DeferStmt{}, &ast.ReturnStmt{}, &ast.BranchStmt{}, &ast.BlockStmt{},
		&ast.IfStmt{}, &ast.CaseClause{}, &ast.SwitchStmt{}, &ast.TypeSwitchStmt{}, &ast.CommClause{}, &ast.SelectStmt{},
		&ast.ForStmt{}, &ast.RangeStmt{},
		&ast.Ident{}, &ast.Ellipsis{}, &ast.BasicLit{}, &ast.FuncLit{}, &ast.CompositeLit{}, &ast.ParenExpr{},
		&ast.SelectorExpr{}, &ast.IndexExpr{}, &ast.IndexListExpr{}, &ast.SliceExpr{}, &ast.TypeAssertExpr{},
		&ast.CallExpr{}, &ast.StarExpr{}, &ast.UnaryExpr{}, &ast.BinaryExpr{}, &ast.KeyValueExpr{},
		&ast.ArrayType{}, &ast.StructType{}, &ast.FuncType{}, &ast.InterfaceType{}, &ast.MapType{}, &ast.ChanType{},
		&ast.GenDecl{}, &ast.FuncDecl{}, &ast.File{},
	} {
		name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.")
		if _, err := os.Stat(filepath.Join("testdata", name+".txtar")); err != nil {
			t.Error(err)
		}
	}
}
