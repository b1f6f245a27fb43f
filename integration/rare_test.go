package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestRareExact has portable probes count what is rare in several goroutines, beside a loop that is sampled. No path end may be
// lost, also if the process is killed.
func TestRareExact(t *testing.T) {
	longtest.Skip(t)
	dir := copyProgram(t, "rare")
	for _, arg := range []string{"", "kill"} {
		args := []string{"wrap", "-mode", "sampled", "-backend", "portable", "-o", "of" + arg, "go", "run", "."}
		if arg != "" {
			args = append(args, arg)
		}
		cmd := exec.Command(goprofinstr, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); (err != nil) != (arg == "kill") {
			t.Fatalf("%v\n%s", err, out)
		}
		functions := 0
		p := load(t, filepath.Join(dir, "of"+arg))
		for _, f := range p.Functions() {
			switch f.Table.Name[strings.LastIndexByte(f.Table.Name, '.')+1:] {
			case "rare":
				checkRare(t, f)
				functions++
			case "hot":
				functions++
				if f.Missed == nil {
					t.Error("the loop was not sampled")
				}
			}
		}
		if functions != 2 {
			t.Errorf("%d functions", functions)
		}
		if known := p.Unsettled() == ""; known != (arg == "") {
			t.Errorf("%q: unsettled: %q", arg, p.Unsettled())
		}
	}
}

// checkRare holds the counts of the function that is rare against what the program does.
func checkRare(t *testing.T, f *profile.Function) {
	t.Helper()
	const calls = 8 * 500
	sum := int64(0)
	for i := range f.Paths {
		path := &f.Paths[i]
		sum += path.Count
		if f.CertaintyOf(path) != profile.HowOften || path.Samples > 0 || path.Count != calls/5 && path.Count != calls*4/5 {
			t.Errorf("%s#%d: %d executions of %d or %d, from %d samples", f.Table.Name, path.ID, path.Count, calls/5, calls*4/5, path.Samples)
		}
	}
	if sum != calls {
		t.Errorf("%d calls, want %d", sum, calls)
	}
}

// TestThreadsEnd has threads end all the time, some of them while a window of theirs is open. The program must run as
// without us, and what is said to be exact must be.
func TestThreadsEnd(t *testing.T) {
	longtest.Skip(t)
	dir := copyProgram(t, "threads")
	const runs = 4
	for _, backend := range []string{"native", "portable"} {
		if backend == "native" && (runtime.GOOS != "linux" || runtime.GOARCH != "amd64") {
			continue
		}
		exe := filepath.Join(dir, backend)
		build := exec.Command(goprofinstr, "wrap", "-mode", "sampled", "-backend", backend, "go", "build", "-o", exe, ".")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data := filepath.Join(dir, "of"+backend)
		for range runs {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", backend, err, out)
			}
		}
		for _, f := range load(t, data).Functions() {
			if strings.HasSuffix(f.Table.Name, ".rare") {
				checkThreads(t, backend, f, 300*10*runs)
			}
		}
	}
}

// checkThreads holds the counts of a function with two paths against the number of its calls. On a busy machine it may
// become sampled: then its counts are not said to be exact.
func checkThreads(t *testing.T, backend string, f *profile.Function, calls int64) {
	t.Helper()
	for i := range f.Paths {
		path := &f.Paths[i]
		exact := f.CertaintyOf(path) == profile.HowOften && path.Samples == 0
		if exact && path.Count != calls/2 || !exact && path.Samples == 0 && path.Count > calls/2 {
			t.Errorf("%s: path %d of %s: %d executions of %d, exact: %t", backend, path.ID, f.Table.Name, path.Count, calls/2, exact)
		}
	}
}
