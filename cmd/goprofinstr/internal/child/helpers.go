package child

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Helpers are commands that are run to find something out, and are not to go on when this process ends. Nil runs them, and
// stops none.
type Helpers struct {
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.RWMutex  // held for reading by each command
	patience time.Duration // before those that are stopped are killed
}

// Patience is how long a command may take to end when it is stopped. A go command ends when what it compiles is compiled. Whoever
// stops a container kills all that is in it after ten seconds, and by then the folder is to be removed.
const Patience = 3 * time.Second

// NewHelpers returns helpers that are stopped when a context ends, or by Stop.
func NewHelpers(ctx context.Context) *Helpers {
	h := &Helpers{patience: Patience}
	h.ctx, h.stop = context.WithCancel(ctx)
	return h
}

// Run runs a command to its end. When the helpers are stopped it gets an interrupt, as from a terminal: a go command waits
// for what it has started then, and removes what it has made. If that takes too long the command is killed. The error is that
// of the context then.
func (h *Helpers) Run(cmd *exec.Cmd) error {
	return h.Hold(func(ctx context.Context) error {
		if err := cmd.Start(); err != nil {
			return err
		}
		ended := make(chan struct{})
		defer context.AfterFunc(ctx, func() {
			if cmd.Process.Signal(os.Interrupt) == nil { // which fails on Windows: it has no interrupts for one process
				select {
				case <-ended:
					return
				case <-time.After(h.patience):
				}
			}
			cmd.Process.Kill()
		})()
		err := cmd.Wait()
		close(ended)
		return cmp.Or(ctx.Err(), err)
	})
}

// Output is Run, and returns what the command prints.
func (h *Helpers) Output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := h.Run(cmd)
	return out.Bytes(), err
}

// CombinedOutput is Run, and returns what the command prints, on standard error, too.
func (h *Helpers) CombinedOutput(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := h.Run(cmd)
	return out.Bytes(), err
}

// Hold calls a function that runs commands and stops them when a context ends. It calls nothing if they have been stopped.
func (h *Helpers) Hold(run func(context.Context) error) error {
	if h == nil {
		return run(context.Background())
	}
	h.running.RLock()
	defer h.running.RUnlock()
	if err := h.ctx.Err(); err != nil {
		return err
	}
	return run(h.ctx)
}

// Stop stops the commands, and waits for their end. What a killed command has started may have its output still, so Stop does
// not wait much longer than for that.
func (h *Helpers) Stop() {
	h.stop()
	ended := make(chan struct{})
	go func() {
		h.running.Lock() // and never unlocks: none is to begin
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(h.patience + time.Second):
	}
}
