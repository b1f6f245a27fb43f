package rundata

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a file of a profile directory and returns its size. Only regular files are opened, and links to them.
// Opening a FIFO can block for ever, and reading a device need not come to an end.
func Open(name string) (*os.File, int64, error) { return openAs(name, os.O_RDONLY) }

// openAs is Open for reading, or for writing, too.
func openAs(name string, flag int) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	if err := checkRegular(name, info); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err = f.Stat() // of what it is now: it may have been replaced since
	if err == nil {
		err = checkRegular(name, info)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// ReadWhole returns what is in a file that Open opens. One of more than most bytes is refused.
func ReadWhole(name string, most int64) ([]byte, error) {
	f, size, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most {
		return nil, fmt.Errorf("%s has %d bytes, and at most %d are read", name, size, most)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

func checkRegular(name string, info fs.FileInfo) error {
	mode := info.Mode()
	what := "it is no regular file"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "it is a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "it is a named pipe"
	case mode&fs.ModeDevice != 0:
		what = "it is a device"
	case mode&fs.ModeSocket != 0:
		what = "it is a socket"
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%s, and no file that goprofinstr has written", what)}
}
