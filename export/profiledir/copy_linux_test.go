package profiledir

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCopyWhole copies from a pipe that is not at its end for a while. Until then there is no file of the name.
func TestCopyWhole(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "pipe"), filepath.Join(dir, "run.1.1.gpi")
	if err := syscall.Mkfifo(from, 0o600); err != nil {
		t.Skip(err)
	}
	result := make(chan error)
	go func() { result <- copyWhole(to, from) }()
	pipe, err := os.OpenFile(from, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte("data"), 1<<20) // more than a pipe holds, so the copy has begun when it is written
	if _, err := pipe.Write(want); err != nil {
		t.Fatal(err)
	}
	if exists(to) {
		t.Error("a part has the name of the whole")
	}
	if err := errors.Join(pipe.Close(), <-result); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
	if err := copyWhole(to, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("in the place of a file: %v", err)
	}
	if left := Glob(dir); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
}
