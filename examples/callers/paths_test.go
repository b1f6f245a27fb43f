package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
)

// TestCallers checks what README.md says: find takes its short cut for average and searches for quote, which makes few of
// its calls and most of its time.
func TestCallers(t *testing.T) { testCallers(t) }

// TestCallersMonitor is TestCallers on a system where ticks come from the runtime's monitor and have no stacks of their own, as on macOS and Windows.
func TestCallersMonitor(t *testing.T) {
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
	if fast.Count == 0 || slow.Count*100 > fast.Count {
		t.Errorf("the short cut was taken %d times for average and %d times for quote, want it for average", fast.Count, slow.Count)
	}
	fast, slow = perCaller(run.Contexts(t, "(*history).find", "loop", "loop", next, false))
	if slow.Count == 0 || fast.Count*100 > slow.Count {
		t.Errorf("the search made %d steps for average and %d for quote, want them for quote", fast.Count, slow.Count)
	}
	if slow.Time == 0 || fast.Time > slow.Time {
		t.Errorf("the search took %d ns for average and %d ns for quote, want it for quote", fast.Time, slow.Time)
	}
}

// perCaller adds up contexts.
func perCaller(contexts []pathtest.Context) (average, quote pathtest.Context) {
	for _, c := range contexts {
		sum := &quote
		if strings.Contains(c.Callers[0], ").average:") {
			sum = &average
		}
		sum.Count += c.Count
		sum.Time += c.Time
	}
	return average, quote
}
