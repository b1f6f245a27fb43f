package gorun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// An Ending is how a go command has ended.
type Ending struct {
	Exit        int
	Interrupted bool // a signal has asked it to end
}

// run runs the go command with our standard files. out is where the programs that it starts write their data, or nil.
func run(tc *toolchain.Toolchain, args []string, work *workDir, out *profiledir.Dir) (e Ending, err error) {
	return runTo(os.Stdout, os.Stderr, tc, args, work, out)
}

// runTo is run with other files for what the go command says.
func runTo(stdout, stderr io.Writer, tc *toolchain.Toolchain, args []string, work *workDir, out *profiledir.Dir) (
	e Ending, err error,
) {
	cmd := exec.Command(tc.Go, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Env = environ(tc, out)
	work.away.Store(true)
	defer work.away.Store(false)
	s := heed()
	defer s.stop()
	if err := cmd.Start(); err != nil {
		return e, err
	}
	go s.pass(cmd.Process)
	err = cmd.Wait()
	close(s.done)
	e.Interrupted = <-s.came
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if e.Exit = failed.ExitCode(); e.Exit >= 0 {
			return e, nil
		}
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

// signals are those that come while a go command runs. The terminal sends its own to the go command, too, and we have
// to outlive it to write the profile; others are passed on.
type signals struct {
	fromTerminal, toPass chan os.Signal

	done chan bool // closed when the go command has ended
	came chan bool // gets whether any signal came
}

// heed begins to wait for signals.
func heed() *signals {
	s := &signals{make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan bool), make(chan bool)}
	signal.Notify(s.fromTerminal, heeded(os.Interrupt, syscall.SIGQUIT)...)
	signal.Notify(s.toPass, heeded(syscall.SIGTERM, syscall.SIGHUP)...)
	return s
}

func (s *signals) stop() {
	signal.Stop(s.fromTerminal)
	signal.Stop(s.toPass)
}

// pass passes signals on to a process until it has ended.
func (s *signals) pass(p *os.Process) {
	came := false
	for {
		select {
		case sig := <-s.toPass:
			p.Signal(sig)
			came = true
		case <-s.fromTerminal:
			came = true
		case <-s.done:
			// A signal that ended the command may not have been picked yet.
			s.came <- came || len(s.fromTerminal) > 0 || len(s.toPass) > 0
			return
		}
	}
}

// heeded returns those of signals that the process was not told to ignore, as nohup does. To be notified of the
// others would end that, also for the go command.
func heeded(list ...os.Signal) []os.Signal {
	return slices.DeleteFunc(list, signal.Ignored)
}
