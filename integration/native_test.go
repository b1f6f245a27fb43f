package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// nativeProgram builds the test program with native probes that have as many ticks as there can be, and has its data written to a folder.
func nativeProgram(t *testing.T) (exe, data string) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("native probes are for linux/amd64")
	}
	dir := copyProgram(t, "native")
	exe, data = filepath.Join(dir, "native"), filepath.Join(dir, "data")
	run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "-backend", "native", "-cpu-budget", "100", "-period", "4ms", "go", "build", "-o", exe, ".")
	t.Setenv(profiledir.Var, data)
	t.Setenv("GOMAXPROCS", "1")
	return exe, data
}

// TestNativeSafety has a program look at what native probes do to it.
func TestNativeSafety(t *testing.T) {
	exe, data := nativeProgram(t)
	for what, want := range map[string]string{"work": "0\n", "breakpoint": "0\n0\n", "maps": "0\n", "children": "0\n"} {
		os.RemoveAll(data)
		if stdout, stderr := run(t, ".", exe, what); stdout != want || stderr != "" {
			t.Errorf("%s: printed %q and %q, want %q and nothing", what, stdout, stderr, want)
		}
		if s := load(t, data).Runs[0].Sampling; s.Ticks < 5 || s.Samples < 100 {
			t.Errorf("%s: %d samples at %d ticks", what, s.Samples, s.Ticks)
		}
	}
}

// TestNativeRefused runs a program where its native probes cannot work: it says so in one line and does what it does without.
func TestNativeRefused(t *testing.T) {
	exe, data := nativeProgram(t)
	refused := func(what, why string, command ...string) {
		os.RemoveAll(data)
		stdout, stderr := run(t, ".", command[0], command[1:]...)
		if strings.HasPrefix(stdout, "no MDWE") {
			t.Logf("%s: %s", what, stdout)
			return
		}
		if stdout != "0\n" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, why) || !strings.HasPrefix(stderr, "goprofinstr: native probes: ") {
			t.Errorf("%s: printed %q and %q", what, stdout, stderr)
		}
		if n := load(t, data).Runs[0].Sampling; n != nil && n.Ticks > 0 {
			t.Errorf("%s: %d ticks", what, n.Ticks)
		}
	}
	refused("text that may not be written to", "does not let the program write to its own text", exe, "locked")
	strip, err := exec.LookPath("strip")
	if err != nil {
		t.Skip("no strip")
	}
	stripped := exe + ".stripped"
	run(t, ".", strip, "-o", stripped, exe)
	refused("a stripped program", "not in the program's file any more", stripped, "work")
}
