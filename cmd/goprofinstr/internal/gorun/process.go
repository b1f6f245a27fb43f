package gorun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// run runs the go command with our standard files. out is where the programs that it starts write their data, or nil.
func run(tc *toolchain.Toolchain, args []string, work *workDir, out *profiledir.Dir) (e child.Ending, err error) {
	return runTo(os.Stdout, os.Stderr, tc, args, work, out, nil)
}

// runTo is run with other files for what the go command says, and with what interrupts it, or nil.
func runTo(stdout, stderr io.Writer, tc *toolchain.Toolchain, args []string, work *workDir, out *profiledir.Dir, interrupt <-chan struct{}) (
	e child.Ending, err error,
) {
	cmd := exec.Command(tc.Go, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Env = environ(tc, out)
	work.away.Store(true)
	work.yield()
	defer work.away.Store(false)
	e, err = child.RunUntil(cmd, interrupt)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		e.Exit = 1
		return e, fmt.Errorf("%s: %v", tc.Go, failed) // by a signal
	}
	return e, err
}

// environ returns the environment of a go command.
func environ(tc *toolchain.Toolchain, out *profiledir.Dir) []string {
	env := tc.Environ()
	if out != nil {
		env = append(env, profiledir.Var+"="+out.Running(), outdir.Env(out))
	}
	return env
}
