package main

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"debug/gosym"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

var all = flag.Bool("labels.all", false, "compare more packages, and modules, which are downloaded")

// pair builds a program with labels, whose names are restored, and plainly. It returns the name of the plain one, too.
func pair(t *testing.T, dir, patterns string, args ...string) (b *build, plain string) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("builds programs")
	case runtime.GOOS != "linux" || runtime.GOARCH != "amd64":
		t.Skip("labels are for linux/amd64")
	}
	// Both have one name, which debuggers show.
	plain = filepath.Join(t.TempDir(), "program")
	b = &build{dir: dir, args: args, out: filepath.Join(t.TempDir(), "program")}
	if patterns != "" {
		b.patterns = []string{patterns}
	}
	tables, err := b.labelled()
	if err != nil {
		t.Fatal(err)
	}
	labels := checkNames(t, b.out, tables)
	report, err := patch.RestoreNames(b.out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d labels, of which %d are in the runtime's table and %d in DWARF", labels, report.Runtime, report.DWARF)
	if report.Runtime == 0 {
		t.Fatal("no labels")
	}
	if err := b.plain(plain); err != nil {
		t.Fatal(err)
	}
	return b, plain
}

// checkNames makes sure that the names with labels in a program are those of the tables, and returns the number of labels.
// Those of other files than Go's are from line directives.
func checkNames(t *testing.T, program string, tables []*label.Table) (labels int) {
	t.Helper()
	known := make(map[string]int)
	for _, table := range tables {
		for _, f := range table.Files {
			labels += len(f.Labels)
			known[f.Name], known[f.Trimmed] = len(f.Labels), len(f.Labels)
		}
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range regexp.MustCompile(`[^\x00]*~gpi[0-9a-z]*`).FindAll(data, -1) {
		name, number, ok := label.Split(string(text))
		if strings.Contains(name, "/") && filepath.Ext(name) == ".go" && (!ok || number >= known[name]) {
			t.Errorf("%s is in no table", text)
		}
	}
	return labels
}

// programs is pair, and returns the names of both.
func programs(t *testing.T, dir, patterns string, args ...string) (plain, labelled string) {
	t.Helper()
	b, plain := pair(t, dir, patterns, args...)
	return plain, b.out
}

// modules are compared with -labels.all: an interpreter, a parser, a compressor.
var modules = []struct{ path, version, pkg string }{
	{"github.com/dop251/goja", "v0.0.0-20260917113740-793a2a65c13b", "."},
	{"github.com/tidwall/gjson", "v1.20.0", "."},
	{"github.com/klauspost/compress", "v1.20.3", "./zstd"},
}

// TestOpcodes compares the code of all functions of test programs with that of the plain ones.
func TestOpcodes(t *testing.T) {
	packages := []string{"sort"}
	if *all {
		packages = append(packages, "compress/flate", "regexp", "encoding/json", "go/parser", "bufio", "strconv", "text/template",
			"image/jpeg", "math/big", "go/printer")
	}
	total := new(comparison)
	if where := strings.Fields(prints(t, "", "go", "env", "GOROOT", "GOMODCACHE")); strings.HasPrefix(where[0], where[1]) {
		packages = nil // the go command accepts no overlay there
		if !*all {
			t.Skip("the standard library is in the module cache")
		}
	}
	one := func(dir, patterns, p string) {
		b, plain := pair(t, dir, patterns, "go", "test", "-c", p)
		c, err := compare(plain, b.out, b.hasLabels)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		c.print(&text, true)
		t.Logf("%s: %s", p, text.String())
		total.add(c)
	}
	for _, p := range packages {
		one("", p, p)
	}
	if *all {
		for _, m := range modules {
			one(fetch.ForTest(t, m.path, m.version), "", m.pkg)
		}
	}
	if share := float64(total.different()) / float64(total.insts); share > 0.001 || len(total.missing) > 0 {
		t.Errorf("%.3f%% of %d instructions differ, and functions are in one program only: %s", 100*share, total.insts,
			total.missing)
	}
}

// variants are ways to build a program.
var variants = map[string][]string{
	"default":      nil,
	"trimpath":     {"-trimpath"},
	"uncompressed": {"-ldflags=-compressdwarf=false"},
	"stripped":     {"-ldflags=-s -w"},
	"pie":          {"-buildmode=pie"},
	"external":     {"-ldflags=-linkmode=external"},
	"noinline":     {"-gcflags=-l"},
}

// TestTraces compares what a program shows of itself, in each way to link it, and what readers of line tables show.
func TestTraces(t *testing.T) {
	names := []string{"default", "trimpath"}
	if *all {
		names = []string{"default", "trimpath", "uncompressed", "stripped", "pie", "noinline"}
		if _, err := exec.LookPath("gcc"); err == nil {
			names = append(names, "external")
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.Abs("testdata/traces")
			if err != nil {
				t.Fatal(err)
			}
			plain, labelled := programs(t, dir, "", slices.Concat([]string{"go", "build"}, variants[name], []string{"."})...)
			for _, args := range [][]string{nil, {"-die"}} {
				want, got := output(t, plain, args...), output(t, labelled, args...)
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("%v: -plain +labelled:\n%s", args, diff)
				}
				if !strings.Contains(want, "main.go:") || !strings.Contains(want, "actions.y:7") {
					t.Errorf("%v: not all traces are in\n%s", args, want)
				}
			}
			data, err := os.ReadFile(labelled)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte("~gpi")) {
				t.Error("there are labels left")
			}
			compareLines(t, "the runtime's line tables", runtimeLines(t, plain), runtimeLines(t, labelled))
			compareLines(t, "DWARF's line tables", dwarfLines(t, plain), dwarfLines(t, labelled))
			if name == "default" {
				compareDebugger(t, plain, labelled)
			}
			want, got := prints(t, dir, "go", "version", "-m", plain), prints(t, dir, "go", "version", "-m", labelled)
			if diff := gocmp.Diff(strings.ReplaceAll(want, plain, ""), strings.ReplaceAll(got, labelled, "")); diff != "" {
				t.Errorf("go version -m: -plain +labelled:\n%s", diff)
			}
		})
	}
}

