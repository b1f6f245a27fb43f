package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/publish"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestEval runs a small benchmark in every way: all of it works, and nothing is left behind. How long it
// takes is of no interest.
func TestEval(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	json, svg := filepath.Join(dir, "out.json"), filepath.Join(dir, "out.svg")
	var out strings.Builder
	ok, err := run([]string{"time", "-run", "container/heap.Dup$", "-n", "2", "-runtime", "2ms",
		"-modes", "exact,cover-count,pprof",
		"-dir", filepath.Join(dir, "work"), "-json", json, "-svg", svg}, &out)
	if err != nil || !ok {
		t.Fatalf("%t, %v\n%s", ok, err, &out)
	}
	r, err := result.Read(json)
	if err != nil {
		t.Fatal(err)
	}
	if want := "time -run 'container/heap.Dup$' -n 2 -runtime 2ms -modes exact,cover-count,pprof"; r.Options != want {
		t.Errorf("options %q, want %q", r.Options, want)
	}
	if r.Took == 0 || r.Machine.After == "" {
		t.Errorf("took %v, load %q afterwards", r.Took, r.Machine.After)
	}
	times := r.Measures[0].Find("std-more", "container/heap.Dup")
	for _, c := range []string{"plain", "A/A", "exact", "cover-count", "pprof"} {
		if len(times.Values[c]) != 2 {
			t.Errorf("times of %s: %v", c, times.Values[c])
		}
	}
	if _, err := os.Stat(svg); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "work", "scratch*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDescribed: where files are is not told.
func TestDescribed(t *testing.T) {
	got := described([]string{"time", "-dir", "/tmp/x", "-run", "^std ", "-json=/tmp/y", "-n", "0"})
	if want := "time -run '^std ' -n 0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAllList lists the experiments, and knows which there are.
func TestAllList(t *testing.T) {
	var out strings.Builder
	if _, err := run([]string{"all", "-list", "-o", t.TempDir()}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "strat ") || strings.Contains(out.String(), "papers") {
		t.Error(&out)
	}
	for _, name := range []string{"absent", "papers"} {
		if _, err := run([]string{"all", "-only", "time," + name}, &out); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("-only %s: %v", name, err)
		}
	}
}

// TestExperimentFlags: all experiments that are published take the flags that they have there.
func TestExperimentFlags(t *testing.T) {
	for _, e := range publish.Experiments {
		if e.Args == nil {
			continue
		}
		x := newExperiment(e.Args[0])
		if x == nil {
			t.Errorf("%s: no subcommand %s", e.Name, e.Args[0])
			continue
		}
		o, err := parseFlags(e.Args, x.Declare)
		if err == nil {
			err = x.Check()
		}
		if err != nil || len(o.rest) > 0 {
			t.Errorf("%s: %v, %q", e.Name, err, o.rest)
		}
	}
}
