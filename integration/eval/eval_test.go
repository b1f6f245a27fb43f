package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEval runs a small benchmark in every way: all of it works, and nothing is left behind. How long it takes is of no interest.
func TestEval(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	json, svg := filepath.Join(dir, "out.json"), filepath.Join(dir, "out.svg")
	var out strings.Builder
	ok, err := run([]string{"-run", "container/heap.Dup$", "-n", "2", "-runtime", "2ms", "-modes", "exact,cover-count",
		"-dir", filepath.Join(dir, "work"), "-json", json, "-svg", svg}, &out)
	if err != nil || !ok {
		t.Fatalf("%t, %v\n%s", ok, err, &out)
	}
	r, err := readReport(json)
	if err != nil {
		t.Fatal(err)
	}
	times := r.Measures[0].find("std-more", "container/heap.Dup")
	for _, c := range []string{"plain", "A/A", "exact", "cover-count"} {
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

// TestFailure runs a benchmark that there is not.
func TestFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds other programs")
	}
	w := &workshop{dir: t.TempDir(), scratch: t.TempDir(), modes: modes[:2]}
	o := &options{rounds: 1, runtime: 1}
	targets := []*target{{entry: &entry{Suite: "std"}, pkg: "container/heap", jobs: []job{{"std", "Absent", 1}}}}
	r := new(report)
	if err := newEvaluation(w, o, r, targets).run(targets); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printReport(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"FAIL container/heap.Absent, plain: 0 benchmarks", "no mean: 1 failed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if !r.failed() {
		t.Error("it is not known as failed")
	}
}