// TestTestOutput compares what the tests of a package print.
func TestTestOutput(t *testing.T) {
	dir, err := filepath.Abs("testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	plain, labelled := programs(t, dir, "", "go", "test", "-c", ".")
	want, got := output(t, plain, "-test.v"), output(t, labelled, "-test.v")
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-plain +labelled:\n%s", diff)
	}
	if !strings.Contains(want, "traces_test.go:8: logged") {
		t.Errorf("nothing logged:\n%s", want)
	}
}

// varies are parts of traces that differ from run to run.
var varies = regexp.MustCompile(`0x[0-9a-f]+|goroutine \d+|\(\d+\.\d+s\)|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d`)

// output returns what a program prints, which may fail, without what varies.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return varies.ReplaceAllString(string(out), "…")
}

// prints returns what a command prints.
func prints(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// lines are what a reader of line tables says of a function: the position of each instruction, and of calls that were inlined.
type lines struct {
	code      []inst
	positions []string // of the instructions
	calls     []string
}

// compareLines compares what a reader of line tables says of functions, where the code is the same.
func compareLines(t *testing.T, what string, plain, labelled map[string]lines) {
	t.Helper()
	var others []string
	for name, want := range plain {
		got := labelled[name]
		if opcodes := func(a, b inst) bool { return a.op == b.op }; !slices.EqualFunc(want.code, got.code, opcodes) {
			others = append(others, name)
			continue
		}
		if diff := gocmp.Diff(want.positions, got.positions); diff != "" {
			t.Errorf("%s, %s: -plain +labelled:\n%s", what, name, diff)
		}
		if diff := gocmp.Diff(want.calls, got.calls); diff != "" {
			t.Errorf("%s, calls inlined into %s: -plain +labelled:\n%s", what, name, diff)
		}
	}
	if len(labelled) != len(plain) || len(plain)-len(others) < 20 && len(plain) > 0 {
		t.Errorf("%s: %d functions, were %d; the code is other in %s", what, len(labelled), len(plain), others)
	}
}

// ours is what the names of functions with labels begin with.
const ours = "main."

// program returns an executable and its text.
func program(t *testing.T, name string) (f *elf.File, text *elf.Section, code []byte) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	text = f.Section(".text")
	if code, err = text.Data(); err != nil {
		t.Fatal(err)
	}
	return f, text, code
}

// runtimeLines returns what debug/gosym says, with which go tool addr2line and objdump read the runtime's tables.
func runtimeLines(t *testing.T, name string) map[string]lines {
	t.Helper()
	f, text, code := program(t, name)
	section := f.Section(".gopclntab")
	if section == nil {
		section = f.Section(".data.rel.ro.gopclntab")
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, goText(f, text)))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]lines)
	for _, fn := range table.Funcs {
		if !strings.HasPrefix(fn.Name, ours) {
			continue
		}
		l := lines{code: decode(code[fn.Entry-text.Addr : fn.End-text.Addr])}
		pc := fn.Entry
		for _, i := range l.code {
			file, line, _ := table.PCToLine(pc)
			l.positions = append(l.positions, fmt.Sprintf("%s %s:%d", i.op, file, line))
			pc += uint64(i.size)
		}
		found[fn.Name] = l
	}
	return found
}

