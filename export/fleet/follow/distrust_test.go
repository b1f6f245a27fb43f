//go:build unix

package follow

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestDistrust has files in a directory that whoever may write there can make. Each costs one line, once, and none keeps the
// follower from the good one.
func TestDistrust(t *testing.T) {
	other := t.TempDir()
	write(t, filepath.Join(other, "run.1.1.gpi"), 0, 1000)
	for what, test := range map[string]struct {
		make func(name string) error
		want string
	}{
		"a FIFO":                {func(name string) error { return syscall.Mkfifo(name, 0o600) }, "is no regular file"},
		"a directory":           {func(name string) error { return os.Mkdir(name, 0o700) }, "is no regular file"},
		"a link to a run":       {func(name string) error { return os.Symlink(filepath.Join(other, "run.1.1.gpi"), name) }, "symbolic links"},
		"a link to nothing":     {func(name string) error { return os.Symlink("nothing", name) }, "symbolic links"},
		"a link to a device":    {func(name string) error { return os.Symlink("/dev/zero", name) }, "symbolic links"},
		"no run":                {func(name string) error { return os.WriteFile(name, make20k("no run file "), 0o600) }, "not a run file"},
		"another version":       {damage(other, func(b []byte) []byte { return putWord(b, 1, 99) }), "version 99"},
		"a page size":           {damage(other, func(b []byte) []byte { return putWord(b, 2, 12345) }), "page size 12345"},
		"cut short":             {damage(other, func(b []byte) []byte { return b[:100] }), "shorter than a header"},
		"a lying record":        {damage(other, func(b []byte) []byte { return putWord(b, runfile.MinPage/8+6, 1<<60) }), "counters"},
		"more than 1 MiB":       {func(name string) error { return os.WriteFile(name, make([]byte, 3<<20), 0o600) }, "at most 1048576 are read"},
		"64 GiB, almost a hole": {hole(other), ""},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "run.1.1.gpi"), 0, 5)
		if err := test.make(filepath.Join(dir, "run.2.1.gpi")); err != nil {
			t.Fatal(err)
		}
		f := New(Options{Dirs: []string{dir}, MaxRun: 1 << 20})
		var said []string
		good, began := int64(0), time.Now()
		for range 3 {
			for _, r := range f.Poll() {
				if r.Err != nil {
					said = append(said, r.Err.Error())
					continue
				}
				if delta, err := r.Delta(); err != nil {
					t.Error(err)
				} else if p, err := delta.Profile(f.Tables()); err != nil {
					t.Error(err)
				} else {
					good += p.Functions()[0].Entries
				}
			}
		}
		t.Logf("%s: %v", what, time.Since(began).Round(time.Millisecond))
		all := strings.Join(said, "\n") // one line, or none
		if (all == "") != (test.want == "") || !strings.Contains(all, test.want) || strings.Contains(all, "\n") {
			t.Errorf("%s: said %q, want one line with %q", what, said, test.want)
		}
		if want := int64(5); good != want && test.want != "" {
			t.Errorf("%s: %d calls, want %d", what, good, want)
		}
	}
}

func make20k(text string) []byte { return []byte(strings.Repeat(text, 20_000/len(text))) }

func putWord(b []byte, i int, w uint64) []byte {
	binary.LittleEndian.PutUint64(b[i*8:], w)
	return b
}

// damage makes a file of a good one.
func damage(dir string, change func([]byte) []byte) func(name string) error {
	return func(name string) error {
		b, err := os.ReadFile(filepath.Join(dir, "run.1.1.gpi"))
		if err != nil {
			return err
		}
		return os.WriteFile(name, change(b), 0o600)
	}
}

// hole makes a file of a good one that is long, and takes no more room.
func hole(dir string) func(name string) error {
	return func(name string) error {
		if err := damage(dir, func(b []byte) []byte { return b })(name); err != nil {
			return err
		}
		return os.Truncate(name, 64<<30)
	}
}

// TestOwners has a file of another user, who is neither the directory's owner nor among those that are allowed.
func TestOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	write(t, name, 0, 5)
	if err := os.Chown(name, 4242, -1); err != nil {
		t.Skip(err)
	}
	for range 2 {
		f := New(Options{Dirs: []string{dir}})
		if changed := f.Poll(); len(changed) != 1 || changed[0].Err == nil || !strings.Contains(changed[0].Err.Error(), "is of user 4242") {
			t.Errorf("of another user: %v", changed)
		}
	}
	if n := calls(t, New(Options{Dirs: []string{dir}, Owners: []int{4242}})); n != 5 {
		t.Errorf("of a user that is allowed: %d calls", n)
	}
	if err := os.Chown(dir, 4242, -1); err != nil {
		t.Skip(err)
	}
	if n := calls(t, New(Options{Dirs: []string{dir}})); n != 5 {
		t.Errorf("of the directory's owner: %d calls", n)
	}
}

// TestNamedFlags has files that would be read with a flag. Errors name it where the command has it.
func TestNamedFlags(t *testing.T) {
	for _, flags := range []bool{false, true} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "run.1.1.gpi"), make([]byte, 3<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		want := []string{"-max-run"}
		if os.Geteuid() == 0 {
			name := filepath.Join(dir, "run.2.1.gpi")
			write(t, name, 0, 5)
			if err := os.Chown(name, 4242, -1); err != nil {
				t.Skip(err)
			}
			want = append(want, "-owner")
		}
		changed := New(Options{Dirs: []string{dir}, MaxRun: 1 << 20, Flags: flags}).Poll()
		if len(changed) != len(want) {
			t.Fatalf("%d files are passed over, want %d", len(changed), len(want))
		}
		for i, r := range changed {
			if r.Err == nil || strings.Contains(r.Err.Error(), want[i]) != flags {
				t.Errorf("the command has %s, %t: %v", want[i], flags, r.Err)
			}
		}
	}
}

// TestCut has a file cut short that is being followed. Its process would be dead; the follower goes on, with what it has read.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.1.1.gpi")
	write(t, name, 0, 5)
	f := New(Options{Dirs: []string{dir}})
	if n := calls(t, f); n != 5 {
		t.Fatalf("%d calls, want 5", n)
	}
	for _, size := range []int64{8000, 5000, 4096, 100, 0} {
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		f.Poll()
		if runs := f.Runs(); len(runs) != 1 || runs[0].Now.IsZero() {
			t.Errorf("cut to %d bytes: what was read is gone", size)
		}
	}
}
