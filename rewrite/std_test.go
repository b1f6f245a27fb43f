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
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// TestStd rewrites the whole standard library but for what the runtime is made of
// and type-checks the result: 150,000 edges of other people's code. Ways of counting that are not whole
// take a sixteenth of the packages each, but with -std.all.
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
	for i, w := range ways(t) {
		w.options.Sizes = types.SizesFor("gc", runtime.GOARCH)
		t.Run(w.name, func(t *testing.T) { rewriteAll(t, b, w, i) })
	}
}

func rewriteAll(t *testing.T, b *load.Build, w way, i int) {
	start := time.Now()
	var total stats
	packages := stdSample(b.Packages, w, i)
	for _, p := range packages {
		if p.Declined != "" {
			continue
		}
		total.add(t, b, p, w.options)
	}
	t.Logf("%+v in %v", total, time.Since(start))
	if total.Declined != 0 {
		t.Errorf("%d functions declined", total.Declined)
	}
	if len(packages) < len(b.Packages) {
		return
	}
	if total.Functions < 15_000 {
		t.Errorf("only %d functions", total.Functions)
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
		case fn.Declined != "" && isNosplit(fn): // in some ways
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
	pkg, err := emitPackage(p.Fset, p, o.newTable(p), funcs, o)
	if err != nil {
		t.Errorf("%s: %v", p.Path, err)
		return
	}
	checkTypes(t, b.Importer(p), p, pkg)
}

func checkTypes(t *testing.T, imports types.Importer, p *load.Package, rewritten *Package) {
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
		Importer:  newRuntimeImporter(t, imports),
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
	}
	if _, err := conf.Check(p.Path, fset, files, nil); err != nil {
		t.Errorf("rewritten: %v", err)
	}
}

// An rtImporter has the types that the runtime's packages declare, and those of others from next.
type rtImporter struct {
	sources map[string][]byte
	known   map[string]*types.Package
	next    types.Importer
}

func newRuntimeImporter(t *testing.T, next types.Importer) *rtImporter {
	t.Helper()
	sources, err := rt.Source(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	return &rtImporter{sources, make(map[string]*types.Package), next}
}

func (i *rtImporter) Import(path string) (*types.Package, error) {
	if !strings.HasPrefix(path, rt.ImportPath) {
		return i.next.Import(path)
	}
	pkg := i.known[path]
	if pkg == nil {
		pkg = i.check(path)
		i.known[path] = pkg
	}
	return pkg, nil
}

// check returns the types of a package of the runtime. What it imports from elsewhere is left out, for which none of the
// declarations that rewritten code uses cares.
func (i *rtImporter) check(dir string) *types.Package {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(i.sources)) {
		if path.Dir(name) != dir {
			continue
		}
		f, err := parser.ParseFile(fset, name, i.sources[name], parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		files = append(files, f)
	}
	others := importing(func(path string) (*types.Package, error) {
		switch {
		case path == "unsafe":
			return types.Unsafe, nil
		case strings.HasPrefix(path, rt.ImportPath):
			return i.Import(path)
		}
		return nil, errors.New("left out")
	})
	conf := types.Config{Importer: others, Error: func(error) {}, IgnoreFuncBodies: true}
	pkg, _ := conf.Check(dir, fset, files, nil)
	return pkg
}
