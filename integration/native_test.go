package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// nativeProgram builds the test program with native probes that have as many ticks as there can be, and has its data written
// to a folder.
func nativeProgram(t *testing.T, flags ...string) (exe, data string) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("native probes are for linux/amd64")
	}
	dir := copyProgram(t, "native")
	exe, data = filepath.Join(dir, "native"), filepath.Join(dir, "data")
	args := append([]string{"wrap", "-mode", "sampled", "-backend", "native", "-cpu-budget", "100", "-period", "4ms"}, flags...)
	run(t, dir, goprofinstr, append(args, "go", "build", "-o", exe, ".")...)
	t.Setenv(profiledir.Var, data)
	t.Setenv("GOMAXPROCS", "1")
	return exe, data
}

// TestNativeSafety has a program look at what native probes do to it.
func TestNativeSafety(t *testing.T) {
	exe, data := nativeProgram(t)
	for what, want := range map[string]string{"work": "0\n", "breakpoint": "0\n0\n", "maps": "0\n", "children": "0\n", "fork": "<nil> true 0\n0\n"} {
		os.RemoveAll(data)
		if stdout, stderr := run(t, ".", exe, what); stdout != want || stderr != "" {
			t.Errorf("%s: printed %q and %q, want %q and nothing", what, stdout, stderr, want)
		}
		if s := load(t, data).Runs[0].Sampling; s.Ticks < 5 || s.Samples < 100 {
			t.Errorf("%s: %d samples at %d ticks", what, s.Samples, s.Ticks)
		}
	}
}

// TestNativeTaken runs a program that takes SIGSEGV over: from the next tick on no path end may make a fault, without contexts
// either.
func TestNativeTaken(t *testing.T) {
	for _, frames := range []string{"0", "64"} {
		exe, _ := nativeProgram(t, "-frames", frames)
		if stdout, stderr := run(t, ".", exe, "taken"); stdout != "0\n" || stderr != "" {
			t.Errorf("-frames %s: printed %q and %q, want 0 and nothing", frames, stdout, stderr)
		}
	}
}

// TestCopiesTaken runs a program with copies that takes SIGSEGV over: its text is made writable for that once, and not at each
// tick from then on.
func TestCopiesTaken(t *testing.T) {
	exe, _ := nativeProgram(t, "-backend", "copy")
	if stdout, stderr := run(t, ".", exe, "sealed"); stdout != "" && !strings.HasPrefix(stdout, "no ") || stderr != "" {
		t.Errorf("printed %q and %q, want nothing", stdout, stderr)
	}
}

// TestNativeElsewhere runs a program where its text can be written to in one way and not in the other.
func TestNativeElsewhere(t *testing.T) {
	exe, data := nativeProgram(t)
	for _, what := range []string{"locked", "nofile", "small"} {
		os.RemoveAll(data)
		stdout, stderr := run(t, ".", exe, what)
		if strings.HasPrefix(stdout, "no ") {
			t.Logf("%s: %s", what, stdout)
			continue
		}
		if stdout != "0\n" || stderr != "" {
			t.Errorf("%s: printed %q and %q, want 0 and nothing", what, stdout, stderr)
		}
		var samples, ticks uint64
		for _, r := range load(t, data).Runs { // before and after exec
			samples, ticks = samples+r.Sampling.Samples, ticks+r.Sampling.Ticks
		}
		if ticks < 5 || samples < 100 {
			t.Errorf("%s: %d samples at %d ticks", what, samples, ticks)
		}
	}
}

// TestNativeOwnProfile has a program write a CPU profile of its own. The text that it is from must be that of its file, in one
// piece, with its build ID.
func TestNativeOwnProfile(t *testing.T) {
	exe, _ := nativeProgram(t)
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	run(t, ".", exe, "profile", file)
	p := parseFile(t, file)
	var text *google.Mapping
	for _, l := range p.Location {
		for _, line := range l.Line {
			if line.Function.Name == "main.kind" {
				text = l.Mapping
			}
		}
	}
	if text == nil {
		t.Fatal("no sample in main.kind")
	}
	for _, m := range p.Mapping {
		if strings.Contains(m.File, "memfd") {
			t.Errorf("%#x to %#x is of %s", m.Start, m.Limit, m.File)
		}
		if m.File == text.File && m != text && (m.Limit == text.Start || m.Start == text.Limit) {
			t.Errorf("the text is in two pieces, at %#x and %#x", m.Start, text.Start)
		}
	}
	if filepath.Base(text.File) != filepath.Base(exe) || text.BuildID == "" || !text.HasFunctions {
		t.Errorf("the text is of %q, build ID %q, has functions: %t", text.File, text.BuildID, text.HasFunctions)
	}
}

// TestNativeRefused runs a program where its native probes cannot work: it says so in one line and does what it does without.
func TestNativeRefused(t *testing.T) {
	exe, data := nativeProgram(t)
	refused := func(what, why string, command ...string) {
		os.RemoveAll(data)
		stdout, stderr := run(t, ".", command[0], command[1:]...)
		if strings.HasPrefix(stdout, "no ") {
			t.Logf("%s: %s", what, stdout)
			return
		}
		if stdout != "0\n" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, why) || !strings.HasPrefix(stderr, "goprofinstr: native probes: ") {
			t.Errorf("%s: printed %q and %q", what, stdout, stderr)
		}
		for i, r := range load(t, data).Runs {
			if n := r.Sampling; n != nil && n.Ticks > 3 { // it has hardly begun when it executes itself
				t.Errorf("%s: %d ticks in run %d", what, n.Ticks, i)
			}
		}
	}
	refused("text that may not be written to", "does not let the program write to its own text", exe, "walled")
	strip, err := exec.LookPath("strip")
	if err != nil {
		t.Skip("no strip")
	}
	stripped := exe + ".stripped"
	run(t, ".", strip, "-o", stripped, exe)
	refused("a stripped program", "not in the program's file any more", stripped, "work")
}
