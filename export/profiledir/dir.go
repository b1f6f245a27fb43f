package profiledir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Dir is a directory for the data of one wrap.
type Dir struct {
	Path string // absolute

	lock *lockedfile.File // of Lock, or nil
	made bool             // by Lock
}

// Is reports whether directory name is one of ours, by its manifest. It reads nothing.
func Is(name string) bool {
	info, err := os.Lstat(filepath.Join(name, ManifestName))
	return err == nil && info.Mode().IsRegular()
}

// CheckDir reports whether data can be written to directory name, without changing
// anything in it. The directory need not exist; if it does, it must be empty or an earlier
// profile.
func CheckDir(name string) (*Dir, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Dir{Path: abs}, checkParent(abs)
	case err != nil:
		return nil, fmt.Errorf("output directory: %w", err)
	}
	if !ours(entries) {
		return nil, fmt.Errorf("output directory %s is not empty and not one of goprofinstr's; choose another with -o", name)
	}
	d := &Dir{Path: abs}
	for _, stage := range []string{d.Running(), d.whole(), d.merging()} {
		if !isStage(stage) {
			return nil, fmt.Errorf("output directory %s: %s in it is not goprofinstr's, which has a folder of that name; "+
				"move it away, or choose another directory with -o", name, filepath.Base(stage))
		}
	}
	return d, checkWritable(abs)
}

// checkParent finds out whether a directory could be made, in the nearest folder that exists.
func checkParent(name string) error {
	for parent := filepath.Dir(name); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		switch {
		case errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent):
			continue
		case err != nil:
			return fmt.Errorf("output directory: %w", err)
		case !info.IsDir():
			return fmt.Errorf("output directory %s: %s is not a directory", name, parent)
		}
		return checkWritable(parent)
	}
}

func checkWritable(dir string) error {
	f, err := os.CreateTemp(dir, ".goprofinstr-*")
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err // the name is that of a file that nobody has asked for
		}
		return fmt.Errorf("output directory: cannot write to %s: %w; choose another with -o", dir, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// ours reports whether a directory with these entries is empty or one of goprofinstr's.
func ours(entries []os.DirEntry) bool {
	ofFirst := func(e os.DirEntry) bool { // of the first wrap or merge, which runs or was killed
		return slices.Contains([]string{lockFile, runningDir, mergingDir, ignoreFile}, e.Name())
	}
	ofProfile := func(e os.DirEntry) bool { return e.Name() == ManifestName || e.Name() == wholeDir }
	rest := slices.DeleteFunc(slices.Clone(entries), ofFirst)
	return len(rest) == 0 || slices.ContainsFunc(rest, ofProfile)
}

// isStage reports whether a name is that of a folder of goprofinstr's own, or of nothing. Such a folder has a manifest. That of a
// command which was killed while it made or removed the folder may have none: nothing is there then but files of a profile.
func isStage(name string) bool {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || Is(name):
		return true
	case err != nil || !info.IsDir():
		return false
	case filepath.Base(name) == wholeDir:
		_, err := os.Lstat(name)
		return errors.Is(err, fs.ErrNotExist) // another wrap, whose lock nobody has waited for yet, has renamed it since
	}
	entries, err := os.ReadDir(name)
	isOther := func(e os.DirEntry) bool { return e.Name() != ignoreFile && !isOwned(e.Name()) }
	return errors.Is(err, fs.ErrNotExist) || err == nil && !slices.ContainsFunc(entries, isOther)
}

// WriteBuild writes the manifest, the tables, and what keeps git from taking the directory for sources.
func (d *Dir) WriteBuild(m Manifest, tables [][]byte) error {
	if err := os.MkdirAll(filepath.Join(d.Path, TablesName), 0o777); err != nil {
		return err
	}
	if err := d.ignore(); err != nil {
		return err
	}
	if err := d.writeManifest(m); err != nil {
		return err
	}
	for i, data := range tables {
		if err := os.WriteFile(filepath.Join(d.Path, TablesName, fmt.Sprintf("%04d.gptab", i)), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// ignore has git ignore what is in the directory. A file that is there is left as it is: its owner may want to commit
// the profile, such as one to compare with.
func (d *Dir) ignore() error {
	f, err := os.OpenFile(filepath.Join(d.Path, ignoreFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteString("# made by goprofinstr; what is here is data of a run\n*\n"); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// clear removes the profile.
func (d *Dir) clear() error {
	for _, pattern := range owned {
		entries, err := os.ReadDir(d.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if ok, _ := filepath.Match(pattern, e.Name()); ok {
				if err := removeAll(filepath.Join(d.Path, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
