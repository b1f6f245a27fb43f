package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	other := t.TempDir()
	file := filepath.Join(other, "main.go")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "run.1.gpi"), []byte("nonsense"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "run.1.gpi"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir  string
		is   error
		want string
	}{
		{filepath.Join(dir, "missing"), fs.ErrNotExist, "missing"},
		{dir, ErrNoRuns, "the directory is empty"},
		{other, ErrNoRuns, "not a profile directory"},
		{file, nil, "not a directory"},
		{damaged, nil, "run.1.gpi"},
		{empty, ErrNoRuns, "died while they started"},
	} {
		p, err := Load(test.dir)
		if err == nil {
			t.Errorf("Load(%s) = %v, want an error", test.dir, p)
			continue
		}
		if test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("Load(%s): %v, want %v", test.dir, err, test.is)
		}
		if s := err.Error(); !strings.Contains(s, test.want) || !strings.Contains(s, test.dir) || strings.Contains(s, "\n") {
			t.Errorf("Load(%s): %q, want one line with %q and the directory", test.dir, s, test.want)
		}
	}
}

// TestLoad goes by way of files: two runs, a process that died at once, and
// files of other kinds.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	var runs []*profiletest.Run
	for pid := range 2 {
		r := profiletest.NewRun(pid, pid, []string{"/tmp/lex.test", "-v"}, profiletest.Lex(), loopTable())
		profiletest.CallWords(r, 2, "ab c")
		r.Call("example.com/m/lex.Must", 3, 1, 3)
		r.Data().Lost = 7
		runs = append(runs, r)
		if err := r.WriteFile(filepath.Join(dir, fmt.Sprintf("run.%d.0.gpi", pid))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"run.3.0.gpi", "paths.pb.gz", "run.old"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(load(t, runs...), p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Runs[1].Lost != 7 {
		t.Errorf("lost %d executions, want 7", p.Runs[1].Lost)
	}
	if f := function(t, p, "example.com/m/lex.Must"); f.Entries != 6 || len(p.Runs) != 2 {
		t.Errorf("Must: entries %d in %d runs, want 6 in 2", f.Entries, len(p.Runs))
	}
}

// TestRunsAddUp has two runs in two orders; both have a package that the other
// lacks.
func TestRunsAddUp(t *testing.T) {
	lex, loop := profiletest.Lex(), loopTable()
	other := profiletest.Package("example.com/a")
	first := profiletest.NewRun(20, 1, []string{"a.test"}, lex, loop)
	profiletest.CallWords(first, 2, "ab c")
	first.Call("example.com/m/lex.Must", 3, 1, 3)
	first.Call("example.com/m.F", 1, 0, 2, 4)
	second := profiletest.NewRun(10, 2, []string{"b.test"}, other, lex)
	profiletest.CallWords(second, 5, "ab c")
	second.Call("example.com/m/lex.Must", 4, 1, 3)
	second.Call("example.com/m/lex.Must", 1, 0, 2)

	p := load(t, first, second)
	if diff := cmp.Diff(p, load(t, second, first)); diff != "" {
		t.Errorf("the order of the runs matters:\n%s", diff)
	}
	var packages []string
	for _, pkg := range p.Packages {
		packages = append(packages, pkg.Path)
	}
	if want := []string{"example.com/a", "example.com/m", "example.com/m/lex"}; !slices.Equal(packages, want) {
		t.Errorf("packages %v, want %v", packages, want)
	}
	if p.Runs[0].Pid != 20 || p.Runs[1].Pid != 10 || p.Runs[1].Args[0] != "b.test" {
		t.Errorf("runs %v, want those of pids 20, 10", p.Runs)
	}
	if f := function(t, p, "example.com/m/lex.Words"); f.Entries != 7 || f.Blocks[8] != 7 {
		t.Errorf("Words: entries %d, returns %d, want 7, 7", f.Entries, f.Blocks[8])
	}
	if f := function(t, p, "example.com/m/lex.Must"); f.Entries != 8 || f.Edges[3] != 7 || f.Edges[2] != 1 {
		t.Errorf("Must: entries %d, edges %v, want 8 with 7 returns and 1 panic", f.Entries, f.Edges)
	}
}

// TestSameStart has runs that started at the same time, which the pid orders.
func TestSameStart(t *testing.T) {
	p := load(t, profiletest.NewRun(2, 0, nil), profiletest.NewRun(1, 0, nil))
	if p.Runs[0].Pid != 1 {
		t.Errorf("runs %v, want pid 1 first", p.Runs)
	}
}

// TestNewErrors damages the data of one run in every way that New looks for.
func TestNewErrors(t *testing.T) {
	const words, must = 0, 1
	// retable replaces the table of pkg by a changed one.
	retable := func(pkg *rundata.Package, change func(*table.Package)) {
		tab, err := table.Decode(pkg.Table)
		if err != nil {
			t.Fatal(err)
		}
		change(tab)
		if pkg.Table, err = tab.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		damage func(*rundata.Package)
		want   string
	}{
		{"no table", func(p *rundata.Package) { p.Table = []byte("x") }, "not a path table"},
		{"other package", func(p *rundata.Package) { p.Path = "q" }, "that of package example.com/m/lex"},
		{"too few counters", func(p *rundata.Package) { p.Counters = p.Counters[1:] }, "its path table says"},
		{"huge counter array", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Counters = 1 << 62 })
		}, "its path table says"},
		{"entry counter", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Entries = int64(t.Counters) })
		}, "entry counter"},
		{"negative entry counter", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Entries = -2 })
		}, "entry counter"},
		{"path counters", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].First = math.MaxUint64 })
		}, "path counters"},
		{"storage", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Storage = "tape" })
		}, `unknown storage "tape"`},
		{"hash table", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[must].Hash = -1 })
		}, "hash table -1 of 1"},
		{"no hash tables", func(p *rundata.Package) { p.Hashes = nil }, "hash table 0 of 0"},
		{"graph", func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Edges[3].To = 99 })
		}, "lex.Words: path table: edge 3"},
		{"path id", func(p *rundata.Package) { p.Hashes[0][99] = 1 }, "lex.Must: no path 99"},
		{"path count", func(p *rundata.Package) { p.Hashes[0][1] = math.MaxUint64 }, "overflow"},
		{"path counts together", func(p *rundata.Package) {
			p.Hashes[0][0], p.Hashes[0][1] = math.MaxInt64/4, math.MaxInt64/4
		}, "overflow"},
		{"path count that wraps", func(p *rundata.Package) { p.Hashes[0][1] = (math.MaxUint64-2)/3 + 2 }, "overflow"},
		{"entries", func(p *rundata.Package) { p.Counters[0] = math.MaxInt64 + 1 }, "overflow"},
	} {
		r := profiletest.NewRun(42, 0, nil, profiletest.Lex())
		test.damage(r.Data().Packages[0])
		p, err := New([]*rundata.Run{r.Data()}, nil)
		if err == nil {
			t.Errorf("%s: New = %v, want an error", test.name, p)
			continue
		}
		if s := err.Error(); !strings.Contains(s, test.want) || strings.Contains(s, "\n") {
			t.Errorf("%s: error %q, want one line with %q", test.name, s, test.want)
		}
	}
}

