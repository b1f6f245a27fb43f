package rewrite

import (
	"errors"
	"flag"
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
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

var stdWays = flag.Int("std.ways", 1, "in how many of the ways of counting TestStd rewrites each package; 0: in all")

// TestStd rewrites the whole standard library but for what the runtime is made of
// and type-checks the result: 150,000 edges of other people's code. Each package is rewritten in one of the ways of counting,
// or in as many as -std.ways says.
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
	var total stats
	skipped := false
	all := ways(t)
	for i, w := range all {
		w.options.Sizes = types.SizesFor("gc", runtime.GOARCH)
		ran := false
		t.Run(w.name, func(t *testing.T) {
			ran = true
			s := rewriteSample(t, b, w, func(k int) bool { return *stdWays == 0 || (i+k)%len(all) < *stdWays })
			total.sum(s)
		})
		skipped = skipped || !ran // by -run
	}
	if skipped {
		return
	}
	if total.Functions < 15_000 {
		t.Errorf("only %d functions", total.Functions)
	}
	total.checkMerged(t)
}

// rewriteSample rewrites the packages that are in a sample, given their numbers.
func rewriteSample(t *testing.T, b *load.Build, w way, in func(number int) bool) (sum stats) {
	start := time.Now()
	for i, p := range b.Packages {
		if in(i) && p.Declined == "" {
			sum.add(t, b, p, w.options)
		}
	}
	t.Logf("%+v in %v", sum, time.Since(start))
	if sum.Declined != 0 {
		t.Errorf("%d functions declined", sum.Declined)
	}
	if *stdWays == 0 {
		sum.checkMerged(t)
	}
	return sum
}

type stats struct{ Functions, Blank, Declined, Edges, Merged, Hash int }

func (s *stats) sum(o stats) {
	s.Functions += o.Functions
	s.Edges += o.Edges
	s.Merged += o.Merged
}

// checkMerged is for whole libraries. Tests of one clause of a switch cannot be told apart; there is nothing else to merge for.
func (s *stats) checkMerged(t *testing.T) {
	if share := float64(s.Merged) / float64(s.Edges); share > 0.01 {
		t.Errorf("%.2f%% of the edges merged", 100*share)
	}
}

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

// checkTypes makes sure that what comes out is Go, and that the package's variables are set in the order in which they were,
// behind all calls of the runtime.
func checkTypes(t *testing.T, imports types.Importer, p *load.Package, rewritten *Package) {
	got, err := initOrder(t, imports, p, rewritten.Files)
	if err != nil {
		t.Errorf("rewritten: %v", err)
		return
	}
	if p.FirstInitialised(func(*load.File) bool { return false }) == nil {
		return
	}
	want, err := initOrder(t, imports, p, nil)
	if err != nil {
		t.Fatalf("%s: %v", p.Path, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: variables are set in another order (-plain +rewritten):\n%s", p.Path, diff)
	}
}

// initOrder type-checks a package, of which some files are rewritten, and returns the user's variables in the order in which they
// are set.
func initOrder(t *testing.T, imports types.Importer, p *load.Package, rewritten map[string][]byte) (order []string, err error) {
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
		switch out, ok := rewritten[f.Name]; {
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
		Importer:  rtImporter{imports},
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
	}
	info := new(types.Info)
	info.InitOrder = []*types.Initializer{}
	if _, err := conf.Check(p.Path, fset, files, info); err != nil {
		return nil, err
	}
	for _, set := range info.InitOrder {
		text := set.String()
		if !strings.Contains(text, "gpi_") {
			order = append(order, text)
		} else if strings.HasPrefix(text, "_ = gpi_") && len(order) > 0 {
			t.Errorf("%s: %.80s is behind %s", p.Path, text, order[0])
		}
	}
	return order, nil
}

// An rtImporter has the types that the runtime's packages declare, and those of others from next.
type rtImporter struct{ next types.Importer }

func (i rtImporter) Import(path string) (*types.Package, error) {
	if !strings.HasPrefix(path, rt.ImportPath) {
		return i.next.Import(path)
	}
	return importRuntime(path)
}

// runtimeSources are the sources of the runtime's packages, and runtimePackages those that were imported: they are the same
// for all that is checked.
var (
	runtimeSources = sync.OnceValues(func() (map[string][]byte, error) {
		return rt.Source(runtime.GOOS, runtime.GOARCH)
	})
	runtimePackages = make(map[string]*types.Package)
)

func importRuntime(path string) (*types.Package, error) {
	if pkg := runtimePackages[path]; pkg != nil {
		return pkg, nil
	}
	sources, err := runtimeSources()
	if err != nil {
		return nil, err
	}
	runtimePackages[path] = checkRuntime(path, sources)
	return runtimePackages[path], nil
}

// checkRuntime returns the types of a package of the runtime. What it imports from elsewhere is left out, for which none of the
// declarations that rewritten code uses cares.
func checkRuntime(dir string, sources map[string][]byte) *types.Package {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if path.Dir(name) != dir {
			continue
		}
		f, err := parser.ParseFile(fset, name, sources[name], parser.SkipObjectResolution)
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
			return importRuntime(path)
		}
		return nil, errors.New("left out")
	})
	conf := types.Config{Importer: others, Error: func(error) {}, IgnoreFuncBodies: true}
	pkg, _ := conf.Check(dir, fset, files, nil)
	return pkg
}
