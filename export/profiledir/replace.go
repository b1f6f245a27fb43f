package profiledir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	kept, err := os.ReadDir(d.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range kept {
		if err := os.Rename(filepath.Join(d.Path, e.Name()), filepath.Join(filled.Path, e.Name())); err != nil {
			return err
		}
	}
	if err := os.Remove(d.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(filled.Path, d.Path)
}
