package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		"-modes", "exact,cover-count",
		"-dir", filepath.Join(dir, "work"), "-json", json, "-svg", svg}, &out)
	if err != nil || !ok {
		t.Fatalf("%t, %v\n%s", ok, err, &out)
	}
	r, err := result.Read(json)
	if err != nil {
		t.Fatal(err)
	}
	times := r.Measures[0].Find("std-more", "container/heap.Dup")
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
