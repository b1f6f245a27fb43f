package follow

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// targets returns what a tally has of the targets of calls.
func targets(t *testing.T, f *Follower, of *tally.Tally) (text string) {
	t.Helper()
	p, err := of.Profile(f.Tables())
	if err != nil || p.Damaged != nil {
		t.Fatal(err, p.Damaged)
	}
	for _, v := range p.Packages[0].Functions[0].Events[0].Values {
		text += fmt.Sprint(v.Name, " ", v.Count, " ")
	}
	return text
}

// holdLock locks a run file as its process does, until the test ends or the file is closed.
func holdLock(t *testing.T, name string) *os.File {
	t.Helper()
	process, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close() })
	const setLock = 37 // F_OFD_SETLK, as the runtime does
	if err := syscall.FcntlFlock(process.Fd(), setLock, &syscall.Flock_t{Type: syscall.F_WRLCK, Len: 1}); err != nil {
		t.Skip("no locks of open files here: ", err)
	}
	return process
}

// TestLiveTargets follows a process that counts the targets of calls while it lives, as the lock of its file says. A target
// that has no name yet is left out. The elected one has what is left of the calls. All deltas must add up to what there is in
// the end.
func TestLiveTargets(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	lex := profiletest.Lex()
	lex.Functions[0].Selectors = []table.Selector{{Kind: table.Calls, Line: 6, Hash: 1, Sites: []table.Site{{At: 0}}}}
	write := func(calls uint64, hash map[uint64]uint64, names ...string) {
		r := profiletest.NewRun(1, 0, nil, lex)
		profiletest.CallWords(r, calls, "two words")
		r.Data().Packages[0].Hashes = []map[uint64]uint64{nil, hash}
		r.Data().Names = make(map[uint64]rundata.Name)
		for i, name := range names {
			r.Data().Names[0x10+uint64(i)] = rundata.Name{Text: name}
		}
		if err := r.WriteFile(name); err != nil {
			t.Fatal(err)
		}
	}
	write(100, map[uint64]uint64{0x10: 64, 0x10 | event.ElectedOf: 1, 0x11: 6}, "m.A")
	process := holdLock(t, name)
	f := New(Options{Dirs: []string{dir}})
	sum := new(tally.Tally)
	for i, want := range []string{"m.A 94 ", "m.A 181 m.B 12 ? 7 "} {
		changed := f.Poll()
		if len(changed) != 1 || changed[0].Err != nil || changed[0].Ended != (i > 0) {
			t.Fatalf("step %d: %+v", i, changed)
		}
		delta, err := changed[0].Delta()
		if err == nil {
			err = sum.Add(delta)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := targets(t, f, changed[0].Now); got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
		if got := targets(t, f, sum); got != want {
			t.Errorf("step %d: deltas add up to %s, want %s", i, got, want)
		}
		process.Close() // it ends
		write(200, map[uint64]uint64{0x10: 64, 0x10 | event.ElectedOf: 1, 0x11: 12, 0x12: 7}, "m.A", "m.B")
	}
}

// TestQuick: deltas of a sampled run leave out counters that are unused, unless its estimates are made anew.
func TestQuick(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	r := profiletest.NestedRun(1)
	now := time.Unix(1_000_000, 0)
	f := New(Options{Dirs: []string{dir}, Now: func() time.Time { return now }})
	for i, step := range []struct {
		after   time.Duration
		windows uint64 // times as many
		quick   bool
	}{{0, 1, false}, {10 * time.Second, 1, true}, {10 * time.Second, 3, false}, {10 * time.Second, 1, true}, {lookAgain, 1, false}} {
		now = now.Add(step.after)
		r.Counted().Windows *= step.windows
		r.Count("example.com/m.F", 1, 2, 7)
		if err := r.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			holdLock(t, name)
		}
		if changed := f.Track(); len(changed) != 1 || changed[0].Err != nil {
			t.Fatalf("step %d: %d runs have changed", i, len(changed))
		}
		if got := f.Runs()[0].poller.Quick; got != step.quick {
			t.Errorf("step %d: the poll is quick: %t, want %t", i, got, step.quick)
		}
	}
}

// TestWatched watches a process whose file is removed before the process ends. It is not read while it goes on, but for those who
// ask. What it counted is there in the end.
func TestWatched(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	write(t, name, 0, 5)
	process := holdLock(t, name)
	count := func(times uint64) {
		t.Helper()
		other := filepath.Join(t.TempDir(), "other")
		write(t, other, 0, times)
		data, err := os.ReadFile(other)
		if err == nil {
			_, err = process.WriteAt(data, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f := New(Options{Dirs: []string{dir}})
	expect := func(what string, _ []*Run, want int64, ended bool) {
		t.Helper()
		r := f.Runs()[0]
		if len(f.Runs()) != 1 || r.Err != nil || r.Ended != ended {
			t.Fatalf("%s: %+v", what, r)
		}
		p, err := r.Now.Profile(f.Tables())
		if err != nil {
			t.Fatal(err)
		}
		if n := p.Functions()[0].Entries; n != want {
			t.Errorf("%s: %d calls, want %d", what, n, want)
		}
	}
	expect("found", f.Watch(), 5, false)
	count(6)
	expect("watched", f.Watch(), 5, false)
	expect("asked", f.Poll(), 6, false)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	count(7)
	expect("removed", f.Watch(), 6, false)
	expect("removed, and asked", f.Poll(), 7, false)
	count(8)
	process.Close()
	expect("ended", f.Watch(), 8, true)
	if f.kept != 0 {
		t.Errorf("%d files stay open", f.kept)
	}
}

// TestVanished removes the file of a process that goes on, and that nobody has open. The run counts as over until there is a file
// of that name again.
func TestVanished(t *testing.T) {
	dir := t.TempDir()
	name, away := filepath.Join(dir, "run.1.1.gpi"), filepath.Join(dir, "away")
	write(t, name, 0, 5)
	holdLock(t, name)
	f := New(Options{Dirs: []string{dir}})
	for i, step := range []struct {
		from, to string
		changed  int
		last     bool
	}{{"", "", 1, false}, {name, away, 1, true}, {"", "", 0, true}, {away, name, 0, false}} {
		if step.from != "" {
			if err := os.Rename(step.from, step.to); err != nil {
				t.Fatal(err)
			}
		}
		if changed := f.Track(); len(changed) != step.changed {
			t.Errorf("step %d: %d runs have changed, want %d", i, len(changed), step.changed)
		}
		if r := f.Runs()[0]; r.Last() != step.last || r.Ended {
			t.Errorf("step %d: vanished %t, ended %t", i, r.Vanished, r.Ended)
		}
	}
}
