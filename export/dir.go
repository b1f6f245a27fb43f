package export

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// WriteDir writes paths.pb.gz, edges.pb.gz and calls.pb.gz to directory dir,
// which must exist. Each file is replaced in one step: a reader, or a wrap that
// is interrupted, never leaves or sees half a profile.
func WriteDir(dir string, p *profile.Profile) error {
	files := []struct {
		name  string
		write func(io.Writer, *profile.Profile) error
	}{
		{profiledir.PathsPprof, pprof.WritePaths},
		{profiledir.EdgesPprof, pprof.WriteEdges},
		{profiledir.CallsPprof, pprof.WriteCalls},
	}
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	for i, f := range files { // at the same time: the user waits for these after the run
		wg.Go(func() { errs[i] = WriteFile(filepath.Join(dir, f.name), p, f.write) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// WriteFile replaces file name by what write writes of p; see [Replace].
func WriteFile(name string, p *profile.Profile, write func(io.Writer, *profile.Profile) error) error {
	return Replace(name, func(w io.Writer) error { return write(w, p) })
}

// Replace replaces file name by what write writes. What is there and is no regular file, such as a
// device or a pipe, is written to instead.
func Replace(name string, write func(io.Writer) error) (err error) {
	if f := standard(name); f != nil {
		return write(f)
	}
	name, replaced := Replaced(name)
	if !replaced {
		return writeTo(name, write)
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), profiledir.Temporary(filepath.Base(name)))
	if err != nil {
		return errorOn(name, err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
			err = errorOn(name, err)
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	// CreateTemp makes files for the owner only; profiles are for sharing.
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// Replaced returns the file that Replace replaces, which a link may lead to: the link stays. It returns false for what is written
// to instead.
func Replaced(name string) (file string, ok bool) {
	if standard(name) != nil {
		return name, false
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return name, false
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return name, true
}

// standard returns the file that a name of the process's own output stands for, or nil. Where output goes to a file the
// name leads to that file, and must not be replaced. That holds for the file, which the shell has opened, and for the
// link in /dev.
func standard(name string) *os.File {
	switch filepath.Clean(name) {
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return os.Stdout
	case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
		return os.Stderr
	}
	return nil
}

// errorOn returns an error of a system call on a temporary file as one on the file that it was to become.
func errorOn(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return &fs.PathError{Op: path.Op, Path: name, Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "replace", Path: name, Err: link.Err}
	}
	return err
}

func writeTo(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close() // nothing of what is written waits for it
	return write(f)
}
