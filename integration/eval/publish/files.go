package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// Folder has the results, below the root of the repository.
const Folder = "docs/results/"

// files are those that are made of the reports.
type files struct {
	root    string
	reports map[string]*result.Report // by name of the experiment
	names   []string                  // with slashes, relative to root
	text    map[string][]byte
}

func (f *files) add(name string, text []byte) {
	f.names = append(f.names, name)
	f.text[name] = text
}

// Stale returns the files below root that are not as the reports have them, with what they should be: pages, pictures, and
// documents that quote numbers. The text of a file that should not be there is nil.
func Stale(root string) (map[string][]byte, error) {
	f := &files{root: root, reports: make(map[string]*result.Report), text: make(map[string][]byte)}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	stale := make(map[string][]byte)
	for _, name := range f.names {
		old, err := os.ReadFile(f.path(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || !bytes.Equal(old, f.text[name]) {
			stale[name] = f.text[name]
		}
	}
	entries, err := os.ReadDir(f.path(Folder))
	for _, e := range entries {
		if name := Folder + e.Name(); slices.Contains([]string{".md", ".svg"}, path.Ext(name)) && f.text[name] == nil {
			stale[name] = nil
		}
	}
	return stale, err
}

// Write has the files below root as Stale says, and returns the names of those that it has changed.
func Write(root string) (names []string, err error) {
	stale, err := Stale(root)
	for name, text := range stale {
		file := filepath.Join(root, filepath.FromSlash(name))
		if text == nil {
			err = errors.Join(err, os.Remove(file))
		} else {
			err = errors.Join(err, os.WriteFile(file, text, 0o666))
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}

func (f *files) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// prepare reads the reports, and makes the files of them.
func (f *files) prepare() error {
	jsons, err := filepath.Glob(filepath.Join(f.path(Folder), "*.json"))
	if err != nil {
		return err
	}
	for _, file := range jsons {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		e := Find(name)
		if e == nil {
			return fmt.Errorf("%s is of no experiment that is published", file)
		}
		r, err := result.Read(file)
		if err != nil {
			return err
		}
		f.reports[name] = r
		if err := f.addPage(e, r); err != nil {
			return err
		}
	}
	f.addIndex()
	return f.addQuotes()
}

// addQuotes adds the documents that quote numbers.
func (f *files) addQuotes() error {
	names, err := Documents(f.root)
	for _, name := range names {
		if strings.HasPrefix(name, Folder) {
			continue
		}
		text, failed := os.ReadFile(f.path(name))
		if failed != nil {
			return failed
		}
		filled, failed := f.fill(name, string(text))
		err = errors.Join(err, failed)
		f.add(name, []byte(filled))
	}
	return err
}

// Documents returns the names of the documents below root that people write or read, with slashes: those of the root, of docs and
// of examples.
func Documents(root string) (names []string, err error) {
	tree := os.DirFS(root)
	for _, folder := range []string{"docs", "examples"} {
		err := fs.WalkDir(tree, folder, func(name string, d fs.DirEntry, err error) error {
			if err == nil && path.Ext(name) == ".md" {
				names = append(names, name)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	more, err := fs.Glob(tree, "*.md")
	return append(names, more...), err
}
