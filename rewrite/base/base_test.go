package base

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPair compares what is copied, and what is not and why, with golden files: base/*.go and head/*.go are the two sides.
func TestPair(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no files:", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { testPair(t, name) })
	}
}

func testPair(t *testing.T, name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		if side, _, _ := strings.Cut(f.Name, "/"); side == "base" || side == "head" {
			got.Files = append(got.Files, f)
		}
	}
	r := pair(t, got.Files, 64)
	for _, f := range r.Files {
		got.Files = append(got.Files, txtar.File{Name: "out/" + f.Name, Data: f.Src})
	}
	got.Files = append(got.Files, txtar.File{Name: "list", Data: []byte(describe(r))})
	if *update {
		if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// describe lists what a result has besides files.
func describe(r *Result) string {
	var b strings.Builder
	for _, f := range r.Functions {
		fmt.Fprintf(&b, "audited %s %s:%d\n", f.Name, f.File, f.Line)
	}
	for _, f := range r.NotCompared {
		fmt.Fprintf(&b, "not %s %s:%d: %s\n", f.Name, f.File, f.Line, f.Reason)
	}
	for _, name := range r.Unchanged {
		fmt.Fprintf(&b, "unchanged %s\n", name)
	}
	return b.String()
}

// pair has files under base/ and head/ compared. An object elsewhere whose name ends in Builder is another one at the base.
func pair(t *testing.T, files []txtar.File, most int) *Result {
	t.Helper()
	pairing := newPairing(t, files)
	pairing.number = 2
	r, err := pairing.Pair(most, func(obj types.Object) bool { return strings.HasSuffix(obj.Name(), "Builder") })
	if err != nil {
		t.Fatal(err)
	}
	checkNames(t, r)
	return r
}

// newPairing has files under base/ and head/ read.
func newPairing(t *testing.T, files []txtar.File) *Pairing {
	t.Helper()
	p := &load.Package{Path: "p", Fset: token.NewFileSet()}
	var base []File
	for _, f := range files {
		side, name, _ := strings.Cut(f.Name, "/")
		if side == "base" {
			base = append(base, File{name, f.Data})
			continue
		}
		parsed, err := parser.ParseFile(p.Fset, name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, &load.File{Name: name, Src: f.Data, Syntax: parsed})
		if !importsC(parsed) { // whose translation is compiled
			p.Compiled = append(p.Compiled, parsed)
		}
	}
	pairing, err := New(p, base, cyclic{importer.Default()}, types.SizesFor("gc", "amd64"))
	if err != nil {
		t.Fatal(err)
	}
	return pairing
}

// A cyclic importer has a package "cyclic" that imports the package of the test.
type cyclic struct{ types.Importer }

func (c cyclic) Import(path string) (*types.Package, error) {
	if path != "cyclic" {
		return c.Importer.Import(path)
	}
	p := types.NewPackage(path, path)
	p.SetImports([]*types.Package{types.NewPackage("p", "p")})
	p.Scope().Insert(types.NewVar(token.NoPos, p, "Text", types.Typ[types.String]))
	p.MarkComplete()
	return p, nil
}

// checkNames makes sure that what a result adds declares nothing that the head does, and marks each audited function as
// often as there are copies besides the head.
func checkNames(t *testing.T, r *Result) {
	t.Helper()
	var marks []string
	for _, f := range r.Files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
				for _, c := range fn.Doc.List {
					if m := variant.FindStringSubmatch(c.Text); m != nil {
						marks = append(marks, m[1])
					}
				}
			}
		}
	}
	var want []string
	for _, f := range r.Functions {
		for range slices.Concat(f.Copies, f.Heads) {
			want = append(want, f.Name)
		}
		if len(f.Copies) != 2 || len(f.Heads) != 1 {
			t.Errorf("%s has copies %q of the base and %q of the head", f.Name, f.Copies, f.Heads)
		}
	}
	slices.Sort(marks)
	slices.Sort(want)
	if !slices.Equal(marks, want) {
		t.Errorf("marked are %q, audited %q", marks, want)
	}
}

// TestMost: no more functions are audited than can be, and the others are listed.
func TestMost(t *testing.T) {
	files := []txtar.File{
		{Name: "base/p.go", Data: []byte("package p\n\nfunc F() int { return 1 }\n\nfunc G() int { return 1 }\n")},
		{Name: "head/p.go", Data: []byte("package p\n\nfunc F() int { return 2 }\n\nfunc G() int { return 2 }\n")},
	}
	r := pair(t, files, 1)
	if len(r.Functions) != 1 || len(r.NotCompared) != 1 || !strings.Contains(r.NotCompared[0].Reason, "more functions") {
		t.Errorf("%+v", r)
	}
}

// TestChanged has several names in one declaration.
func TestChanged(t *testing.T) {
	p := newPairing(t, []txtar.File{
		{Name: "base/p.go", Data: []byte("package p\n\nconst Min, Max = 1, 10\n\nvar _, Here = 1, 2\n\nvar _, A, B = 1, 2, 3\n")},
		{Name: "head/p.go", Data: []byte("package p\n\nconst Min, Max = 1, 20\n\nvar _, Here = 1, 2\n")},
	})
	got := slices.Sorted(maps.Keys(p.Changed()))
	if want := []string{"A", "B", "Max", "Min", "_"}; !slices.Equal(got, want) {
		t.Errorf("changed are %q, want %q", got, want)
	}
}
