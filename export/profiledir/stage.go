package profiledir

import (
	"fmt"
	"os"
	"path/filepath"
)

// A wrap does not write to its output directory itself, but to a folder in it, which is a profile directory of its
// own. The last profile stays as it is until the new one is whole. Then the new one takes its place:
//
//	running  where instrumented programs write, and what else the profile is going to have
//	whole    the same, renamed, since nothing is missing any more: from now on it is what readers are given
//	merging  the same again, when all that was in whole is in the output directory, too; it is removed
//
// A merge writes to merging, for what an interrupted wrap has left in running may be what it merges.
//
// The folders are below the directory and not beside it. The directory may be where a file system is mounted, or
// in a folder that cannot be written to. Programs that outlive the wrap go on counting: their run files are the
// same, under other names.
const (
	runningDir = "running"
	wholeDir   = "whole"
	mergingDir = "merging"
)

// Running is the directory for the data of a wrap that is running.
func (d *Dir) Running() string { return filepath.Join(d.Path, runningDir) }

func (d *Dir) whole() string { return filepath.Join(d.Path, wholeDir) }

func (d *Dir) merging() string { return filepath.Join(d.Path, mergingDir) }

// Places returns the names that a run file of a wrap has one after the other, given one of them. Who looks for the file in
// this order finds it, also while it moves.
func Places(name string) []string {
	dir, base := filepath.Dir(name), filepath.Base(name)
	if stage := filepath.Base(dir); stage == runningDir || stage == wholeDir {
		dir = filepath.Dir(dir)
	}
	d := &Dir{Path: dir}
	return []string{filepath.Join(d.Running(), base), filepath.Join(d.whole(), base), filepath.Join(dir, base)}
}

// HasProfile reports whether an earlier wrap has left a profile in the directory.
func (d *Dir) HasProfile() bool {
	_, err := os.Stat(filepath.Join(Current(d.Path), ManifestName))
	return err == nil
}

// Current returns the folder with the profile of directory dir: that of a wrap which was killed when its profile
// was whole, or dir itself.
func Current(dir string) string {
	whole := filepath.Join(dir, wholeDir)
	if _, err := os.Stat(filepath.Join(whole, ManifestName)); err == nil {
		return whole
	}
	return dir
}

// Start makes the directory ready for new runs, which write to Running. The manifest and the encoded tables of all
// packages, those that will not run included, are written there. The directory must be locked. What wraps have left
// that were killed is put in its place, or removed.
func (d *Dir) Start(m Manifest, tables [][]byte) error {
	if err := d.settle(); err != nil {
		return err
	}
	if err := d.Discard(); err != nil {
		return err
	}
	return (&Dir{Path: d.Running()}).WriteBuild(m, tables)
}

// Amend changes the manifest in Running.
func (d *Dir) Amend(change func(*Manifest)) error {
	m, err := ReadManifest(d.Running())
	if m == nil || err != nil {
		return err
	}
	change(m)
	return (&Dir{Path: d.Running()}).writeManifest(*m)
}

// Discard removes what is in Running.
func (d *Dir) Discard() error { return removeAll(d.Running()) }

// Commit puts what is in Running in the place of the profile that was in the directory. Other files there stay.
func (d *Dir) Commit() error { return d.commit(d.Running()) }

func (d *Dir) commit(stage string) error {
	if err := os.Rename(stage, d.whole()); err != nil {
		return err
	}
	return d.settle()
}

// settle moves a profile that is whole to its place. It can be done again from the beginning when it was interrupted.
func (d *Dir) settle() error {
	if !Is(d.whole()) {
		return nil
	}
	err := d.clear()
	if err == nil {
		err = link(d.Path, d.whole())
	}
	if err == nil {
		err = removeAll(d.merging())
	}
	if err == nil {
		err = os.Rename(d.whole(), d.merging())
	}
	if err != nil {
		return fmt.Errorf("%w; the new profile is in %s, and the next wrap moves it to its place", err, d.whole())
	}
	return removeAll(d.merging())
}

// removeAll is os.RemoveAll. Wine does not have the system call by which that removes what is in folders.
func removeAll(name string) error {
	err := os.RemoveAll(name)
	if err == nil {
		return nil
	}
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		entries, _ := os.ReadDir(name)
		for _, e := range entries {
			removeAll(filepath.Join(name, e.Name()))
		}
		return os.RemoveAll(name)
	}
	return err
}
