package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestStratifiedExact accounts for every execution in a program whose goroutines are preempted, blocked and moved between threads
// while they run the same paths. It is TestExact, with so many strata that each path has one for itself, and is exact. Functions
// that are counted are beside others.
func TestStratifiedExact(t *testing.T) {
	longtest.Skip(t)
	dir := copyProgram(t, "exact")
	for _, procs := range []string{"1", "4"} {
		t.Setenv("GOMAXPROCS", procs)
		for _, counted := range []string{"0", "2"} {
			stdout, _ := run(t, dir, goprofinstr, "wrap", "-mode", "stratified", "-count-up-to", counted, "-sampler", "H[P100]65536", "-o", "out", "go", "run", ".")
			p := load(t, filepath.Join(dir, "out"))
			for line := range strings.Lines(stdout) {
				name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
				if got := fmt.Sprint(pathCounts(p, name)); got != want {
					t.Errorf("GOMAXPROCS=%s, functions with up to %s paths counted: %s has %s, taken %s", procs, counted, name, got, want)
				}
			}
		}
	}
}

// TestStratifiedAccuracy compares stratified profiles with the exact one of the same work: in total they are the same, and
// the hot paths are found.
func TestStratifiedAccuracy(t *testing.T) {
	longtest.Skip(t)
	dir, want := sampledProgram(t, "-rounds=100")
	exact := wrapSampled(t, dir, want, []string{"-mode", "exact", "go", "run"}, "-rounds=100")
	for _, spec := range []string{"H[P256]2048", "H[P16]64", "P100", "H[CD64]256+A16"} {
		p := wrapSampled(t, dir, want, []string{"-mode", "stratified", "-count-up-to", "0", "-sampler", spec, "go", "run"}, "-rounds=100")
		if got, want := executions(p), executions(exact); got != want {
			t.Errorf("%s: estimates of %d path ends in all, of %d", spec, got, want)
		}
		found, err := accuracy.Paths(accuracy.New(exact), accuracy.New(p))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: paths %.4f", spec, found)
		if spec == "H[P256]2048" && found < 0.97 {
			t.Errorf("%s finds %.3f of the flow of hot paths", spec, found)
		}
	}
}

// TestStratifiedElsewhere is where nothing is mapped, strata are shared, and a package has no counters.
func TestStratifiedElsewhere(t *testing.T) {
	longtest.Skip(t)
	setMonitored(t)
	dir, want := sampledProgram(t, "-rounds=2")
	exact := wrapSampled(t, dir, want, []string{"-mode", "exact", "go", "run"}, "-rounds=2")
	for _, spec := range []string{"H[P16]2048", "H[P16]2048+A16"} {
		p := wrapSampled(t, dir, want, []string{"-mode", "stratified", "-count-up-to", "0", "-sampler", spec, "go", "run"}, "-rounds=2")
		if got, want := executions(p), executions(exact); got != want {
			t.Errorf("%s: estimates of %d path ends in all, of %d", spec, got, want)
		}
	}
}

func executions(p *profile.Profile) (n int64) {
	for _, f := range p.Functions() {
		for _, path := range f.Paths {
			n += path.Count
		}
	}
	return n
}
