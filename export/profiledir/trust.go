package profiledir

import (
	"io/fs"
	"os"
)

// A Trust says whose run files are read where others may have put files into the directory. Links are never followed, and what is
// no regular file is not opened.
type Trust struct {
	Anyone bool  // files of all users are read
	Owners []int // users, by number, whose files are read besides those of the directory's owner and one's own
	MaxRun int64 // the most bytes that a file may take on disk; 0 is any number
	Flags  bool  // errors name -owner and -max-run, which the command has
}

// Open opens a run file for reading, given what its directory is, which says nothing if files of anyone are read. Where the
// system has no such users, all files are of the right one.
func (t *Trust) Open(name string, dir os.FileInfo) (*os.File, os.FileInfo, error) {
	f, err := openNoLink(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat() // of the file that is open, whatever has the name by now
	if err == nil {
		err = t.check(info, dir)
	}
	if err != nil {
		f.Close()
		return nil, nil, refused(name, err)
	}
	return f, info, nil
}

func refused(name string, err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }
