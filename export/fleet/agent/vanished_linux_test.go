package agent

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
)

// TestVanished removes the file of a program that lives, between two intervals. A forwarder, which has no file open, must
// neither keep the run nor show the program as alive.
func TestVanished(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "web", 5)
	name := filepath.Join(dir, "run.web.1.gpi")
	program, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	const setLock = 37 // F_OFD_SETLK, as the runtime does
	if err := syscall.FcntlFlock(program.Fd(), setLock, &syscall.Flock_t{Type: syscall.F_WRLCK, Len: 1}); err != nil {
		t.Skip("no locks of open files here: ", err)
	}
	a := New(Options{Follow: follow.Options{Dirs: []string{dir}}})
	f := &Forwarder{Agent: a, Host: "h"}
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	interval := func(want Service) {
		t.Helper()
		if err := f.Interval(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := a.Now().Services(); len(got) != 1 || got[0] != want {
			t.Errorf("services %v, want %v", got, want)
		}
	}
	interval(Service{Name: "web", Alive: 1})
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	interval(Service{Name: "web", Ended: 1})
	if len(a.seen) != 0 || len(a.follower.Runs()) != 0 {
		t.Errorf("the run is kept: %d for deltas, %d to follow", len(a.seen), len(a.follower.Runs()))
	}
}
