package mergebase

import (
	"cmp"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
)

// signals are those that would end the process. They are held back until what it has made is removed.
type signals struct {
	came     chan os.Signal
	got      os.Signal // the first; nil if none came
	cleaning bool      // commands run to their end, since they clean up
}

// heed begins to hold signals back.
func heed() *signals {
	s := &signals{came: make(chan os.Signal, 1)}
	signal.Notify(s.came, child.Heeded(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	return s
}

// stop lets signals end the process again, and returns the first that came; nil if none did.
func (s *signals) stop() os.Signal {
	signal.Stop(s.came)
	select {
	case late := <-s.came:
		s.got = cmp.Or(s.got, late)
	default:
	}
	return s.got
}

// patience is how long a command may take to end when it was asked to.
const patience = 10 * time.Second

// run runs a command, with all that it starts in a group of its own: the terminal interrupts this process only.
// The first signal is passed on to the group.
func (s *signals) run(cmd *exec.Cmd) error {
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	came := s.came
	if s.got != nil || s.cleaning {
		came = nil
	}
	select {
	case err := <-ended:
		return err
	case s.got = <-came:
	}
	end(cmd.Process, s.got)
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
	}
	kill(cmd.Process)
	return <-ended
}
