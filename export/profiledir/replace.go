package profiledir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace has fill write to an empty folder next to d, and puts what it has written in d's place once it is all there.
// What else is in d stays.
func (d *Dir) Replace(fill func(*Dir) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o777); err != nil {
		return err
	}
	if err := d.settle(); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(d.Path), Temporary(filepath.Base(d.Path)))
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // what it holds in the end is old, or half of something
	filled := &Dir{Path: filepath.Join(tmp, "new")}
	// MkdirTemp makes folders for the owner only; profiles are for sharing.
	if err := os.Mkdir(filled.Path, 0o777); err != nil {
		return err
	}
	if err := fill(filled); err != nil {
		return err
	}
	if err := d.clear(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" && d.lock != nil { // the lock is open, and what is open there cannot be renamed
		return moveAll(filled.Path, d.Path)
	}
	return d.swap(filled.Path)
}

// swap puts a folder in d's place, with what is left in d. If d cannot be removed, as when a program has just written to it, what
// is in the folder is moved to d. What was in d is there again if there is an error.
func (d *Dir) swap(filled string) error {
	err := moveAll(d.Path, filled)
	if err == nil {
		err = os.Remove(d.Path)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		if err = os.Rename(filled, d.Path); err == nil {
			return nil
		}
		if err := os.MkdirAll(d.Path, 0o777); err != nil {
			return err
		}
	}
	return moveAll(filled, d.Path)
}

// moveAll moves what is in a folder to another one. It is no error if there is no such folder.
func moveAll(from, to string) error {
	list, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range list {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
