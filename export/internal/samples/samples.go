// Package samples has profiles that every format is tested with, and the golden files of these.
package samples

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// Golden compares got with golden file testdata/name.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Write returns what one of the writers writes.
func Write(t testing.TB, writer func(io.Writer, *profile.Profile) error, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writer(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Load returns the profile of runs.
func Load(t testing.TB, runs ...*profiletest.Run) *profile.Profile {
	t.Helper()
	var data []*rundata.Run
	for _, r := range runs {
		data = append(data, r.Data())
	}
	p, err := profile.New(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Sample is the profile of the golden files: two runs of package lex, a
// function of the standard library, and a long import path.
func Sample(t testing.TB) *profile.Profile {
	lex, sort, deep := profiletest.Lex(), SortTable(), DeepTable()
	first := profiletest.NewRun(101, 0, []string{"/tmp/go-build1/b001/lex.test", "-test.v"}, lex, sort)
	profiletest.CallWords(first, 1000, "the quick brown fox\tjumps over")
	profiletest.CallWords(first, 3, "panics at!")
	first.Call("example.com/m/lex.Must", 12, 1, 3)
	first.Call("example.com/m/lex.Must", 1, 0, 2)
	first.Call("example.com/m/lex.Version", 8, 0)
	first.Call("sort.IsSorted", 5, 0, 1, 3, 1, 3, 2, 4)
	second := profiletest.NewRun(102, 60, []string{"/tmp/go-build2/b001/lex.test"}, lex, deep)
	profiletest.CallWords(second, 1, "")
	second.Call(deep.Functions[0].Name, 250, deepWalk(deep.Functions[0])...)
	return Load(t, first, second)
}

// Missed is a profile of tests that miss something of the loop: no word is separated by a tab, and s is never empty.
func Missed(t testing.TB) *profile.Profile {
	r := profiletest.NewRun(101, 0, []string{"/tmp/go-build1/b001/lex.test"}, profiletest.Lex())
	profiletest.CallWords(r, 1000, "the quick brown fox jumps over")
	r.Call("example.com/m/lex.Must", 12, 1, 3)
	return Load(t, r)
}

// Source gives p a new root with a source of package lex.
func Source(t testing.TB, p *profile.Profile, source string) {
	t.Helper()
	p.Root = t.TempDir()
	file := filepath.Join(p.Root, "lex", "lex.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
}

// SortTable is the table of a loop outside the main module.
func SortTable() *table.Package {
	return profiletest.Package("sort", table.Function{
		Name: "sort.IsSorted", File: "sort/sort.go", Line: 103, EndLine: 111,
		Blocks: []table.Block{{Line: 103}, {Line: 105}, {Line: 106}, {Line: 110}, {}},
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.Jump},
			{From: 1, To: 2, Kind: table.CondTrue, Line: 105},
			{From: 1, To: 3, Kind: table.CondFalse, Line: 105},
			{From: 2, To: 1, Kind: table.LoopBack},
			{From: 3, To: 4, Kind: table.Return, Line: 110},
		},
		Exit: 4,
	})
}

// DeepTable is the table of a function of 2³⁵ paths in a package of a long path,
// and of declined ones.
func DeepTable() *table.Package {
	const path = "github.com/some-organisation/a-repository/internal/pkg/services/tokenizer"
	const file = "internal/pkg/services/tokenizer/tokenizer.go"
	f := table.Function{
		Name: path + ".(*Tokenizer[...]).Consume.func1", File: file, Line: 1000, EndLine: 1300,
		Storage: table.StorageHash,
	}
	const diamonds = 35
	for i := range diamonds {
		b, line := 3*i, 1000+6*i
		f.Blocks = append(f.Blocks, table.Block{Line: line}, table.Block{Line: line + 1}, table.Block{Line: line + 3})
		f.Edges = append(f.Edges,
			table.Edge{From: b, To: b + 1, Kind: table.IfThen, Line: line},
			table.Edge{From: b, To: b + 2, Kind: table.IfElse, Line: line},
			table.Edge{From: b + 1, To: b + 3, Kind: table.Jump},
			table.Edge{From: b + 2, To: b + 3, Kind: table.Jump},
		)
	}
	last := 3 * diamonds
	f.Blocks = append(f.Blocks, table.Block{Line: 1290}, table.Block{})
	f.Edges = append(f.Edges, table.Edge{From: last, To: last + 1, Kind: table.Return, Line: 1290})
	f.Exit = last + 1

	functions := []table.Function{f}
	for _, name := range []string{"Open", "Close", "Read", "Write"} {
		functions = append(functions, table.Function{
			Name: path + ".(*File)." + name, File: file, Line: 10 * len(functions),
			Declined: "no place for code on an edge of a select statement with a very long explanation",
		})
	}
	return profiletest.Package(path, functions...)
}

// deepWalk takes the then branch of every other diamond.
func deepWalk(f table.Function) []int {
	var walk []int
	for e := 0; e < len(f.Edges)-1; e += 4 {
		if e%8 == 0 {
			walk = append(walk, e, e+2)
		} else {
			walk = append(walk, e+1, e+3)
		}
	}
	return append(walk, len(f.Edges)-1)
}

// Huge has the largest counts that a profile can have, and more paths than 64
// bits can number.
func Huge() *profile.Profile {
	p := &profile.Profile{Runs: make([]profile.Run, 123456)}
	for _, path := range []string{"p", strings.Repeat("very/long/", 20) + "q"} {
		pkg := &profile.Package{Path: path}
		for range 3 {
			f := profiletest.Lex().Functions[1]
			f.Name = path + ".F"
			f.File = path + "/f.go"
			f.Values.NumPaths = math.MaxUint64
			pkg.Functions = append(pkg.Functions, &profile.Function{
				Package: path, Table: &f,
				Entries: math.MaxInt64 / 24, Paths: []profile.Path{{
					ID: math.MaxUint64, Count: math.MaxInt64 / 24, Edges: []int{1, 3}, Branches: 1,
				}},
				Blocks: []int64{math.MaxInt64 / 24, 0, math.MaxInt64 / 24, math.MaxInt64 / 24},
				Edges:  []int64{0, math.MaxInt64 / 24, 0, math.MaxInt64 / 24},
			})
		}
		p.Packages = append(p.Packages, pkg)
	}
	return p
}

// Broken has lost updates of all kinds.
func Broken(t testing.TB) *profile.Profile {
	p := Sample(t)
	p.Runs[0].Lost = 1 << 40
	p.Packages[0].Functions[0].Entries = 1
	return p
}

// Hostile has names that break naive formats.
func Hostile(t testing.TB) *profile.Profile {
	const path = "example.com/a;b c\nd"
	lex := profiletest.Lex()
	f := lex.Functions[1]
	f.Name = path + ".F[struct { A int; B \"x\ny\" }]\x00\xff<script>&\u202e {path 0: 1} 7"
	f.File = "a b/\"q\".go\nfake.go"
	declined := table.Function{Name: path + ".\r\n", File: "\x1b[31m", Declined: "line\none"}
	pkg := profiletest.Package(path, f, declined)
	r := profiletest.NewRun(1, 0, []string{"/bin/\x1b[31m"}, pkg)
	r.Call(f.Name, 3, 1, 3)
	return Load(t, r)
}

// Sampled is a profile with calling contexts. It has functions that are instrumented and others, inlined ones, and
// one that is called from two places. It has a path that was seen in no context, and labels of goroutines. The
// binary was built from files in /src/m.
func Sampled(t testing.TB) *profile.Profile {
	const lexFile = "/src/m/lex/lex.go"
	var (
		words  = pcct.Frame{Name: "example.com/m/lex.Words", File: lexFile, StartLine: 4}
		must   = pcct.Frame{Name: "example.com/m/lex.Must", File: lexFile, StartLine: 20}
		goexit = pcct.Frame{Name: "runtime.goexit", File: "/go/src/runtime/asm_amd64.s", Line: 1771, StartLine: 1769}
		index  = pcct.Frame{Name: "strings.IndexFunc[go.shape.string; x]", File: "/go/src/strings/strings.go", Line: 900, StartLine: 890}
		wordAt = words
	)
	wordAt.Line = 11
	caller := func(line int32) pcct.Frame {
		return pcct.Frame{Name: "main.main", File: "/src/m/main.go", Line: line, StartLine: 5}
	}
	r := profiletest.NewRun(101, 0, []string{"/tmp/m"}, profiletest.Sampled(profiletest.Lex()))
	seen := func(node int, times, samples uint64, took time.Duration) rundata.ContextPath {
		return rundata.ContextPath{Node: node, Estimate: times * runfile.SampleUnit, Samples: samples, Time: took}
	}
	outermost := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{goexit}})
	nine := r.Context(pcct.Node{Parent: outermost, Frames: []pcct.Frame{caller(9)}, Time: 10_000_000, Samples: 1})
	ten := r.Context(pcct.Node{Parent: outermost, Frames: []pcct.Frame{caller(10)}})
	user := r.Context(pcct.Node{Parent: -1, Labels: []pcct.Label{{Key: "user", Value: "é\n"}, {Key: "page", Value: "1"}}})
	labelled := r.Context(pcct.Node{Parent: user, Frames: []pcct.Frame{caller(10)}})
	inNine := r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{words}})
	inTen := r.Context(pcct.Node{Parent: ten, Frames: []pcct.Frame{words}})
	inLabelled := r.Context(pcct.Node{Parent: labelled, Frames: []pcct.Frame{words}})
	r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{wordAt}, Time: 40_000_000, Samples: 4})
	r.Context(pcct.Node{Parent: labelled, Frames: []pcct.Frame{wordAt}, Time: 20_000_000, Samples: 2})
	r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{index, wordAt}, Time: 10_000_000, Samples: 1}) // IndexFunc is inlined
	inlined := r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{must, wordAt}})                     // and so is Must

	r.Sample(words.Name, 100, 50, []rundata.ContextPath{
		seen(inNine, 6, 3, 30_000_000), seen(inTen, 2, 1, 0), seen(inLabelled, 2, 1, 10_000_000),
	}, 0, 2, 12)
	r.Sample(words.Name, 1000, 500, []rundata.ContextPath{seen(inNine, 1, 1, 0)}, 1, 4, 6, 9, 11)
	r.Sample(words.Name, 7, 3, nil, 2, 12)
	r.Sample(must.Name, 12, 6, []rundata.ContextPath{seen(inlined, 1, 1, 0)}, 1, 3)
	r.Sample(must.Name, 1, 1, []rundata.ContextPath{seen(inNine, 0, 0, 5_000_000)}, 0, 2) // by tables that are wrong about what is inlined
	p := Load(t, r)
	p.Root = "/src/m"
	return p
}

// Counted is a profile of a run that counted what rarely ends, and sampled the rest in windows. It has 18 s of CPU time
// in 1,800 ticks.
func Counted(t testing.TB) *profile.Profile {
	r := profiletest.NestedRun(1)
	main := r.Context(pcct.Node{Parent: -1, Time: 200_000_000, Samples: 20, Frames: []pcct.Frame{
		{Name: "main.main", File: "/src/m/main.go", Line: 9, StartLine: 5},
	}})
	r.Context(pcct.Node{Parent: main, Time: 18_000_000_000, Samples: 1800, Frames: []pcct.Frame{
		{Name: "example.com/m.F", File: "/src/m/m.go", Line: 5, StartLine: 1},
	}})
	return Load(t, r)
}
