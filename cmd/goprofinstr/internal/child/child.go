// Package child runs a command in our place: with the signals that are for it, and to its end.
package child

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

// An Ending is how a command has ended.
type Ending struct {
	Exit        int  // -1 if a signal has ended it
	Interrupted bool // a signal has asked it to end
}

// Run starts a command and waits for its end, passing signals on to it: where there is no terminal also those that a terminal
// would send. Containers and supervisors send these to one process only. A command that exits with another code than 0 is no
// error; one that does not start is, and one that a signal has ended, which is an exec.ExitError.
func Run(cmd *exec.Cmd) (e Ending, err error) { return RunUntil(cmd, nil) }

// RunProgram is Run for a program of the user's, which may take signals for what it likes. It gets those of users, too.
//
// Whoever signals the program as well has it get a signal twice, SIGTERM as others: systemd does without KillMode=mixed, and
// timeout without --foreground. Nothing tells a process to whom else a signal has gone.
func RunProgram(cmd *exec.Cmd) (exit int, err error) {
	e, err := heed(true).run(cmd)
	return e.Exit, err
}

// RunUntil is Run, and sends the command an interrupt when a channel is closed.
func RunUntil(cmd *exec.Cmd, interrupt <-chan struct{}) (e Ending, err error) {
	s := heed(false)
	s.interrupt = interrupt
	return s.run(cmd)
}

// run runs a command, and heeds no signals any more when that has ended.
func (s *signals) run(cmd *exec.Cmd) (e Ending, err error) {
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
	}
	return e, err
}

// signals are those that come while a command runs. A terminal sends its own to the command, too, and we have
// to outlive it; others are passed on.
type signals struct {
	fromTerminal, toPass chan os.Signal
	interrupt            <-chan struct{} // asks for an interrupt when it is closed

	done chan bool // closed when the command has ended
	came chan bool // gets whether any signal came
}

// heed begins to wait for signals, for a program of the user's or for another command. Several may come before that starts.
func heed(program bool) *signals {
	s := &signals{
		fromTerminal: make(chan os.Signal, 1), toPass: make(chan os.Signal, 8),
		done: make(chan bool), came: make(chan bool),
	}
	pass, terminal := Heeded(syscall.SIGTERM, syscall.SIGHUP), Heeded(os.Interrupt, syscall.SIGQUIT)
	if program {
		pass = append(pass, ofUsers...)
	}
	if !hasTerminal() {
		pass = append(pass, terminal...)
	} else {
		signal.Notify(s.fromTerminal, terminal...)
	}
	signal.Notify(s.toPass, pass...)
	return s
}

func (s *signals) stop() {
	signal.Stop(s.fromTerminal)
	signal.Stop(s.toPass)
}

// pass passes signals on to a process until it has ended.
func (s *signals) pass(p *os.Process) {
	came, interrupt := false, s.interrupt
	for {
		select {
		case sig := <-s.toPass:
			p.Signal(sig)
			came = true
		case <-s.fromTerminal:
			came = true
		case <-interrupt:
			p.Signal(os.Interrupt)
			came, interrupt = true, nil
		case <-s.done:
			// A signal that ended the command may not have been picked yet.
			s.came <- came || len(s.fromTerminal) > 0 || len(s.toPass) > 0
			return
		}
	}
}

// Heeded returns those of signals that the process was not told to ignore, as nohup does. To be notified of the
// others would end that, also for the command.
func Heeded(list ...os.Signal) []os.Signal {
	return slices.DeleteFunc(list, signal.Ignored)
}
