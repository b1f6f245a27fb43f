package follow

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestCopied has run files that are copied and removed, as a wrap does that ends where files have one name only. What was counted
// does not come again, and the run is the same to whoever knows it.
func TestCopied(t *testing.T) {
	dir := t.TempDir()
	places := profiledir.Places(filepath.Join(dir, "run.1.1.gpi"))
	if err := os.Mkdir(filepath.Dir(places[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, places[0], 0, 5)
	f := New(Options{Dirs: []string{dir}})
	if n := calls(t, f); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	before := f.Runs()[0]
	remove := func(name string) {
		t.Helper()
		if err := os.Rename(name, filepath.Join(dir, "old")); err != nil { // the file stays, or another may get its number
			t.Fatal(err)
		}
	}
	remove(places[0])
	for i, times := range []uint64{5, 7} { // at another place, and at the same one
		if i > 0 {
			remove(places[2])
		}
		write(t, places[2], 0, times)
		if n := calls(t, f); n != int64(2*i) {
			t.Errorf("%d calls of copy %d, want %d", n, i, 2*i)
		}
		if runs := f.Runs(); len(runs) != 1 || runs[0] != before {
			t.Errorf("runs %v, want that which was there", runs)
		}
	}
	remove(places[2])
	write(t, places[2], 1, 3)
	if n := calls(t, f); n != 3 {
		t.Errorf("%d calls of another process, want 3", n)
	}
}

// TestAway has a directory that is away for a while, and one in whose place is another, as when a file system is not mounted.
// What was sent of its runs is kept until it is clear that they do not come back.
func TestAway(t *testing.T) {
	for _, mounted := range []bool{false, true} {
		parent, clock := t.TempDir(), time.Unix(0, 0)
		options := Options{Dirs: []string{filepath.Join(parent, "data")}, Now: func() time.Time { return clock }}
		dir, elsewhere := options.Dirs[0], filepath.Join(parent, "elsewhere")
		move := func(from, to string) {
			t.Helper()
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "run.1.1.gpi"), 0, 5)
		f := New(options)
		calls(t, f)
		r := f.Runs()[0]
		move(dir, elsewhere)
		if mounted {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		f.Poll()
		restarted := New(options)
		restarted.Restore(f.Sent())
		if f.Gone(r) || len(restarted.Sent()) != 1 {
			t.Errorf("other directory %t: gone %t, sent %v", mounted, f.Gone(r), restarted.Sent())
		}
		clock = clock.Add(mostAway)
		if !f.Gone(r) || len(f.Sent()) != 0 || len(restarted.Sent()) != 0 {
			t.Errorf("other directory %t: gone %t when it does not come back, and sent %v, %v",
				mounted, f.Gone(r), f.Sent(), restarted.Sent())
		}
		os.Remove(dir)
		move(elsewhere, dir)
		for i, f := range []*Follower{f, restarted} {
			if n := calls(t, f); n != 0 {
				t.Errorf("other directory %t: %d calls of follower %d again", mounted, n, i)
			}
		}
		move(dir, elsewhere)
		if f.Poll(); f.Gone(r) {
			t.Errorf("other directory %t: gone at once the second time", mounted)
		}
	}
}
