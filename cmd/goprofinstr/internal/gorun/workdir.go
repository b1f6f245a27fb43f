package gorun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
)

// A workDir is the temporary folder of a command. Signals remove the folder and end the process, from before the folder
// is there until it is removed. They do neither while the go command runs: the terminal signals the go command, too,
// which may want to end in its own way. SIGPIPE does not end the process at all: who reads only the first lines of what
// wrap prints wants the profile.
type workDir struct {
	path    string
	kept    bool // by -work
	away    atomic.Bool
	ending  atomic.Bool // a signal is ending the process
	signals chan os.Signal
	doubled time.Duration // how long after a signal another one is taken for the same

	mu    sync.Mutex
	stops []func() // what ends processes that would go on after a signal to this one
}

// doubled is how long after a signal another one is taken for the same: timeout signals the process and then its group, and a
// terminal that is closed does likewise. Nobody decides in that time to wait no longer, and what is to be stopped has got its
// interrupt by then.
const doubled = 500 * time.Millisecond

// newWorkDir makes the folder in another, and prints its name if it is to be kept.
func newWorkDir(in string, keep bool) (*workDir, error) {
	w := &workDir{kept: keep, signals: make(chan os.Signal, 1), doubled: doubled}
	signal.Notify(w.signals, child.Heeded(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)...)
	path, err := os.MkdirTemp(in, "goprofinstr-")
	if err != nil {
		return nil, err
	}
	w.path = path
	go w.await()
	if keep {
		fmt.Fprintf(os.Stderr, "WORK=%s\n", path)
	}
	return w, nil
}

// atSignal has a function called before a signal ends the process.
func (w *workDir) atSignal(stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stops = append(w.stops, stop)
}

// stop calls what is to be called before a signal ends the process. It does not wait for the end of that when another signal
// comes, unless that is the same again: whoever interrupts twice does not want to wait.
func (w *workDir) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	began := time.Now()
	var running sync.WaitGroup
	for _, stop := range w.stops {
		running.Go(stop)
	}
	stopped := make(chan struct{})
	go func() {
		running.Wait()
		close(stopped)
	}()
	for {
		select {
		case <-stopped:
			return
		case s := <-w.signals:
			if s != syscall.SIGPIPE && time.Since(began) >= w.doubled {
				return
			}
		}
	}
}

// yield waits for the end of the process if a signal is ending it. What was stopped for that has failed, which is nothing to tell
// the user, nor to have the go command explain.
func (w *workDir) yield() {
	if w.ending.Load() {
		select {}
	}
}

// await ends the process when a signal comes.
func (w *workDir) await() {
	for s := range w.signals {
		if s == syscall.SIGPIPE || w.away.Load() {
			continue
		}
		w.ending.Store(true)
		w.stop()
		w.remove()
		exit := 1
		if n, ok := s.(syscall.Signal); ok {
			exit = 128 + int(n) // as shells say that a process was killed
		}
		os.Exit(exit)
	}
}

// remove removes the folder. What other goroutines are writing there may bring it back, so it looks twice. Of one that is to be
// kept there is nothing to look at if it is empty, as when what the user asks for is refused.
func (w *workDir) remove() {
	if w.kept {
		os.Remove(w.path) // which fails if there is something
		return
	}
	for range 2 {
		os.RemoveAll(w.path)
	}
}

// about returns an error of a system call on a file in the folder as one on all that is there: the user has no
// other name for it.
func (w *workDir) about(err error) error {
	path := w.failed(err)
	if path == nil || w.kept {
		return err
	}
	return fmt.Errorf("temporary folder in %s (TMPDIR names another): %s: %w",
		filepath.Dir(w.path), path.Op, path.Err)
}

// failed returns the system call on a file in the folder that an error is of, nil if it is of none.
func (w *workDir) failed(err error) *fs.PathError {
	var path *fs.PathError
	if errors.As(err, &path) && strings.HasPrefix(path.Path, w.path) {
		return path
	}
	return nil
}