// TestOverflowOverRuns has counts that fit 64 bits in each run but not together.
func TestOverflowOverRuns(t *testing.T) {
	lex := profiletest.Lex()
	for _, count := range []func(*rundata.Package) *uint64{
		func(p *rundata.Package) *uint64 { return &p.Counters[0] },
		nil,
	} {
		var runs []*rundata.Run
		for pid := range 2 {
			r := profiletest.NewRun(pid, 0, nil, lex).Data()
			if count != nil {
				*count(r.Packages[0]) = 1 << 63
			} else {
				r.Packages[0].Hashes[0][0] = 1 << 63
			}
			runs = append(runs, r)
		}
		if _, err := New(runs, nil); err == nil || !strings.Contains(err.Error(), "overflow") {
			t.Errorf("error %v, want one about overflow", err)
		}
	}
}

// TestOtherCounters has runs with equal tables but not as many counters.
func TestOtherCounters(t *testing.T) {
	for _, damage := range []func(*rundata.Package){
		func(p *rundata.Package) { p.Counters = p.Counters[1:] },
		func(p *rundata.Package) { p.Hashes = nil },
	} {
		a := profiletest.NewRun(1, 0, nil, profiletest.Lex())
		b := profiletest.NewRun(2, 0, nil, profiletest.Lex())
		damage(b.Data().Packages[0])
		if _, err := New([]*rundata.Run{a.Data(), b.Data()}, nil); err == nil || !strings.Contains(err.Error(), "pid 2") {
			t.Errorf("error %v, want one about the run of pid 2", err)
		}
	}
}

// TestDifferentBuilds has runs of two builds of the same package.
func TestDifferentBuilds(t *testing.T) {
	rebuilt := profiletest.Lex()
	rebuilt.Functions[0].Line++
	a := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	b := profiletest.NewRun(2, 1, nil, rebuilt)
	_, err := New([]*rundata.Run{a.Data(), b.Data()}, nil)
	if err == nil || !strings.Contains(err.Error(), "example.com/m/lex") || !strings.Contains(err.Error(), "different builds") ||
		!strings.Contains(err.Error(), "-o") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line that names the package and what to do", err)
	}
}
