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
	"github.com/goprofinstr/goprofinstr/export/profiledir"
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
	audit := t.TempDir()
	if err := (&profiledir.Dir{Path: audit}).WriteBuild(profiledir.Manifest{Mode: profiledir.AuditMode}, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir  string
		is   error
		want string
	}{
		{audit, nil, "is an audit"},
		{filepath.Join(dir, "missing"), fs.ErrNotExist, "missing"},
		{dir, profiledir.ErrNoRuns, "the directory is empty"},
		{other, profiledir.ErrNoRuns, "not a profile directory"},
		{file, nil, "not a directory"},
		{damaged, nil, "run.1.gpi"},
		{empty, profiledir.ErrNoRuns, "died while they started"},
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

// TestLoadAs has an audit in a folder that has another name than users know.
func TestLoadAs(t *testing.T) {
	d := &profiledir.Dir{Path: t.TempDir()}
	if err := d.Start(profiledir.Manifest{Mode: profiledir.AuditMode}, nil); err != nil {
		t.Fatal(err)
	}
	want := "shown is an audit, and not a profile; goprofinstr audit -from shown shows it"
	if _, err := LoadAs(d.Running(), "shown"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestReadRuns reads the directory of a wrap that was killed when its profile was whole.
func TestReadRuns(t *testing.T) {
	dir := t.TempDir()
	whole := &profiledir.Dir{Path: filepath.Join(dir, "whole")}
	if err := whole.WriteBuild(profiledir.Manifest{Mode: "exact"}, nil); err != nil {
		t.Fatal(err)
	}
	for pid, name := range []string{filepath.Join(dir, "run.0.0.gpi"), filepath.Join(whole.Path, "run.1.0.gpi")} {
		if err := profiletest.NewRun(pid, 0, nil, profiletest.Lex()).WriteFile(name); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := ReadRuns(dir)
	if err != nil || len(runs) != 1 || runs[0].Pid != 1 {
		t.Errorf("%+v, %v, want the run of pid 1", runs, err)
	}
}

// TestHere: names of files that the runtime has are those of the folder that the program was built in.
func TestHere(t *testing.T) {
	p := &Profile{Root: "/here/m", BuildRoot: "/there/m", Changed: map[string]bool{"sub/b.go": true}}
	for file, want := range map[string]string{
		"/there/m/sub/a.go":    "/here/m/sub/a.go",
		"/there/m/sub/b.go":    "sub/b.go",
		"/there/more/a.go":     "/there/more/a.go",
		"/usr/go/src/fmt/a.go": "/usr/go/src/fmt/a.go",
		"fmt/a.go":             "fmt/a.go",
		"":                     "",
	} {
		if got := p.Here(filepath.FromSlash(file)); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	for _, p := range []*Profile{{Root: "/here/m"}, {BuildRoot: "/there/m"}} {
		if got := p.Here("/there/m/sub/a.go"); got != "/there/m/sub/a.go" {
			t.Errorf("without a root: %s", got)
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
	want := load(t, runs...)
	want.Built = true
	if diff := cmp.Diff(want, p); diff != "" {
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

// TestDamaged damages the data of one of two runs in every way that New looks for: what is wrong is left out,
// and nothing else.
func TestDamaged(t *testing.T) {
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
		part   Part
		damage func(*rundata.Package)
		want   string
	}{
		{"no table", PackagePart, func(p *rundata.Package) { p.Table = []byte("x") }, "not a path table"},
		{"other package", PackagePart, func(p *rundata.Package) { p.Path = "q" }, "that of package example.com/m/lex"},
		{"too few counters", PackagePart, func(p *rundata.Package) { p.Counters = p.Counters[1:] }, "its path table says"},
		{"huge counter array", PackagePart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Counters = 1 << 62 })
		}, "its path table says"},
		{"entry counter", FunctionPart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Entries = int64(t.Counters) })
		}, "entry counter"},
		{"negative entry counter", FunctionPart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Entries = -2 })
		}, "entry counter"},
		{"path counters", FunctionPart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].First = math.MaxUint64 })
		}, "path counters"},
		{"storage", FunctionPart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Storage = "tape" })
		}, `unknown storage "tape"`},
		{"hash table", FunctionPart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[must].Hash = -1 })
		}, "hash table -1"},
		{"no hash tables", PackagePart, func(p *rundata.Package) { p.Hashes = nil }, "0 hash tables, and example.com/m/lex.Must has number 0"},
		{"graph", FunctionPart, func(p *rundata.Package) {
			retable(p, func(t *table.Package) { t.Functions[words].Edges[3].To = 99 })
		}, "lex.Words: path table: edge 3, 2→99"},
		{"path id", FunctionPart, func(p *rundata.Package) { p.Hashes[0][99] = 1 }, "lex.Must: no path 99"},
		{"path count", FunctionPart, func(p *rundata.Package) { p.Hashes[0][1] = math.MaxUint64 }, "overflow"},
		{"path counts together", FunctionPart, func(p *rundata.Package) {
			p.Hashes[0][0], p.Hashes[0][1] = math.MaxInt64/4, math.MaxInt64/4
		}, "overflow"},
		{"path count that wraps", FunctionPart, func(p *rundata.Package) { p.Hashes[0][1] = (math.MaxUint64-2)/3 + 2 }, "overflow"},
		{"entries", FunctionPart, func(p *rundata.Package) { p.Counters[0] = math.MaxInt64 + 1 }, "overflow"},
	} {
		lex := profiletest.Lex()
		r := profiletest.NewRun(42, 0, nil, lex, loopTable())
		r.Call("example.com/m/lex.Must", 3, 1, 3)
		r.Call("example.com/m.F", 1, 0, 2, 4)
		test.damage(r.Data().Packages[0])
		p, err := New([]*rundata.Run{r.Data()}, nil)
		if err != nil || len(p.Damaged) != 1 {
			t.Errorf("%s: New: %v, damaged %v, want one thing", test.name, err, p.Damaged)
			continue
		}
		if d := p.Damaged[0]; d.Part != test.part || !strings.Contains(d.String(), test.want) || strings.Contains(d.String(), "\n") {
			t.Errorf("%s: damaged: %q, want a %s, with %q", test.name, d, test.part, test.want)
		}
		if f := function(t, p, "example.com/m.F"); f.Entries != 1 {
			t.Errorf("%s: the other package has %d entries, want 1", test.name, f.Entries)
		}
		if test.part == PackagePart {
			continue
		}
		for _, f := range p.Packages[1].Functions {
			if strings.HasSuffix(f.Table.Name, ".recovers") {
				continue // declined when it was instrumented
			}
			left := f.Table.Name == p.Damaged[0].Name
			if f.Declined() != left || f.Declined() && !strings.Contains(f.Table.Declined, "cannot be read") {
				t.Errorf("%s: %s is declined: %q", test.name, f.Table.Name, f.Table.Declined)
			}
			if hasTable := strings.HasPrefix(p.Damaged[0].Reason, "path table"); left && (f.LeftOut == nil) != hasTable {
				t.Errorf("%s: table of the function left out: %v", test.name, f.LeftOut)
			}
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
		p, err := New(runs, nil)
		if err != nil || len(p.Damaged) != 2 || !strings.Contains(p.Damaged[0].String(), "pid 1: counts overflow") {
			t.Errorf("%v, damaged %v, want the second run, and the function in the first", err, p.Damaged)
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
		a.Call("example.com/m/lex.Must", 3, 1, 3)
		p, err := New([]*rundata.Run{a.Data(), b.Data()}, nil)
		if err != nil || len(p.Damaged) != 1 || !strings.Contains(p.Damaged[0].String(), "pid 2") {
			t.Fatalf("%v, damaged %v, want the run of pid 2", err, p.Damaged)
		}
		if f := function(t, p, "example.com/m/lex.Must"); f.Entries != 3 {
			t.Errorf("%d entries, want those of the run of pid 1", f.Entries)
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

// TestLoadDamaged has a directory in which one file of each kind is damaged, beside others that are not.
func TestLoadDamaged(t *testing.T) {
	d := &profiledir.Dir{Path: t.TempDir()}
	lex, loop, rebuilt := profiletest.Lex(), loopTable(), profiletest.Lex()
	rebuilt.Functions[0].Line++
	var tables [][]byte
	for _, t := range []*table.Package{lex, loop, profiletest.Package("example.com/never")} {
		data, _ := t.Encode()
		tables = append(tables, data)
	}
	tables = append(tables, []byte("nonsense"))
	if err := d.Start(profiledir.Manifest{Root: "/m"}, tables); err != nil {
		t.Fatal(err)
	}
	path := d.Running()
	for pid, t := range []*table.Package{lex, lex, rebuilt} {
		r := profiletest.NewRun(pid, pid, nil, t, loop)
		r.Call("example.com/m/lex.Must", 3, 1, 3)
		r.Call("example.com/m.F", 1, 0, 2, 4)
		if err := r.WriteFile(filepath.Join(path, fmt.Sprintf("run.%d.0.gpi", pid))); err != nil {
			panic(err)
		}
	}
	if err := os.WriteFile(filepath.Join(path, "run.8.0.gpi"), []byte("nonsense"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(path, "run.9.0.gpi"), 0o777); err != nil {
		t.Fatal(err)
	}
	p, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"run file run.8.0.gpi: run file of 8 bytes: shorter than a header",
		"run file run.9.0.gpi: it is a directory, and no file that goprofinstr has written",
		"package example.com/m/lex: run.2.0.gpi is of another build of it than the others",
		"table 0003.gptab: not a path table",
	}
	var got []string
	for _, d := range p.Damaged {
		got = append(got, d.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("damaged (-want +got):\n%s", diff)
	}
	if f, g := function(t, p, "example.com/m/lex.Must"), function(t, p, "example.com/m.F"); f.Entries != 6 || g.Entries != 3 || len(p.Packages) != 3 || p.Root != "/m" {
		t.Errorf("%d and %d entries in %d packages, want 6 and 3 in 3", f.Entries, g.Entries, len(p.Packages))
	}
	lines := p.DamageLines()
	if len(lines) != 5 || lines[0] != "4 parts of the profile cannot be read, and they are left out" {
		t.Errorf("lines %q", lines)
	}
	if err := p.Check(); err == nil {
		t.Error("Check: a profile of which parts are left out is said to be right")
	}
}

// TestLoadVersions has manifests of other formats, which are refused, and one that cannot be read, which costs
// the root only.
func TestLoadVersions(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":99}`: "goprofinstr.json: version 99 of a profile directory; this goprofinstr reads version 1",
		`null`:           "goprofinstr.json: version 0 of a profile directory; this goprofinstr reads version 1",
		`{"version":"`:   "",
	} {
		dir := t.TempDir()
		if err := profiletest.NewRun(1, 0, nil, profiletest.Lex()).WriteFile(filepath.Join(dir, "run.1.0.gpi")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, profiledir.ManifestName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Load(dir)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want a line with %q", text, err, want)
		}
		if want == "" && (err != nil || len(p.Damaged) != 1) {
			t.Errorf("%s: %v, %v", text, err, p)
		}
	}
}
