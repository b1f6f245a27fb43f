package rewrite

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A way is a way of counting whose code differs from that of all others.
type way struct {
	name    string
	options Options
}

// ways are all ways of counting. -per-test is not among them: its code is that of exact.
func ways(t *testing.T) []way {
	type counting = method.Options
	paths := func(c counting) Options { return Options{Abandoned: true, Counting: c} }
	events := func(c counting) Options {
		kinds := selector.Kinds{Calls: true, Trips: true, Values: true}
		return Options{Abandoned: true, Counting: c, Kinds: Kinds{Kinds: kinds}}
	}
	ticks := method.Sampling{Policy: sampler.Default, Budget: 10_000, Period: 10 * time.Millisecond, Frames: pcct.MostDepth}
	ticksMarks := ticks
	ticksMarks.Marks = true
	native, nativeMarks := ticks, ticksMarks
	native.Native, nativeMarks.Native = true, true
	copies := ticks
	copies.Copies = true
	strata := func(text string, counted uint64) method.Stream {
		spec, err := stream.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return method.Stream{Text: text, Spec: spec, Counted: counted}
	}
	many := func(s method.Stream) method.Stream {
		s.PathsOnly = true
		return s
	}
	const inLine, fed = "H[P256]2048", "T2[P256]64+A16"
	list := []way{
		{"exact", paths(counting{})},
		{"exact-module", Options{}}, // where package runtime has no hooks
		{"exact-entries", Options{Entries: true}},
		{"exact-race", paths(counting{Atomic: true, Race: true})},
		{"exact-without", Options{Abandoned: true, Without: Optimisations}},
		{"pairs", Options{Abandoned: true, Pairs: true}},
		{"pairs-shards", Options{Abandoned: true, Pairs: true, Counting: counting{Atomic: true}}},
		{"pairs-race", Options{Abandoned: true, Pairs: true, Counting: counting{Atomic: true, Race: true}}},
		{"shards", paths(counting{Atomic: true})},
		{"ticks", paths(counting{Sampling: ticks})},
		{"ticks-marks", paths(counting{Sampling: ticksMarks})},
		{"native", paths(counting{Sampling: native})},
		{"native-marks", paths(counting{Sampling: nativeMarks})},
		{"copies", paths(counting{Sampling: copies})},
		{"strata", paths(counting{Stream: strata(inLine, 4)})},
		{"strata-all", paths(counting{Stream: strata(inLine, 0)})},            // nothing is counted
		{"strata-many", paths(counting{Stream: many(strata(inLine, 1<<16))})}, // wrap -mode exact -sampler
		{"fed", paths(counting{Stream: strata(fed, 4)})},
		{"fed-all", paths(counting{Stream: strata("Hx[CR256]2048", 0)})},
		{"fed-many", paths(counting{Stream: many(strata(fed, 1<<16))})},
		{"events", events(counting{})},
		{"events-shards", events(counting{Atomic: true})},
		{"events-strata", events(counting{Stream: strata(inLine, 4)})},
		{"events-strata-all", events(counting{Stream: strata(inLine, 0)})},
		{"events-strata-many", events(counting{Stream: many(strata(inLine, 1<<16))})},
		{"events-fed", events(counting{Stream: strata(fed, 4)})},
		{"events-fed-all", events(counting{Stream: strata(fed, 0)})},
		{"events-race", events(counting{Atomic: true, Race: true})},
		{"shards-strata", events(counting{Atomic: true, Stream: many(strata(inLine, 4))})},
		{"shards-fed", events(counting{Atomic: true, Stream: many(strata(fed, 4))})},
		{"race-ticks", paths(counting{Atomic: true, Race: true, Sampling: ticksMarks})},
		{"race-native", paths(counting{Atomic: true, Race: true, Sampling: nativeMarks})},
		{"race-strata", events(counting{Atomic: true, Race: true, Stream: strata(inLine, 4)})},
		{"race-fed", events(counting{Atomic: true, Race: true, Stream: strata(fed, 4)})},
	}
	for _, name := range method.Names() {
		if !slices.ContainsFunc(list, func(w way) bool { return w.name == name }) { // it takes no options
			list = append(list, way{name, paths(counting{Way: name})})
		}
	}
	return list
}

// smallSource has one function with few paths, and nothing for which a package has hash tables in most ways.
const smallSource = `package p

func small(a bool) int {
	if a {
		return 1
	}
	return 0
}
`

// TestMethods rewrites the same ten statements in every way. It compares all that is emitted but for the encoded
// table, and what the table says of counters.
func TestMethods(t *testing.T) {
	src, err := os.ReadFile("testdata/method/in.go")
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, w := range ways(t) {
		names[w.name+".txtar"] = true
		t.Run(w.name, func(t *testing.T) {
			name := filepath.Join("testdata/method", w.name+".txtar")
			want, err := txtar.ParseFile(name)
			if err != nil && !*update {
				t.Fatal(err)
			}
			got := rewriteInWay(t, src, w.options)
			small := rewriteInWay(t, []byte(smallSource), w.options)
			small.Files[0].Name, small.Files[1].Name = "small.go", "small table"
			got.Files = append(got.Files, small.Files...)
			compareGolden(t, name, want, got)
		})
	}
	files, err := filepath.Glob("testdata/method/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !names[filepath.Base(name)] {
			t.Errorf("%s is of no way of counting", name)
		}
	}
}

