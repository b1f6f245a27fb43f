//go:build unix

package merge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// writeRun writes the run file of a process that has called Words so many times.
func writeRun(t *testing.T, name string, pid int, times uint64) {
	t.Helper()
	r := profiletest.NewRun(pid, 0, nil, profiletest.Lex())
	profiletest.CallWords(r, times, "two words")
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
}

// mergedCalls merges a directory, and returns how many calls of Words there are, and why files were left out.
func mergedCalls(t *testing.T, dir string) (calls int64, left []string) {
	t.Helper()
	d := &profiledir.Dir{Path: t.TempDir()}
	damaged, err := Sources(d, []Source{{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range damaged {
		left = append(left, d.String())
	}
	p, err := profile.Load(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Functions() {
		if strings.HasSuffix(f.Table.Name, ".Words") {
			calls = f.Entries
		}
	}
	if rest, _ := filepath.Glob(filepath.Join(d.Path, "*.tmp*")); rest != nil {
		t.Errorf("%v are left", rest)
	}
	return calls, left
}

// TestTrust has files that whoever may write to a shared directory can put there.
func TestTrust(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	writeRun(t, filepath.Join(dir, "run.1.1.gpi"), 1, 5)
	secret := filepath.Join(elsewhere, "run.2.1.gpi")
	writeRun(t, secret, 2, 1000)
	if err := os.Symlink(secret, filepath.Join(dir, "run.2.1.gpi")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "run.3.1.gpi"), 0o600); err != nil {
		t.Fatal(err)
	}
	stranger := filepath.Join(dir, "run.4.1.gpi")
	writeRun(t, stranger, 4, 300)
	if os.Geteuid() == 0 { // only root can give files away
		if err := os.Chown(stranger, 4242, -1); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"run.2.1.gpi: symbolic links are not followed", "run.3.1.gpi: it is no regular file"}
	got, left := mergedCalls(t, dir)
	if got != 305 || !slices.EqualFunc(left, want, strings.Contains) {
		t.Errorf("%d calls, left out %q; want 305 and %q", got, left, want)
	}
}

// TestSwapped has somebody swap a run file and a link to a secret one while the directory is merged, again and again.
func TestSwapped(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	writeRun(t, filepath.Join(dir, "run.1.1.gpi"), 1, 5)
	name := filepath.Join(dir, "run.2.1.gpi")
	secret := filepath.Join(elsewhere, "secret")
	writeRun(t, secret, 2, 1000)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		own, link := filepath.Join(elsewhere, "own"), filepath.Join(elsewhere, "link")
		r := profiletest.NewRun(2, 0, nil, profiletest.Lex())
		profiletest.CallWords(r, 30, "two words")
		for {
			select {
			case <-stop:
				return
			default:
			}
			r.WriteFile(own)
			os.Rename(own, name)
			os.Symlink(secret, link)
			os.Rename(link, name)
		}
	}()
	for range 50 {
		if got, left := mergedCalls(t, dir); got != 5 && got != 35 {
			t.Errorf("%d calls, want 5 or 35; left out %q", got, left)
		}
	}
	close(stop)
	<-stopped
}
