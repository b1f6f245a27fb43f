package follow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/copies"
)

// write writes the run file of a process that has called Words so many times.
func write(t *testing.T, name string, second int, times uint64) {
	t.Helper()
	r := profiletest.NewRun(1, second, nil, profiletest.Lex())
	profiletest.CallWords(r, times, "two words")
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
}

// calls polls, and returns how many calls of Words the deltas have.
func calls(t *testing.T, f *Follower) (n int64) {
	t.Helper()
	for _, r := range f.Poll() {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		delta, err := r.Delta()
		if err != nil {
			t.Fatal(err)
		}
		p, err := delta.Profile(f.Tables())
		if err != nil {
			t.Fatal(err)
		}
		n += p.Functions()[0].Entries
	}
	return n
}

// TestUncounted follows a run without samples that has functions which nothing can count, as merge writes it of an archive.
func TestUncounted(t *testing.T) {
	dir := t.TempDir()
	r := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
	r.Uncounted("example.com/m/lex.Must", copies.NoCode)
	if err := r.WriteFile(filepath.Join(dir, "run.1.1.gpi")); err != nil {
		t.Fatal(err)
	}
	f := New(Options{Dirs: []string{dir}})
	for _, r := range f.Poll() {
		if r.Err != nil || len(r.Now.Packages) != 1 || len(r.Now.Packages[0].Uncounted) != 1 {
			t.Errorf("%v, %+v", r.Err, r.Now)
		}
	}
}

// TestRestore has another follower go on with deltas. Nothing may come twice, and a file of the same name that is of another
// process is a new one.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	write(t, name, 0, 5)
	first := New(Options{Dirs: []string{dir}})
	if n := calls(t, first); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	second := New(Options{Dirs: []string{dir}})
	second.Restore(first.Sent())
	write(t, name, 0, 12)
	if n := calls(t, second); n != 7 {
		t.Errorf("%d calls, want 7", n)
	}
	third := New(Options{Dirs: []string{dir}})
	third.Restore(second.Sent())
	write(t, name, 1, 3)
	if n := calls(t, third); n != 3 {
		t.Errorf("%d calls of another process, want 3", n)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if sent := third.Sent(); len(sent) > 0 {
		t.Errorf("of a file that is gone %v is kept", sent)
	}
}

// TestRestoreElsewhere has another follower go on by other names of the directory. Nothing may come twice.
func TestRestoreElsewhere(t *testing.T) {
	parent := t.TempDir()
	dir, link := filepath.Join(parent, "data"), filepath.Join(parent, "link")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(parent)
	name := filepath.Join(dir, "run.1.1.gpi")
	write(t, name, 0, 5)
	first := New(Options{Dirs: []string{"data"}})
	if n := calls(t, first); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	sent := first.Sent()
	for i, other := range []string{dir, link, "./data"} {
		f := New(Options{Dirs: []string{other}})
		f.Restore(sent)
		write(t, name, 0, uint64(6+i))
		if n := calls(t, f); n != 1 {
			t.Errorf("%s: %d calls, want 1", other, n)
		}
		if sent = f.Sent(); len(sent) != 1 {
			t.Errorf("%s: sent %v, want one run", other, sent)
		}
	}
	f := New(Options{Dirs: []string{dir}})
	f.Restore(sent)
	write(t, name, 1, 3)
	if n := calls(t, f); n != 3 {
		t.Errorf("%d calls of another process, want 3", n)
	}
}

// TestRestoreMoved has another follower go on with a run whose file has moved, or has two names as in the moment in which a wrap
// ends. What was sent is kept while the file cannot be read.
func TestRestoreMoved(t *testing.T) {
	for name, move := range map[string]func(from, to string) error{"moved": os.Rename, "both names": os.Link} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			before, after := filepath.Join(dir, "running", "run.1.1.gpi"), filepath.Join(dir, "run.1.1.gpi")
			if err := os.Mkdir(filepath.Dir(before), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, before, 0, 5)
			first := New(Options{Dirs: []string{dir}})
			calls(t, first)
			second := New(Options{Dirs: []string{dir}})
			second.Restore(first.Sent())
			if err := move(before, after); err != nil {
				t.Skip(err)
			}
			if err := os.WriteFile(after, []byte("damaged"), 0o666); err != nil {
				t.Fatal(err)
			}
			second.Poll()
			third := New(Options{Dirs: []string{dir}})
			third.Restore(second.Sent())
			write(t, after, 0, 12)
			if n := calls(t, third); n != 7 {
				t.Errorf("%d calls, want 7", n)
			}
			if sent := third.Sent(); len(sent) != 1 || sent[0].Name != after {
				t.Errorf("%v was sent, want %s only", sent, after)
			}
		})
	}
}

