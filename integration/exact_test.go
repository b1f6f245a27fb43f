package integration

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// TestExact accounts for every execution in a program whose goroutines run the same paths at the same time. Meanwhile they are
// preempted, blocked and moved between threads. Without what goprofinstr_preempted does (rt/exact/runtime.go.txt), one run of
// 20,000 rounds loses some of its thousand million paths.
func TestExact(t *testing.T) {
	dir := copyProgram(t, "exact")
	for _, procs := range []string{"1", "4", "16"} {
		t.Setenv("GOMAXPROCS", procs)
		stdout, _ := run(t, dir, goprofinstr, "wrap", "-atomic", "-o", "out", "go", "run", ".")
		p, err := profile.Load(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Errorf("flow: %v", err)
		}
		for _, r := range p.Runs {
			if r.Lost != 0 {
				t.Errorf("%d executions lost", r.Lost)
			}
		}
		for line := range strings.Lines(stdout) {
			name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
			if got := fmt.Sprint(pathCounts(p, name)); got != want {
				t.Errorf("GOMAXPROCS=%s: %s: %s counted, %s taken", procs, name, got, want)
			}
		}
	}
}

// pathCounts returns the counts of a function's paths in increasing order.
func pathCounts(p *profile.Profile, name string) []int64 {
	var counts []int64
	for _, f := range p.Functions() {
		if !strings.HasSuffix(f.Table.Name, "."+name) {
			continue
		}
		for _, path := range f.Paths {
			counts = append(counts, path.Count)
		}
	}
	slices.Sort(counts)
	return counts
}
