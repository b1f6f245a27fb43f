package target

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Module is a module in the module cache, where the go command accepts no overlay. It is moved
// to a folder elsewhere, which go.mod or go.work names in a replace line; the
// overlay changes that file too, and fills the folder with the files of the
// module cache and those that are rewritten.
type Module struct {
	Path, Version string   // as it is required
	Dir, GoMod    string   // where it is
	Packages      []string // folders of its packages in the build
}

// ErrNoModuleFile is the error of [CheckModuleFile] where there is no go.mod or go.work.
var ErrNoModuleFile = errors.New("there is no go.mod or go.work to replace it in")

// CheckModuleFile reports why modules cannot be moved with the given go.mod or go.work.
func CheckModuleFile(name string, user *Overlay) error {
	_, err := replaceModules(name, user, nil, nil)
	return err
}

// moveModules moves the modules of s and returns the files of s by their new names.
func (w *writer) moveModules(s Sources) (map[string][]byte, error) {
	if len(s.Modules) == 0 {
		return s.Files, nil
	}
	files := maps.Clone(s.Files)
	dirs := make([]string, len(s.Modules))
	for i, m := range s.Modules {
		dirs[i] = w.place(m)
		if err := w.move(m, dirs[i], files, s); err != nil {
			return nil, fmt.Errorf("%s@%s: %w", m.Path, m.Version, err)
		}
	}
	changed, err := replaceModules(s.ModuleFile, s.User, s.Modules, dirs)
	if err != nil {
		return nil, err
	}
	files[s.ModuleFile] = changed
	return files, nil
}

// place returns the folder for a module. Its name is always the same, so that the packages in it stay in the build
// cache.
func (w *writer) place(m *Module) string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = w.dir
	}
	name := m.Path + "@" + m.Version
	if !strings.HasSuffix(m.Dir, "@"+m.Version) { // replaced by another module
		name += "=" + filepath.Base(m.Dir)
	}
	return filepath.Join(base, "goprofinstr", "mod", filepath.FromSlash(name))
}

// move fills folder dir with module m: those of its files that are in files are taken out of
// the module cache there, the others are linked to by the overlay.
func (w *writer) move(m *Module, dir string, files map[string][]byte, s Sources) error {
	for _, p := range m.Packages {
		// Compilers, assemblers and cgo run in the packages' folders, which must exist.
		if err := os.MkdirAll(dir+strings.TrimPrefix(p, m.Dir), 0o777); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(m.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		moved := dir + strings.TrimPrefix(name, m.Dir)
		src, rewritten := files[name]
		delete(files, name)
		switch {
		case filepath.Ext(name) != ".go" || !slices.Contains(m.Packages, filepath.Dir(name)):
			w.overlay.Replace[moved] = name
			return nil
		case !rewritten && s.Trimpath:
			w.overlay.Replace[moved] = name
			return nil
		case !rewritten:
			if src, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		shown := name
		if s.Trimpath { // the go command shows it with the name in the module cache
			shown = moved
		}
		if s.NameWhole {
			src = NameWhole(src, filepath.Dir(shown))
		}
		if !s.Trimpath {
			src = named(src, name)
		}
		return w.add(moved, src)
	})
	if err != nil {
		return err
	}
	if m.GoMod != "" {
		w.overlay.Replace[filepath.Join(dir, "go.mod")] = m.GoMod // old modules have none of their own
	}
	return nil
}

// named returns src with a line directive, so that stack traces, runtime.Caller and profiles show the given
// name.
func named(src []byte, name string) []byte {
	// The directive has to be the first thing of the line; a byte order mark may be left out.
	return fmt.Appendf(nil, "//line %s:1\n%s", name, bytes.TrimPrefix(src, []byte("\uFEFF")))
}

// replaceModules returns the text of a go.mod or go.work with lines that replace modules by folders.
func replaceModules(name string, user *Overlay, modules []*Module, dirs []string) ([]byte, error) {
	if name == "" || name == os.DevNull {
		return nil, ErrNoModuleFile
	}
	data, err := user.Source(name)
	if err != nil {
		return nil, err
	}
	var syntax *modfile.FileSyntax
	var add func(oldPath, oldVersion, newPath, newVersion string) error
	if filepath.Ext(name) == ".work" {
		f, err := modfile.ParseWork(name, data, nil)
		if err != nil {
			return nil, err
		}
		syntax, add = f.Syntax, f.AddReplace
	} else {
		f, err := modfile.Parse(name, data, nil)
		if err != nil {
			return nil, err
		}
		syntax, add = f.Syntax, f.AddReplace
	}
	for i, m := range modules {
		if err := add(m.Path, m.Version, dirs[i], ""); err != nil {
			return nil, err
		}
	}
	return modfile.Format(syntax), nil
}