// TestSaidOnce has a file that cannot be read, and that its program goes on to write. What is wrong with it is said once.
func TestSaidOnce(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	f := New(Options{Dirs: []string{dir}})
	for i, step := range []struct {
		text string
		said int
	}{{strings.Repeat("no run file ", 2000), 1}, {strings.Repeat("no run file ", 2001), 0}, {"short", 1}} {
		if err := os.WriteFile(name, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if changed := f.Poll(); len(changed) != step.said || step.said > 0 && changed[0].Err == nil {
			t.Errorf("step %d: %d errors, want %d", i, len(changed), step.said)
		}
		if n := f.Unread().Others; n != 1 {
			t.Errorf("step %d: %d files are passed over, want 1", i, n)
		}
	}
}

// TestForgotten removes files of which nothing could be read. They are not kept, but for their number.
func TestForgotten(t *testing.T) {
	dir := t.TempDir()
	f := New(Options{Dirs: []string{dir}})
	for i, text := range []string{strings.Repeat("no run file ", 2000), strings.Repeat("\x00", 8192)} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("run.%d.1.gpi", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{2, 0} {
		if f.Poll(); len(f.runs) != want {
			t.Errorf("%d files are kept, want %d", len(f.runs), want)
		}
		if n := f.Unread(); n != (Unread{Others: 1}) {
			t.Errorf("%+v are passed over, want one of others", n)
		}
		for name := range f.runs {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestMoved has a run file change its name, as that of a wrap does that ends.
func TestMoved(t *testing.T) {
	dir := t.TempDir()
	running := filepath.Join(dir, "running")
	if err := os.Mkdir(running, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(running, "run.1.1.gpi"), 0, 5)
	f := New(Options{Dirs: []string{dir}})
	if n := calls(t, f); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	if err := os.Rename(filepath.Join(running, "run.1.1.gpi"), filepath.Join(dir, "run.1.1.gpi")); err != nil {
		t.Fatal(err)
	}
	if n := calls(t, f); n != 0 {
		t.Errorf("%d calls are counted twice", n)
	}
	if len(f.Runs()) != 1 {
		t.Errorf("%d runs, want 1", len(f.Runs()))
	}
}

// TestSameNumber has a run file removed, and another one get its number in the file system, as happens soon. It is another run.
func TestSameNumber(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "run.1.1.gpi"), filepath.Join(dir, "run.2.2.gpi")
	write(t, before, 0, 5)
	f := New(Options{Dirs: []string{dir}})
	if n := calls(t, f); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	if err := os.Rename(before, after); err != nil { // which keeps the number
		t.Fatal(err)
	}
	write(t, after, 1, 7)
	if n := calls(t, f); n != 7 {
		t.Errorf("%d calls of the other run, want 7", n)
	}
	if n := len(f.Runs()); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

// TestNoName has a run file that is where no follower looks, in the moment in which a wrap ends. What another follower has sent
// of it by then does not come again.
func TestNoName(t *testing.T) {
	dir := t.TempDir()
	places := profiledir.Places(filepath.Join(dir, "run.1.1.gpi"))
	for _, name := range places {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, places[0], 0, 5)
	first := New(Options{Dirs: []string{dir}})
	if n := calls(t, first); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	if err := os.Rename(places[0], places[1]); err != nil {
		t.Fatal(err)
	}
	if n := calls(t, first); n != 0 {
		t.Errorf("%d calls of a file without a name", n)
	}
	second := New(Options{Dirs: []string{dir}})
	second.Restore(first.Sent())
	if n := calls(t, second); n != 0 {
		t.Errorf("%d calls of a file without a name", n)
	}
	third := New(Options{Dirs: []string{dir}})
	third.Restore(second.Sent())
	if err := os.Rename(places[1], places[2]); err != nil {
		t.Fatal(err)
	}
	for i, f := range []*Follower{first, third} {
		if n := calls(t, f); n != 0 {
			t.Errorf("follower %d: %d calls are counted twice", i, n)
		}
	}
	if sent := third.Sent(); len(sent) != 1 || sent[0].Name != places[2] {
		t.Errorf("sent %v", sent)
	}
}

// TestTwoNames has a run file with two names for a while, as that of a wrap that ends: it is one run.
func TestTwoNames(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "running", "run.1.1.gpi"), filepath.Join(dir, "run.1.1.gpi")
	if err := os.Mkdir(filepath.Dir(before), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, before, 0, 5)
	f := New(Options{Dirs: []string{dir}})
	if n := calls(t, f); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	if err := os.Link(before, after); err != nil {
		t.Skip(err)
	}
	if n := calls(t, f); n != 0 {
		t.Errorf("%d calls are counted twice", n)
	}
	if err := os.Remove(before); err != nil {
		t.Fatal(err)
	}
	write(t, after, 0, 7)
	if n := calls(t, f); n != 2 {
		t.Errorf("%d calls with its other name, want 2", n)
	}
	if len(f.Runs()) != 1 {
		t.Errorf("%d runs, want 1", len(f.Runs()))
	}
}
