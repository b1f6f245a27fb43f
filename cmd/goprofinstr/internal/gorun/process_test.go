package gorun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// shell runs a script of the shell in the place of the go command.
func shell(t *testing.T, script string, out *profiledir.Dir) (child.Ending, error) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no shell and no signals")
	}
	return run(&toolchain.Toolchain{Go: sh}, []string{"-c", script}, new(workDir), out)
}

// TestEnding has go commands that end in each of the ways that there are.
func TestEnding(t *testing.T) {
	for _, test := range []struct {
		script string
		want   child.Ending
		fails  bool
	}{
		{script: "exit 0"},
		{script: "exit 3", want: child.Ending{Exit: 3}},
		{script: "kill -KILL $$", want: child.Ending{Exit: 1}, fails: true},
		// The tests' process is the parent. What it is sent is passed on, and the shell takes its time.
		{script: `trap "sleep 0.1; exit 7" TERM; kill -TERM $PPID; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done`,
			want: child.Ending{Exit: 7, Interrupted: true}},
		// A terminal would send this to the shell as well, and without one it is passed on.
		{script: `trap "" QUIT; kill -QUIT $PPID; sleep 0.1; exit 2`, want: child.Ending{Exit: 2, Interrupted: true}},
	} {
		e, err := shell(t, test.script, nil)
		if e != test.want || (err != nil) != test.fails {
			t.Errorf("%s: %+v, error %v; want %+v", test.script, e, err, test.want)
		}
	}
}

// TestNowhere runs a go command that is not there.
func TestNowhere(t *testing.T) {
	tc := &toolchain.Toolchain{Go: filepath.Join(t.TempDir(), "go")}
	if _, err := run(tc, nil, new(workDir), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestEnvironment looks at what the environment of a go command says of the output directory.
func TestEnvironment(t *testing.T) {
	out := &profiledir.Dir{Path: t.TempDir()}
	name, value, _ := strings.Cut(outdir.Env(out), "=")
	t.Setenv("WANT", out.Running()+" "+value)
	e, err := shell(t, `test "$`+profiledir.Var+` $`+name+`" = "$WANT"`, out)
	if err != nil || e.Exit != 0 {
		t.Errorf("%+v, error %v", e, err)
	}
}

// TestWorkDir makes a folder, and removes it unless it is to be kept and has something.
func TestWorkDir(t *testing.T) {
	temp := t.TempDir()
	for _, test := range []struct{ keep, empty, stays bool }{
		{keep: false, stays: false},
		{keep: true, stays: true},
		{keep: true, empty: true, stays: false},
	} {
		w, err := newWorkDir(temp, test.keep)
		if err != nil {
			t.Fatal(err)
		}
		defer close(w.signals)
		defer signal.Stop(w.signals) // for the other tests, which get some
		if !test.empty {
			if err := os.WriteFile(filepath.Join(w.path, "f"), nil, 0o666); err != nil {
				t.Error(err)
			}
		}
		w.remove()
		if _, err := os.Stat(w.path); (err == nil) != test.stays {
			t.Errorf("%+v, and when it is removed: %v", test, err)
		}
	}
}

// TestSignal is a process that a signal ends: it stops what goes on without it, and removes its folder.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	if dir := os.Getenv("GORUN_TEST"); dir != "" {
		w, err := newWorkDir(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		w.atSignal(func() { fmt.Println("stopped") })
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		self.Signal(syscall.SIGTERM)
		select {}
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSignal$")
	cmd.Env = append(os.Environ(), "GORUN_TEST="+dir)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 128+int(syscall.SIGTERM) || string(out) != "stopped\n" {
		t.Errorf("ended by %v, and has said %q", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestSecondSignal has what is to be stopped take for ever. A broken pipe is no reason to wait no longer.
func TestSecondSignal(t *testing.T) {
	w := &workDir{signals: make(chan os.Signal)}
	w.atSignal(func() { select {} })
	var called bool
	w.atSignal(func() {
		called = true
		w.signals <- syscall.SIGPIPE
		w.signals <- os.Interrupt
	})
	if w.stop(); !called {
		t.Error("another function is not called")
	}
}

// TestDoubledSignal has a signal come twice, as from timeout. What is to be stopped has its time all the same.
func TestDoubledSignal(t *testing.T) {
	w := &workDir{signals: make(chan os.Signal), doubled: time.Hour}
	var stopped bool
	w.atSignal(func() {
		for range 2 { // of which the second is read only by who still waits
			w.signals <- syscall.SIGTERM
		}
		stopped = true
	})
	if w.stop(); !stopped {
		t.Error("what is to be stopped is not waited for")
	}
}

// TestRelativeTemp has a relative name of the folder for temporary files: the go command would open what is in it behind -C.
func TestRelativeTemp(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".")
	r := &Run{Cmd: new(gocmd.Command), Toolchain: new(toolchain.Toolchain)}
	if err := r.BeginBuild(); err != nil {
		t.Fatal(err)
	}
	defer close(r.work.signals)
	defer signal.Stop(r.work.signals)
	defer r.End()
	if !filepath.IsAbs(r.Folder()) {
		t.Errorf("the folder is %s", r.Folder())
	}
	if r.Toolchain.Work != r.Folder() {
		t.Errorf("the toolchain has %q for temporary files, and not %s", r.Toolchain.Work, r.Folder())
	}
}
