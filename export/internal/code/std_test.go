package code_test

import (
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestStd tells all conditions, branches and paths of some packages. Each condition has a text, no two branches of a
// function read the same, and so no two paths do. A path is looked at all the same, up to so many of a function.
func TestStd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	b, err := load.Load(load.Config{
		Patterns: []string{"encoding/json", "go/printer", "regexp/syntax", "sort", "strconv", "text/template", "text/template/parse", "net/textproto"},
		Select:   func(*packages.Package) bool { return true },
		Source:   os.ReadFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LoadExports(b.Packages, nil); err != nil {
		t.Fatal(err)
	}
	texts := code.New(&profile.Profile{Root: filepath.Join(runtime.GOROOT(), "src")})
	var all counts
	for _, p := range b.Packages {
		if err := p.Parse(); err != nil {
			t.Fatal(err)
		}
		r, err := rewrite.Rewrite(b, p, rewrite.Options{Sizes: types.SizesFor("gc", runtime.GOARCH)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Table.Functions {
			f := &r.Table.Functions[i]
			if f.Declined == "" {
				all.add(t, texts, &profile.Function{Package: p.Path, Table: f, Edges: make([]int64, len(f.Edges)), Blocks: make([]int64, len(f.Blocks))})
			}
		}
	}
	t.Logf("%+v", all)
	if all.conditions < 3000 || all.paths < 100_000 {
		t.Errorf("only %+v", all)
	}
}

type counts struct{ functions, conditions, branches, paths int }

// mostPaths is how many paths of a function are held against each other.
const mostPaths = 2000

var byLine = regexp.MustCompile(`^(line|case on line|communication on line|no case before line) \d`)

func (n *counts) add(t *testing.T, texts *code.Texts, f *profile.Function) {
	text := texts.Of(f)
	if text.Changed() != "" {
		t.Fatal(text.Changed())
	}
	n.functions++
	name := f.Table.Name
	for _, c := range f.Conditions() {
		n.conditions++
		if o := text.Condition(&c); o.Text == "" || strings.ContainsAny(o.Text, "\n\t") || o.Line == 0 || o.Col == 0 {
			t.Errorf("%s: %s on %d:%d is %+v", name, c.Kind, c.Line, c.Col, o)
		}
	}
	branches := make(map[string]int)
	for id, is := range f.BranchEdges() {
		if !is {
			continue
		}
		n.branches++
		is := text.Branch(id)
		if other, ok := branches[is]; ok || byLine.MatchString(is) || strings.Contains(is, "[branch") {
			t.Errorf("%s: %+v is %q, edge %d too", name, f.Table.Edges[id], is, other)
		}
		branches[is] = id
	}
	d := f.Decoder()
	paths := make(map[string]uint64)
	for id := range min(f.Table.Values.NumPaths, mostPaths) {
		p, err := d.Path(id)
		if err != nil {
			t.Fatal(err)
		}
		n.paths++
		is := strings.Join(text.Way(p.Start, p.Loop, p.Edges), " → ")
		if other, ok := paths[is]; ok {
			t.Errorf("%s: paths %d and %d are %s", name, other, id, is)
		}
		paths[is] = id
	}
}
