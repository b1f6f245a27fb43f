//go:build unix

package child

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// TestRunUntil: a command that waits for what does not come ends by the interrupt.
func TestRunUntil(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored here, and in commands that are started")
	}
	cmd := exec.Command("cat")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	interrupt := make(chan struct{})
	close(interrupt)
	e, err := RunUntil(cmd, interrupt)
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT || !e.Interrupted {
		t.Errorf("%+v, %v", e, err)
	}
}
