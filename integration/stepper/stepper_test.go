package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

var all = flag.String("stepper.bench", "", "follow the benchmarks of integration/eval that match, too; some of them append gigabytes to their logs")

var goprofinstr string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return // nothing here is about other systems, and all of it builds programs
	}
	os.Exit(tool.RunTests(&goprofinstr, m.Run))
}

// doubtful are functions that have paths which the machine code does not tell.
var doubtful = map[string]bool{
	"Both":     true, // n++ behind a condition leaves no evidence
	"Classify": true, // nor does n[2]++, which is in a register
	"Clears":   true, // the loop over a map is a call
	"Comp":     true, // the assignment is of two ways
	"Defers":   true, // a deferred call is a bit
	"isDots":   true, // returns of constants have no evidence

	"(*lines).Last":    true, // a variable is known in the path before only
	"(*window).length": true, // two calls have one conditional move
	"formatted":        true, // Formats goes on where no edge leads, after a panic

	"Before": true, "isNaN": true, // which of two jumps decides

	"looked": true, "shelved": true, "twice": true, // something in their arguments, or behind, may panic

	"Named": true, "Words": true, // they ask what an inlined call returns, and do nothing behind
}

// TestSteps follows a test through its machine code and holds all paths against those of exact mode. The test has
// range tests, conditional moves, jump tables, stacks that grow, panics that are recovered and goroutines.
func TestSteps(t *testing.T) {
	r := step(t, &pkg{path: "example.com/steps", dir: copied(t, "testdata/steps"), plans: true}, []string{"-test.run=^Test"})
	hold(t, r)
	for _, row := range r.rows {
		if got := row.sure + row.derived; got < row.ends && !doubtful[row.f.Name] {
			t.Errorf("%s: %d of %d path ends are told", row.f.Name, got, row.ends)
		}
	}
	for _, name := range []string{
		"inner.size", "(*box).get", "first", "zero", "zeros", "keep", "Zero", "apply", "Applies.func1", "Applies.func2", "least", "scaled",
		"plain", "marked",
	} {
		row := rowOf(r, name)
		if row == nil || row.ends == 0 || row.derived != row.ends {
			t.Errorf("%s: not derived: %+v", name, row)
		}
	}
	if v := r.verdict(false); v.plans < 30 {
		t.Errorf("%d plans were followed", v.plans)
	}
}

func rowOf(r *report, name string) *row {
	for _, row := range r.rows {
		if pathmap.PlainName(row.f.Name) == name {
			return row
		}
	}
	return nil
}

// TestBenchmarks does so with benchmarks of the list.
func TestBenchmarks(t *testing.T) {
	if *all == "" {
		t.Skip("-stepper.bench is not given")
	}
	entries, err := lab.ReadList(lab.Benchmarks)
	if err != nil {
		t.Fatal(err)
	}
	modules := t.TempDir()
	for _, target := range lab.SelectTargets(entries, regexp.MustCompile(*all), false) {
		dir, err := target.Prepare(modules)
		if err != nil {
			t.Fatal(err)
		}
		p := &pkg{path: target.Pkg, dir: dir, flags: target.BuildFlags}
		for _, j := range target.Jobs {
			t.Run(j.Name(target.Pkg), func(t *testing.T) { hold(t, step(t, p, arguments(target, j))) })
		}
	}
}

// step follows a test binary.
func step(t *testing.T, p *pkg, args []string) *report {
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr}
	b, err := o.prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.follow(args)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestStepsEmulated steps through the same test for another architecture.
func TestStepsEmulated(t *testing.T) {
	longtest.Skip(t)
	for arch, emulator := range emulators {
		if _, err := exec.LookPath(emulator); err != nil {
			t.Skip(err)
		}
		p := &pkg{path: "example.com/steps", dir: copied(t, "testdata/steps"), plans: true, arch: arch}
		r := step(t, p, []string{"-test.run=^Test"})
		hold(t, r)
		var ends, told int64
		for _, row := range r.rows {
			ends, told = ends+row.ends, told+row.sure+row.derived
		}
		if told*100 < ends*90 {
			t.Errorf("%s: %d of %d path ends are told", arch, told, ends)
		}
	}
}

// hold reports paths whose counts are others than they should be.
func hold(t *testing.T, r *report) {
	t.Log(r.row())
	for _, row := range r.rows {
		if len(row.differ) > 0 {
			t.Errorf("%s: %d of %d path ends are otherwise than exact mode counts", row.f.Name, row.wrong, row.ends)
		}
	}
	for what, n := range r.program.decoder.wrong {
		t.Logf("no way: %s: %d", what, n)
	}
	if d := r.program.decoder; d.entries == 0 || d.orphans > 0 {
		t.Errorf("%d activations, and %d records of none", d.entries, d.orphans)
	}
}

// copied returns a copy of a folder.
func copied(t *testing.T, dir string) string {
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
	to, err := filepath.EvalSymlinks(to)
	if err != nil {
		t.Fatal(err)
	}
	return to
}
