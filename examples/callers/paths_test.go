package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestCallers checks what README.md says. The function find takes its short cut for average and searches for quote, which
// makes few of its calls and most of its time.
func TestCallers(t *testing.T) { testCallers(t) }

// TestCallersMonitor is TestCallers on a system where ticks come from the runtime's monitor and have no stacks of their own,
// as on macOS and Windows.
func TestCallersMonitor(t *testing.T) {
	longtest.Skip(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("needs linux/amd64, which runs programs for linux/386")
	}
	t.Setenv("GOARCH", "386")
	t.Setenv("CGO_ENABLED", "0")
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, []byte("package main\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("go", "run", name).Run(); err != nil {
		t.Skipf("this system runs no 386 programs: %v", err)
	}
	testCallers(t)
}

func testCallers(t *testing.T) {
	t.Helper()
	run := pathtest.Wrap(t, "-mode", "sampled", "-cpu-budget", "100") // ticks all the time, whatever they cost on a busy machine
	src := pathtest.ReadSource(t, "main.go")
	next := src.Line(t, "h.last = next")

	fast, slow := perCaller(run.Contexts(t, "(*history).find", "entry", "return", next, true))
	if !mostly(fast, slow) {
		t.Errorf("the short cut was taken for average as %+v and for quote as %+v, want it for average", fast, slow)
	}
	fast, slow = perCaller(run.Contexts(t, "(*history).find", "loop", "loop", next, false))
	if !mostly(slow, fast) {
		t.Errorf("the search made steps for average as %+v and for quote as %+v, want them for quote", fast, slow)
	}
	if slow.Time == 0 || fast.Time > slow.Time {
		t.Errorf("the search took %d ns for average and %d ns for quote, want it for quote", fast.Time, slow.Time)
	}
}

// byChance is how many stacks may be of the one of two callers that has next to none. Of 384,064,000 steps average makes 64,000.
// So one of 200 stacks is of average in 3% of the runs, and more than three hardly ever are.
const byChance = 3

// mostly reports whether next to all executions are those of one of two callers: all but 1%, and what a few stacks stand for.
func mostly(one, other pathtest.Context) bool {
	stacks := one.Samples + other.Samples
	return one.Count > 0 && other.Count*100*stacks <= one.Count*(stacks+100*byChance)
}

// perCaller adds up contexts.
func perCaller(contexts []pathtest.Context) (average, quote pathtest.Context) {
	for _, c := range contexts {
		sum := &quote
		if strings.Contains(c.Callers[0], ").average:") {
			sum = &average
		}
		sum.Count += c.Count
		sum.Samples += c.Samples
		sum.Time += c.Time
	}
	return average, quote
}

// TestMostly has the profile of a busy machine in which one stack of a hundred was average's: 425,409 of 41 million steps.
func TestMostly(t *testing.T) {
	for _, test := range []struct {
		one, other pathtest.Context
		want       bool
	}{
		{pathtest.Context{Count: 41_044_681, Samples: 95}, pathtest.Context{Count: 425_409, Samples: 1}, true},
		{pathtest.Context{Count: 400_000_000, Samples: 10_000}, pathtest.Context{Count: 64_000, Samples: 2}, true},
		{pathtest.Context{Count: 400_000_000, Samples: 10_000}, pathtest.Context{Count: 8_000_000, Samples: 200}, false},
		{pathtest.Context{Count: 41_044_681, Samples: 90}, pathtest.Context{Count: 4_000_000, Samples: 10}, false},
		{pathtest.Context{}, pathtest.Context{}, false},
	} {
		if got := mostly(test.one, test.other); got != test.want {
			t.Errorf("%+v, %+v: %v", test.one, test.other, got)
		}
	}
}
