package selection

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
)

// A changed is a file that is other than at a revision.
type changed struct {
	name    string            // relative to the root, with forward slashes
	old     map[string][]byte // by the revisions at which it is other; nil where it was not there
	now     []byte            // nil if it is not there any more
	unknown bool              // what it was when the data were made is not known
}

// gone reports whether the file is not there, now or before.
func (c *changed) gone() bool {
	return c.now == nil || slices.ContainsFunc(slices.Collect(maps.Values(c.old)), func(b []byte) bool { return b == nil })
}

// changes returns the files below root that are other than at any of some revisions, and those that were modified when the data
// were made, by name.
func changes(root string, revisions []string, d *Data) ([]*changed, error) {
	all := make(map[string]*changed)
	for _, rev := range revisions {
		names, err := gitdiff.Files(root, rev)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := add(all, root, rev, name); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range d.manifest.Modified {
		names, err := filesOf(root, m)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if all[name] == nil {
				if err := add(all, root, "", name); err != nil {
					return nil, err
				}
			}
		}
	}
	var list []*changed
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		c.unknown = d.isModified(name)
		list = append(list, c)
	}
	return list, nil
}

// add adds a file that is other than at a revision; "" is for none.
func add(all map[string]*changed, root, rev, name string) error {
	c := all[name]
	if c == nil {
		c = &changed{name: name, old: make(map[string][]byte)}
		now, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			if info, e := os.Stat(filepath.Join(root, filepath.FromSlash(name))); e != nil || !info.IsDir() { // a submodule
				return err
			}
		}
		if err == nil && now == nil {
			now = []byte{}
		}
		c.now, all[name] = now, c
	}
	if rev == "" {
		return nil
	}
	old, err := gitdiff.File(root, rev, name)
	if err != nil {
		return fmt.Errorf("%s at %s: %w", name, rev, err)
	}
	c.old[rev] = old
	return nil
}

// filesOf returns a file, or those in a folder, whose name ends with a slash, or is "".
func filesOf(root, name string) (files []string, err error) {
	if name != "" && name[len(name)-1] != '/' {
		return []string{name}, nil
	}
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(name)), func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, file)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}
