//go:build linux

package damage

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/covdata"
	"github.com/goprofinstr/goprofinstr/export/coverage"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/page"
	"github.com/goprofinstr/goprofinstr/export/parquet"
	"github.com/goprofinstr/goprofinstr/export/pgo"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/builds"
	"github.com/goprofinstr/goprofinstr/export/profile/merge"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

var (
	count   = flag.Int("damage.n", 0, "how many inputs; 0 for a few, in this process")
	from    = flag.Int("damage.from", 0, "the first of them")
	workers = flag.Int("damage.workers", 2, "processes at a time")
)

// few is how many inputs go test tries by itself, in some seconds, and fewest with -short.
const (
	few    = 150
	fewest = 40
)

// A bench is what inputs are tried in. It has a folder with the sources, a profile that is not damaged, and a place
// for those that are.
type bench struct {
	root  string
	seeds []files
	good  *profile.Profile
	clock clock
}

func newBench(t testing.TB) *bench {
	b := &bench{root: t.TempDir()}
	names, err := filepath.Glob("testdata/*.zip")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b.seeds = append(b.seeds, b.unzip(t, name))
	}
	cover, err := os.ReadFile("testdata/m.go.cover")
	if err != nil {
		t.Fatal(err)
	}
	b.write(t, "src/m.go", b.seeds[0]["m.go"])
	b.write(t, "cover.txt", cover)
	// Instead of the go command: what its cover tool says of the file. It knows no packages.
	b.write(t, "bin/go", []byte("#!/bin/sh\ntest \"$1\" = tool && exec /bin/cat '"+b.root+"/cover.txt'\n"))
	os.Chmod(filepath.Join(b.root, "bin/go"), 0o777)
	t.Setenv("PATH", filepath.Join(b.root, "bin"))
	b.lay(t, "good", b.seeds[1])
	if b.good, err = profile.Load(filepath.Join(b.root, "good")); err != nil || len(b.good.Damaged) > 0 {
		t.Fatal(err, b.good)
	}
	return b
}

