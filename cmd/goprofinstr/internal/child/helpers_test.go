package child

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestHelpers stops a command that would go on for ever. Another one does not begin then.
func TestHelpers(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no shell and no signals")
	}
	h := NewHelpers(t.Context())
	var out began
	out.line = make(chan struct{})
	cmd := exec.Command(sh, "-c", `trap "echo ended; exit 3" INT; echo began; while :; do sleep 0.01; done`)
	cmd.Stdout = &out
	result := make(chan error, 1)
	go func() { result <- h.Run(cmd) }()
	<-out.line
	h.Stop()
	if cmd.ProcessState.ExitCode() != 3 || out.String() != "began\nended\n" {
		t.Errorf("the command has ended with %v, and has said %q", cmd.ProcessState, out.String())
	}
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestKilled stops a command that takes no notice of it.
func TestKilled(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no shell and no signals")
	}
	h := NewHelpers(t.Context())
	h.patience = 0
	out := began{line: make(chan struct{})}
	cmd := exec.Command(sh, "-c", `trap "" INT; echo began; while :; do sleep 0.01; done`)
	cmd.Stdout = &out
	result := make(chan error, 1)
	go func() { result <- h.Run(cmd) }()
	<-out.line
	h.Stop()
	if err := <-result; !errors.Is(err, context.Canceled) || cmd.ProcessState.ExitCode() != -1 {
		t.Errorf("the command has ended with %v, error %v", cmd.ProcessState, err)
	}
}

// TestStopped has helpers that have been stopped by its context, and none.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	run := func(context.Context) error { return errors.New("it runs") }
	if err := NewHelpers(ctx).Hold(run); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if err := (*Helpers)(nil).Hold(run); err == nil || err.Error() != "it runs" {
		t.Errorf("without helpers: error %v", err)
	}
}

// began is what a command has said, and tells of the first that it says.
type began struct {
	strings.Builder
	line chan struct{}
}

func (b *began) Write(p []byte) (int, error) {
	if b.Len() == 0 {
		defer close(b.line)
	}
	return b.Builder.Write(p)
}
