package rewrite

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// TestStd rewrites the whole standard library but for what the runtime is made of
// and type-checks the result: 150,000 edges of other people's code.
func TestStd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	start := time.Now()
	b, err := load.Load(load.Config{
		Patterns: []string{"std"},
		Select:   func(*packages.Package) bool { return true },
		Source:   os.ReadFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LoadExports(b.Packages, nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded %d packages in %v", len(b.Packages), time.Since(start))
	modes := map[string]Options{
		"exact":   {Abandoned: true, Kinds: Kinds{Kinds: ssacfg.Kinds{Calls: true, Trips: true, Values: true}}},
		"sampled": {Sampling: Sampling{Policy: sampler.Default, Budget: 10_000}},
	}
	for name, o := range modes {
		o.Sizes = types.SizesFor("gc", runtime.GOARCH)
		t.Run(name, func(t *testing.T) { rewriteAll(t, b, o) })
	}
}

func rewriteAll(t *testing.T, b *load.Build, o Options) {
	start := time.Now()
	var total stats
	for _, p := range b.Packages {
		if p.Declined != "" {
			continue
		}
		total.add(t, b, p, o)
	}
	t.Logf("%+v in %v", total, time.Since(start))
	if total.Functions < 15_000 {
		t.Errorf("only %d functions", total.Functions)
	}
	if total.Declined != 0 {
		t.Errorf("%d functions declined", total.Declined)
	}
	// Tests of one clause of a switch cannot be told apart; there is nothing else to merge for.
	if share := float64(total.Merged) / float64(total.Edges); share > 0.01 {
		t.Errorf("%.2f%% of the edges merged", 100*share)
	}
}

type stats struct{ Functions, Blank, Declined, Edges, Merged, Hash int }

// add rewrites one package and makes sure that what comes out is Go.
func (s *stats) add(t *testing.T, b *load.Build, p *load.Package, o Options) {
	if err := p.Parse(); err != nil {
		t.Error(err)
		return
	}
	defer p.Forget()
	funcs, err := analyze(b, p, o)
	if err != nil {
		t.Errorf("%s: %v", p.Path, err)
		return
	}
	for _, fn := range funcs {
		s.Functions++
		switch {
		case fn.Blank:
			s.Blank++
		case fn.Declined == runsInFork:
		case fn.Declined != "":
			s.Declined++
			t.Errorf("%s.%s: %s", p.Path, fn.Name, fn.Declined)
		default:
			s.Edges += len(fn.Graph.Edges)
			s.Merged += fn.Graph.Merged
			if fn.Numbering.Values.NumPaths > pathnum.MaxArray {
				s.Hash++
			}
			if err := fn.Numbering.Check(); err != nil {
				t.Errorf("%s.%s: %v", p.Path, fn.Name, err)
			}
		}
	}
	pkg, err := emitPackage(p.Fset, p, funcs, o)
	if err != nil {
		t.Errorf("%s: %v", p.Path, err)
		return
	}
	checkTypes(t, b, p, pkg)
}

func checkTypes(t *testing.T, b *load.Build, p *load.Package, rewritten *Package) {
	fset := token.NewFileSet()
	var files []*ast.File
	add := func(name string, src []byte) {
		syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", p.Path, err)
		}
		files = append(files, syntax)
	}
	for _, f := range p.Files {
		switch out, ok := rewritten.Files[f.Name]; {
		case ok:
			add(f.Name, out)
		case f.Declined == "":
			add(f.Name, f.Src)
		}
	}
	for _, src := range p.Beside { // what cgo has made of the others
		add("", src)
	}
	conf := types.Config{
		GoVersion: p.GoVersion,
		Importer:  rtImporter{runtimePackage(t), b.Importer(p)},
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
	}
	if _, err := conf.Check(p.Path, fset, files, nil); err != nil {
		t.Errorf("rewritten: %v", err)
	}
}

type rtImporter struct {
	rt   *types.Package
	next types.Importer
}

func (i rtImporter) Import(path string) (*types.Package, error) {
	if path == rt.ImportPath {
		return i.rt, nil
	}
	return i.next.Import(path)
}

// runtimePackage returns the types that the runtime declares. Its imports are left out, for
// which none of the declarations that rewritten code uses cares.
func runtimePackage(t *testing.T) *types.Package {
	t.Helper()
	sources, err := rt.Source(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if path.Dir(name) != rt.ImportPath {
			continue
		}
		f, err := parser.ParseFile(fset, name, sources[name], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: onlyUnsafe{}, Error: func(error) {}, IgnoreFuncBodies: true}
	pkg, _ := conf.Check(rt.ImportPath, fset, files, nil)
	return pkg
}

type onlyUnsafe struct{}

func (onlyUnsafe) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, errors.New("left out")
}
