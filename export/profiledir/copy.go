package profiledir

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// runPerm is that of run files, as programs make them: they have the command line.
const runPerm = 0o640

// WriteRun makes a run file in d of what it reads.
func (d *Dir) WriteRun(name string, in io.Reader) error {
	return writeSparse(filepath.Join(d.Path, name), runPerm, in)
}

// Copy makes a directory with the profile of another one. Files have second names there, or are copied.
func Copy(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case !isOwned(e.Name()):
		case e.IsDir():
			err = link(dst, src)
		case os.Link(src, dst) != nil:
			err = copySparse(dst, src)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// link gives the files in a folder second names in another, or copies them where files have one name only. A file for
// git stays as it is.
func link(to, from string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.IsDir():
			err = link(dst, src)
		case os.Link(src, dst) == nil:
		case e.Name() == ignoreFile && exists(dst):
		default:
			err = copyWhole(dst, src)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// copyWhole copies a run file, which has its name when all of it is there: an agent may look at any moment.
func copyWhole(to, from string) error {
	if exists(to) {
		return &fs.PathError{Op: "copy", Path: to, Err: fs.ErrExist}
	}
	part := filepath.Join(filepath.Dir(to), Unnamed(filepath.Base(to)))
	err := copySparse(part, from)
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

// copySparse copies a file with its permissions. It leaves out pages of zeros: run files of programs with many counters are
// mostly holes.
func copySparse(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return writeSparse(to, info.Mode().Perm(), in)
}

// writeSparse makes a run file of what it reads.
func writeSparse(to string, perm os.FileMode, in io.Reader) (err error) {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	page, zeros := make([]byte, 4096), make([]byte, 4096)
	for at := int64(0); ; {
		n, err := io.ReadFull(in, page)
		if n > 0 && !bytes.Equal(page[:n], zeros[:n]) {
			if _, err := out.WriteAt(page[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return out.Truncate(at)
		case err != nil:
			return err
		}
	}
}