// goText returns where the Go code begins: behind that of C, if there is some.
func goText(f *elf.File, text *elf.Section) uint64 {
	syms, _ := f.Symbols() // none in a stripped program, which the Go linker has linked
	for _, s := range syms {
		if s.Name == "runtime.text" {
			return s.Value
		}
	}
	return text.Addr
}

// dwarfLines returns what DWARF's line tables say.
func dwarfLines(t *testing.T, name string) map[string]lines {
	t.Helper()
	f, text, code := program(t, name)
	if f.Section(".debug_line") == nil {
		return nil
	}
	d, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]lines)
	r := d.Reader()
	var unit *unit
	var fn string
	for {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return found
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			if e.Val(dwarf.AttrName) != "main" {
				r.SkipChildren()
				continue
			}
			unit = readUnit(t, d, e)
		case dwarf.TagSubprogram:
			ranges, err := d.Ranges(e)
			if err != nil {
				t.Fatal(err)
			}
			if fn, _ = e.Val(dwarf.AttrName).(string); fn == "" { // of an abstract one
				if ab, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
					fn = nameAt(t, d, ab)
				}
			}
			if len(ranges) == 1 {
				l := lines{code: decode(code[ranges[0][0]-text.Addr : ranges[0][1]-text.Addr])}
				l.positions = unit.positions(ranges[0][0], l.code)
				found[fn] = l
			}
		case dwarf.TagInlinedSubroutine:
			l := found[fn]
			file, _ := e.Val(dwarf.AttrCallFile).(int64)
			l.calls = append(l.calls, fmt.Sprintf("%s:%d", unit.files[file].Name, e.Val(dwarf.AttrCallLine)))
			found[fn] = l
		}
	}
}

// nameAt returns the name of the entry at an offset.
func nameAt(t *testing.T, d *dwarf.Data, at dwarf.Offset) string {
	t.Helper()
	r := d.Reader()
	r.Seek(at)
	e, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	return name
}

// A unit is the line table of a package.
type unit struct {
	rows  []dwarf.LineEntry // by address
	files []*dwarf.LineFile
}

func readUnit(t *testing.T, d *dwarf.Data, e *dwarf.Entry) *unit {
	t.Helper()
	r, err := d.LineReader(e)
	if err != nil {
		t.Fatal(err)
	}
	u := new(unit)
	for {
		var row dwarf.LineEntry
		if err := r.Next(&row); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		u.rows = append(u.rows, row)
	}
	slices.SortStableFunc(u.rows, func(a, b dwarf.LineEntry) int { return cmp.Compare(a.Address, b.Address) })
	u.files = r.Files()
	return u
}

// positions returns where instructions from an address on are from.
func (u *unit) positions(pc uint64, code []inst) (list []string) {
	for _, i := range code {
		k := sort.Search(len(u.rows), func(k int) bool { return u.rows[k].Address > pc })
		if pc += uint64(i.size); k > 0 {
			list = append(list, fmt.Sprintf("%s %s:%d", i.op, u.rows[k-1].File.Name, u.rows[k-1].Line))
		}
	}
	return list
}

// compareDebugger compares what gdb shows, if there is one.
func compareDebugger(t *testing.T, plain, labelled string) {
	t.Helper()
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		t.Log("there is no gdb")
		return
	}
	script := []string{"-nx", "-batch", "-iex", "set auto-load off"}
	for _, c := range []string{
		"set environment GODEBUG=asyncpreemptoff=1", "set environment GOMAXPROCS=1",
		"handle all nostop noprint pass", "info line main.fail", "info scope main.fail",
		"break main.inlined", "run", "bt", "info source", "list", "next", "step", "next", "bt", "frame", "delete",
		"break grammar.y:101", "tbreak actions.y:7", "break main.go:85", "continue", "bt", "continue", "bt", "continue", "continue",
		"info locals", "list main.inlined",
	} {
		script = append(script, "-ex", c)
	}
	want, got := output(t, gdb, append(script, plain)...), output(t, gdb, append(script, labelled)...)
	clean := func(s string) string {
		// Which thread runs main is chance.
		const threads = `process \d+|\[New LWP \d+\]\n|\[Switching to [^\]\n]*\]\n|LWP \d+|Thread \d+`
		return regexp.MustCompile(threads).ReplaceAllString(s, "")
	}
	if diff := gocmp.Diff(clean(want), clean(got)); diff != "" {
		t.Errorf("-plain +labelled:\n%s", diff)
	}
	if !strings.Contains(want, "actions.y:7") || !strings.Contains(want, "(2 locations)") {
		t.Errorf("gdb stops nowhere:\n%s", want)
	}
}
