package profiledir

import (
	"errors"
	"os"
)

// Replace has fill write a profile to Running, which is empty then, and puts it in the place of the one in d once all of it is
// there: see Commit. Until then, and if fill fails, d has what it had.
func (d *Dir) Replace(fill func(*Dir) error) error {
	isNew := !exists(d.Path)
	if err := os.MkdirAll(d.Path, 0o777); err != nil {
		return err
	}
	err := d.settle()
	if err == nil {
		err = d.Discard()
	}
	filled := &Dir{Path: d.Running()}
	if err == nil {
		err = os.Mkdir(filled.Path, 0o777)
	}
	if err == nil {
		err = fill(filled)
	}
	if err == nil {
		return d.Commit()
	}
	err = errors.Join(err, d.Discard())
	if isNew {
		os.Remove(d.Path) // fails if it is not empty
	}
	return err
}
