package profiledir

import (
	"errors"
	"os"
)

// Replace has fill write a profile to an empty folder in d. When all of it is there, it takes the place of the one in d, as with
// Commit. Until then, and if fill fails, d has what it had, and so has Running.
func (d *Dir) Replace(fill func(*Dir) error) error {
	isNew := !exists(d.Path)
	if err := os.MkdirAll(d.Path, 0o777); err != nil {
		return err
	}
	err := d.settle()
	if err == nil {
		err = removeAll(d.merging())
	}
	filled := &Dir{Path: d.merging()}
	if err == nil {
		err = os.Mkdir(filled.Path, 0o777)
	}
	if err == nil {
		err = fill(filled)
	}
	if err == nil {
		return d.commit(filled.Path)
	}
	err = errors.Join(err, removeAll(filled.Path))
	if isNew {
		os.Remove(d.Path) // fails if it is not empty
	}
	return err
}