// settingSource sets variables by instrumented functions, beginning on the line where the imports end.
const settingSource = `package p

import _ "errors"; var ok = tried("abcd")

func tried(s string) (ok bool) {
	defer func() { ok = recover() == nil }()
	picked(s, 9)
	return true
}

func picked(s string, i int) byte {
	if i > 3 {
		i++
	}
	return s[i]
}

var other = !ok
`

// TestRegisteredFirst sets variables of a package in every way: checkTypes holds their order. Before it is registered, neither
// activations that a panic ends nor all counts of other goroutines are kept.
func TestRegisteredFirst(t *testing.T) {
	for _, w := range ways(t) {
		t.Run(w.name, func(t *testing.T) { rewriteInWay(t, []byte(settingSource), w.options) })
	}
}

// TestRangeNamesLabelled hands on how the compiler names literals with the labels of test files, which may call them.
func TestRangeNamesLabelled(t *testing.T) {
	const src = "package p\n\nfunc f() {}\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &load.Package{ID: "p", Path: "p", Fset: fset, Files: []*load.File{{Name: "in.go", Src: []byte(src), Syntax: f}}}
	for _, names := range []bool{false, true} {
		if pkg, err := labelBeside(p, Options{RangeNames: names}); err != nil || pkg.Link.RangeNames != names {
			t.Errorf("%v is not handed on: %+v, %v", names, pkg, err)
		}
	}
}

// encodedTable is the path table in a package's registration.
var encodedTable = regexp.MustCompile(`(Package\{Path:"[^"]*",Table:)"(?:[^"\\]|\\.)*"`)

// directive is a line directive. A line end may have been put in front of it.
var directive = regexp.MustCompile(`/\*line [^*]*\*/`)

// rewriteInWay rewrites one file with its trailer.
func rewriteInWay(t *testing.T, src []byte, o Options) *txtar.Archive {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &load.Package{
		ID: "example.com/p", Path: "example.com/p", Fset: fset, GoVersion: "go1.26",
		Files: []*load.File{{Name: "in.go", Src: src, Syntax: f}}, Compiled: []*ast.File{f},
	}
	o.Sizes = types.SizesFor("gc", "amd64")
	funcs, err := analyzeWith(importer.Default(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := emitPackage(fset, p, o.newTable(p), funcs, o)
	if err != nil {
		t.Fatal(err)
	}
	out := pkg.Files["in.go"]
	if o.Counting.Labels() {
		text := func(b []byte) string { return strings.Join(strings.Fields(string(directive.ReplaceAll(b, nil))), "") }
		if !isSubsequence(text(src), text(out)) {
			t.Error("some of the source is gone")
		}
	} else {
		checkLines(t, src, out)
	}
	checkTypes(t, importer.Default(), p, pkg)
	return &txtar.Archive{Files: []txtar.File{
		{Name: "out.go", Data: encodedTable.ReplaceAll(out, []byte(`$1"…"`))},
		{Name: "table", Data: []byte(describeTable(pkg.Table))},
	}}
}

// describeTable writes what a table says of counters.
func describeTable(p *table.Package) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d counters, sampled %v, stratified %v\n", p.Counters, p.Counts != table.Exact, p.Events != table.Exact)
	for _, f := range p.Functions {
		fmt.Fprintf(&b, "%s: ", f.Name)
		if f.Declined != "" {
			fmt.Fprintf(&b, "declined: %s\n", f.Declined)
			continue
		}
		fmt.Fprintf(&b, "%d paths, %s, first %d, hash %d, entries %d, stratified %v\n",
			f.Values.NumPaths, f.Storage, f.First, f.Hash, f.Entries, f.Counts != table.Exact)
		if len(f.Positions) > 0 {
			fmt.Fprintf(&b, "  by line %v, %d, positions %v\n", f.ByLine, f.LineHash, f.Positions)
		}
		if f.Counted != nil {
			fmt.Fprintf(&b, "  counted %v\n", *f.Counted)
		}
		if f.Pairs != nil {
			fmt.Fprintf(&b, "  pairs %+v\n", *f.Pairs)
		}
		if len(f.Ends) > 0 {
			fmt.Fprintf(&b, "  ends %v\n", f.Ends)
		}
		for _, s := range f.Selectors {
			fmt.Fprintf(&b, "  %s %q, hash %d %s\n", s.Kind, s.Text, s.Hash, s.Declined)
		}
	}
	return b.String()
}

// TestPostPosition has the post statement of a loop of one block fail. By then the path that went through the body has been
// counted, and the next one has not got to it.
func TestPostPosition(t *testing.T) {
	const src = `package p

func run(step func()) (n int) {
	for ; ; step() {
		n++
	}
}
`
	got := string(rewriteInWay(t, []byte(src), Options{Abandoned: true}).Files[1].Data)
	want := fmt.Sprint([]table.Position{{Hash: -1, Lines: []table.Lines{{First: 4, Last: 4}}, Block: 1}})
	if !strings.Contains(got, want) {
		t.Errorf("positions are not %s:\n%s", want, got)
	}
}
