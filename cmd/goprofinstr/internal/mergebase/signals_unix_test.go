//go:build unix

package mergebase

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// await is a wrap that runs until it is interrupted. It says so in two pipes.
func await() int {
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt)
	if os.WriteFile(os.Getenv("FAKE_READY"), []byte("ready"), 0) != nil {
		return 3
	}
	<-came
	os.WriteFile(os.Getenv("FAKE_LOG"), []byte("interrupted\n"), 0o666)
	return 1
}

// TestInterrupted interrupts the process while tests run at the base: they are interrupted, too, and nothing is left.
func TestInterrupted(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored, as in a shell's background")
	}
	c := newCheckout(t)
	state := c.state()
	ready := filepath.Join(t.TempDir(), "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Skip(err)
	}
	t.Setenv("FAKE", "wait")
	t.Setenv("FAKE_READY", ready)
	go func() {
		f, err := os.Open(ready)
		if err != nil {
			return
		}
		defer f.Close()
		io.ReadAll(f)
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	kept, err := c.profile()
	var interrupted *Interrupted
	if !errors.As(err, &interrupted) || interrupted.Exit() != 130 {
		t.Errorf("%+v, %v", kept, err)
	}
	if runs := c.runs(); len(runs) != 1 || runs[0] != "interrupted" {
		t.Errorf("wrap says %q", runs)
	}
	s := c.store()
	for _, name := range []string{s.fresh, s.log, s.profile} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	c.untouched(state)

	t.Setenv("FAKE", "")
	if kept, err = c.profile(); err != nil || !profiledir.Is(kept.Dir) {
		t.Errorf("the next time: %+v, %v", kept, err)
	}
}