func (b *bench) unzip(t testing.TB, name string) files {
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := make(files)
	for _, entry := range r.File {
		if entry.FileInfo().IsDir() {
			continue
		}
		in, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		if f[entry.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	for _, name := range []string{"goprofinstr.json", "cover.json"} {
		if data, ok := f[name]; ok {
			f[name] = bytes.ReplaceAll(data, []byte("/tmp/seed/m"), []byte(filepath.Join(b.root, "src")))
		}
	}
	return f
}

func (b *bench) write(t testing.TB, name string, data []byte) {
	name = filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// lay writes a profile directory.
func (b *bench) lay(t testing.TB, name string, f files) {
	if err := os.RemoveAll(filepath.Join(b.root, name)); err != nil {
		t.Fatal(err)
	}
	for file, data := range f {
		b.write(t, filepath.Join(name, file), data)
	}
}

// numbered returns the mutator for input i.
func numbered(i int) mutator { return mutator{rand.New(rand.NewPCG(uint64(i), 19))} }

// try tries the input that a mutator makes.
func (b *bench) try(t testing.TB, m mutator) {
	f := pick(m, b.seeds).clone()
	m.mutate(f)
	b.lay(t, "in", f)
	names := slices.Sorted(maps.Keys(writers))
	m.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	b.read(t, filepath.Join(b.root, "in"), names[:formats], m.Perm(readers)[:others])
}

// An input is tried with some of all formats and other readers: with all of them it takes ten times as long.
const (
	formats = 5
	others  = 1
	readers = 8 // that there are
)

// read has a profile directory read, written in some formats, and read by others.
func (b *bench) read(t testing.TB, dir string, formats []string, others []int) {
	var p *profile.Profile
	var err error
	b.clock.time(t, "load", func() { p, err = profile.Load(dir) })
	if err != nil {
		oneLine(t, err)
		b.merge(t, dir)
		b.fleet(t, dir)
		return
	}
	for _, name := range formats {
		var out bytes.Buffer
		b.clock.time(t, name, func() { err = writers[name](&out, p) })
		if err != nil {
			oneLine(t, err)
		}
		if !noText[name] {
			harmless(t, name, out.String())
		}
	}
	for _, i := range others {
		switch i {
		case 0:
			b.check(t, p)
		case 1:
			b.diff(t, p)
		case 2:
			b.pages(t, p)
		case 3:
			b.clock.time(t, "html", func() { err = page.New(p, "in").WriteReport(io.Discard) })
			if err != nil {
				oneLine(t, err)
			}
		case 4:
			b.cover(t, dir, p)
		case 5:
			b.merge(t, dir)
		case 6:
			b.fleet(t, dir)
		case 7:
			b.archive(t, dir)
		}
	}
}

// writers are those of all formats.
var writers = map[string]func(io.Writer, *profile.Profile) error{
	"paths": pprof.WritePaths, "edges": pprof.WriteEdges, "calls": pprof.WriteCalls,
	"pgo": pgo.Write, "json": export.WriteJSON, "folded": export.WriteFolded, "summary": report.WriteSummary,
	"conditions": report.WriteConditions, "mcdc": report.WriteMCDC,
	"markers": export.WriteMarkers, "markers-text": export.WriteMarkersText,
	"prime":       func(w io.Writer, p *profile.Profile) error { return report.WritePrime(w, p, 3) },
	"kind calls":  func(w io.Writer, p *profile.Profile) error { return pprof.WriteEvents(w, p, "calls") },
	"kind trips":  func(w io.Writer, p *profile.Profile) error { return pprof.WriteEvents(w, p, "trips") },
	"kind values": func(w io.Writer, p *profile.Profile) error { return pprof.WriteEvents(w, p, "values") },
	"report":      func(w io.Writer, p *profile.Profile) error { return report.WriteText(w, p, 20) },
	"report json": func(w io.Writer, p *profile.Profile) error { return report.WriteJSON(w, p, 20) },
	"markdown":    func(w io.Writer, p *profile.Profile) error { return report.WriteMarkdown(w, p, 20) },
	"path":        func(w io.Writer, p *profile.Profile) error { return report.WritePathTests(w, p, "collatz#0") },
	"test":        func(w io.Writer, p *profile.Profile) error { return report.WriteTestPaths(w, p, "TestParse") },
	"parquet":     writeParquet,
}

// writeParquet writes the tables of all kinds.
func writeParquet(w io.Writer, p *profile.Profile) error {
	for _, kind := range parquet.Kinds {
		out, err := parquet.NewWriter(w, kind)
		if err == nil {
			err = out.Write(&parquet.Group{Service: "shop"}, p)
		}
		if err == nil {
			err = out.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noText are the formats that are not for a terminal, or escape what is.
var noText = map[string]bool{
	"paths": true, "edges": true, "calls": true, "pgo": true, "kind calls": true, "kind trips": true,
	"kind values": true, "json": true, "report json": true, "markers": true, "parquet": true,
}

// oneLine demands that an error is one, when it is printed.
func oneLine(t testing.TB, err error) {
	t.Helper()
	s := strings.ReplaceAll(err.Error(), twoLines, "") // names are made harmless when errors are printed
	if strings.Contains(s, "\n") {
		t.Errorf("error of several lines: %q", s)
	}
}

// harmless demands that a text has nothing that a terminal obeys.
func harmless(t testing.TB, name, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
		t.Errorf("%s: control character: %q", name, text[max(0, i-60):min(len(text), i+20)])
	}
}

func (b *bench) check(t testing.TB, p *profile.Profile) {
	all := map[gate.Measure]float64{gate.Path: 100, gate.Branch: 100, gate.Condition: 100, gate.Statement: 100, gate.MCDC: 100}
	for _, o := range []gate.Options{
		{Min: all, Most: 20}, {Min: all, Most: 3, Lines: gate.Lines{"m.go": {40: true, 55: true, 146: true}}},
		{Baseline: b.good, Most: 20}, {Baseline: p, Most: 20},
	} {
		var r *gate.Result
		var err error
		b.clock.time(t, "check", func() { r, err = gate.Check(p, o) })
		if err != nil {
			oneLine(t, err)
			continue
		}
		for i, write := range []func(io.Writer) error{
			func(w io.Writer) error { return gate.WriteText(w, r) },
			func(w io.Writer) error { return gate.WriteGithub(w, r, "dir/") },
			func(w io.Writer) error { return gate.WriteSARIF(w, r, "dir/") },
			func(w io.Writer) error { return gate.WriteJSON(w, r) },
		} {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				oneLine(t, err)
			}
			if i < 2 {
				harmless(t, fmt.Sprint("check ", i), out.String())
			}
		}
	}
}

func (b *bench) diff(t testing.TB, p *profile.Profile) {
	for _, pair := range [][2]*profile.Profile{{p, p}, {b.good, p}, {p, b.good}} {
		var c *compare.Comparison
		var err error
		b.clock.time(t, "diff", func() { c, err = compare.New(pair[0], pair[1]) })
		if err != nil {
			oneLine(t, err)
			continue
		}
		var out bytes.Buffer
		if err := compare.WriteText(&out, c, 20); err != nil {
			oneLine(t, err)
		}
		harmless(t, "diff", out.String())
		if err := compare.WriteJSON(io.Discard, c); err != nil {
			oneLine(t, err)
		}
	}
}

// pages asks for all pages, and for the report.
func (b *bench) pages(t testing.TB, p *profile.Profile) {
	var site *page.Site
	b.clock.time(t, "view", func() { site = page.New(p, "in") })
	handler := site.Handler(false)
	get := func(path, query string) {
		r := &http.Request{Method: "GET", URL: &url.URL{Path: path, RawQuery: query}, Host: "localhost"}
		w := httptest.NewRecorder()
		b.clock.time(t, "page "+path, func() { handler.ServeHTTP(w, r) })
		harmless(t, path, w.Body.String())
	}
	get("/", "")
	get("/search", "q=o")
	for _, pkg := range some(p.Packages) {
		get("/p/"+pkg.Path, "sort=flow")
	}
	for _, f := range some(p.Functions()) {
		query := "all=1"
		if len(f.Paths) > 0 {
			query = fmt.Sprintf("path=%d", f.Paths[len(f.Paths)-1].ID)
		}
		get("/f/"+f.Table.Name, query)
	}
}

// some returns the first and the last ones of a list, of which there may be thousands.
func some[T any](list []T) []T {
	const most = 20
	if len(list) <= most {
		return list
	}
	return slices.Concat(list[:most/2], list[len(list)-most/2:])
}

func (b *bench) cover(t testing.TB, dir string, p *profile.Profile) {
	plan, err := coverprofile.ReadPlan(dir)
	if err != nil {
		oneLine(t, err)
		return
	}
	var c *coverprofile.Profile
	b.clock.time(t, "coverprofile", func() { c, err = coverprofile.Derive(dir, p, plan, coverprofile.Tool{Go: "go"}) })
	if err != nil {
		return // what go tool cover says may have several lines
	}
	var out bytes.Buffer
	if err := cmp.Or(c.Write(&out, "count"), c.WriteSummary(&out)); err != nil {
		oneLine(t, err)
	}
	harmless(t, "coverprofile", out.String())
	b.coverage(t, p, plan)
}

// coverage writes the coverage in the formats of other tools.
func (b *bench) coverage(t testing.TB, p *profile.Profile, plan *coverprofile.Plan) {
	var sources []coverprofile.Source
	var err error
	b.clock.time(t, "sources", func() { sources, _, err = coverprofile.Sources(p, plan, false) })
	if err != nil {
		return // as above
	}
	var r *coverage.Report
	b.clock.time(t, "coverage", func() { r = coverage.New(p, sources, "dir/") })
	for _, write := range []func(*coverage.Report, io.Writer) error{
		(*coverage.Report).WriteLcov, (*coverage.Report).WriteCobertura, (*coverage.Report).WriteSonar, (*coverage.Report).WriteCodecov,
	} {
		var out bytes.Buffer
		if err := write(r, &out); err != nil {
			oneLine(t, err)
		}
		harmless(t, "coverage", out.String())
	}
	b.clock.time(t, "covdata", func() {
		err = covdata.Write(b.root, p, sources, covdata.Options{
			Mode: "count", Replace: func(_ string, write func(io.Writer) error) error { return write(io.Discard) },
		})
	})
	if err != nil {
		oneLine(t, err)
	}
}

// merge merges a directory by itself, and with one that is not damaged.
func (b *bench) merge(t testing.TB, dir string) {
	for _, dirs := range [][]string{{dir}, {filepath.Join(b.root, "good"), dir}} {
		out := &profiledir.Dir{Path: filepath.Join(b.root, "merged")}
		if err := os.RemoveAll(out.Path); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(out.Path, 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		b.clock.time(t, "merge", func() { _, err = merge.Directories(out, dirs) })
		if err == nil {
			err = coverprofile.MergePlans(out.Path, dirs)
		}
		if err == nil {
			_, err = merge.Load(out, dirs)
		}
		if err != nil {
			oneLine(t, err)
			if strings.Contains(err.Error(), out.Path) {
				t.Errorf("merge: the error names the directory that is made: %v", err)
			}
		}
	}
}

// fleet makes profiles for the compiler of a directory, and of one that is not damaged.
func (b *bench) fleet(t testing.TB, dir string) {
	for _, dirs := range [][]string{{dir}, {filepath.Join(b.root, "good"), dir}} {
		b.clock.time(t, "fleet", func() {
			all, _, err := builds.Read(dirs)
			if err != nil {
				oneLine(t, err)
				return
			}
			r, err := pgo.Make(all, pgo.Options{})
			if err != nil {
				oneLine(t, err)
				return
			}
			harmless(t, "fleet", strings.Join(r.Text(), "\n"))
			if _, err := pgofile.Encode(r.Edges); err != nil {
				t.Error(err)
			}
		})
	}
}

// archive has what each run of a directory has counted become an object of an archive, and a profile again.
func (b *bench) archive(t testing.TB, dir string) {
	names, err := profiledir.Runs(profiledir.Current(dir))
	if err != nil {
		oneLine(t, err)
	}
	tables := new(profile.Tables)
	for _, name := range names {
		b.clock.time(t, "archive", func() {
			if err := archived(name, tables); err != nil {
				oneLine(t, err)
			}
		})
	}
}

func archived(name string, tables *profile.Tables) error {
	run, err := rundata.ReadFile(name)
	if err != nil {
		return err
	}
	of, err := tally.OfAny(run, tables)
	if err != nil {
		return err
	}
	sums := of.WithSums(func(table []byte) [sha256.Size]byte { return sha256.Sum256(table) })
	data, err := object.Encode(&object.Object{Parts: []object.Part{{Counts: sums}}})
	if err != nil {
		return err
	}
	o, err := object.Decode(data)
	if err != nil {
		return fmt.Errorf("what was encoded cannot be decoded:\n%w", err) // which is never one line
	}
	_, err = o.Parts[0].Counts.WithTables(of).Profile(tables)
	return err
}

// TestDamage tries the first inputs, or with -damage.n those of a range in processes of their own.
func TestDamage(t *testing.T) {
	if *count > 0 && os.Getenv(workerVar) == "" {
		startWorkers(t)
		return
	}
	b := newBench(t)
	n := few
	switch {
	case *count > 0:
		limit(t)
		n = *count
	case testing.Short():
		n = fewest
	}
	for i := *from; i < *from+n; i++ {
		b.clock.input(i)
		b.try(t, numbered(i))
		if t.Failed() {
			t.Fatalf("input %d", i)
		}
	}
	b.clock.print()
}

// TestSeeds has the seeds as they are: nothing of them is left out.
func TestSeeds(t *testing.T) {
	b := newBench(t)
	for _, seed := range b.seeds {
		b.lay(t, "in", seed)
		p, err := profile.Load(filepath.Join(b.root, "in"))
		if err != nil || len(p.Damaged) > 0 {
			t.Error(err, p.Damaged)
			continue
		}
		b.read(t, filepath.Join(b.root, "in"), slices.Sorted(maps.Keys(writers)), []int{0, 1, 2, 3, 4, 5, 7})
	}
}

// FuzzProfile has the fuzzer choose what is changed, in place of a random number generator.
func FuzzProfile(f *testing.F) {
	b := newBench(f)
	for i := range 20 {
		var choices []byte
		for range 20 {
			choices = fmt.Appendf(choices, "%c%c", i*7, i*31)
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		own := *b
		own.root = t.TempDir()
		if err := os.Symlink(filepath.Join(b.root, "good"), filepath.Join(own.root, "good")); err != nil {
			t.Fatal(err)
		}
		own.try(t, mutator{rand.New(&chosen{choices, rand.NewPCG(uint64(len(choices)), 19)})})
	})
}

// chosen is a source of random numbers that are chosen as long as there are any.
type chosen struct {
	choices []byte
	rest    *rand.PCG
}

func (c *chosen) Uint64() (n uint64) {
	if len(c.choices) < 8 {
		return c.rest.Uint64()
	}
	for _, b := range c.choices[:8] {
		n = n<<8 | uint64(b)
	}
	c.choices = c.choices[8:]
	return n
}
