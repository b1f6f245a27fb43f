// Package target lays out the files that a go command needs to build rewritten
// packages with the runtime: a folder with the changed files and an overlay
// (go help build, -overlay) that puts them in the places of the originals.
//
// The runtime becomes a package of the standard library, goprofinstr/rt, which every
// package can import whatever its module, vendor folder or workspace: the overlay adds
// GOROOT/src/goprofinstr/rt, which does not exist on disk. Nothing of the user's is touched.
package target

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Toolchain is the Go toolchain that builds the target.
type Toolchain struct {
	GOROOT, GOOS, GOARCH string
}

// Sources are what the target is built from.
type Sources struct {
	Files map[string][]byte // rewritten files by their original absolute names
	User  *Overlay          // the user's own overlay, or nil; it is kept for all other files

	Hooks *Hooks // or nil

	// Keep returns the name of a file of these contents that stays where it is for the next build, or is nil. Making a file
	// can take half a millisecond, and a build has hundreds.
	Keep func(base string, data []byte) (file string, ok bool)

	Modules    []*Module // modules in the module cache that some of Files are in
	ModuleFile string    // the go.mod or go.work that can replace them, an absolute name
	Trimpath   bool      // the build has -trimpath
	NameWhole  bool      // names in line directives have to be absolute: release.Compiler.JoinsLineNames
}

// An Overlay is what `go build -overlay` reads.
type Overlay struct {
	Replace map[string]string
}

// ReadOverlay reads an overlay of the user's and makes its file names absolute; those that
// are not are relative to dir, where the go command runs.
func ReadOverlay(name, dir string) (*Overlay, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	o := new(Overlay)
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("overlay %s: %w", name, err)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	absolute := func(file string) string {
		if file == "" {
			return file // "" deletes
		}
		if filepath.IsAbs(file) {
			return filepath.Clean(file)
		}
		return filepath.Join(dir, file)
	}
	abs := &Overlay{Replace: make(map[string]string, len(o.Replace))}
	for file, replacement := range o.Replace {
		abs.Replace[absolute(file)] = absolute(replacement)
	}
	return abs, nil
}

// Source returns the contents of a file, from the overlay, which may be nil, or from disk.
func (o *Overlay) Source(name string) ([]byte, error) {
	if o != nil {
		if replacement, ok := o.Replace[name]; ok {
			name = replacement
		}
	}
	return os.ReadFile(name)
}

// RuntimeImports returns the import paths of the packages that the runtime imports.
func RuntimeImports(goos, goarch string) ([]string, error) {
	sources, err := rt.Source(goos, goarch)
	if err != nil {
		return nil, err
	}
	var paths []string
	for name, src := range sources {
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// Write writes the rewritten files and the runtime to dir and returns the name of an overlay
// for them.
func Write(dir string, tc Toolchain, s Sources) (string, error) {
	w := &writer{dir: dir, goroot: tc.GOROOT, overlay: Overlay{Replace: make(map[string]string)}, names: make(map[string]int)}
	if !s.Trimpath { // what follows knows dir only
		w.keep = s.Keep
	}
	if s.User != nil {
		for name, replacement := range s.User.Replace {
			w.overlay.Replace[name] = replacement
		}
	}
	files, err := w.moveModules(s)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		if s.NameWhole && filepath.Ext(name) == ".go" {
			data = NameWhole(data, filepath.Dir(name))
		}
		if s.Trimpath && filepath.Ext(name) == ".go" && strings.HasPrefix(dir, filepath.Dir(name)+string(filepath.Separator)) {
			// The go command would take our folder, beneath that of the package, for part of
			// it, and keep its name in the build cache.
			data = named(data, name)
		}
		if err := w.add(name, data); err != nil {
			return "", err
		}
	}
	if s.Hooks != nil {
		for _, name := range slices.Sorted(maps.Keys(s.Hooks.Files)) {
			if err := w.add(name, s.Hooks.Files[name]); err != nil {
				return "", err
			}
		}
	}
	runtime, err := rt.Source(tc.GOOS, tc.GOARCH, s.Hooks.tags()...)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(runtime)) {
		if err := w.add(filepath.Join(tc.GOROOT, "src", filepath.FromSlash(name)), runtime[name]); err != nil {
			return "", err
		}
	}
	data, err := json.MarshalIndent(w.overlay, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}

// Add adds files that nothing is beneath to an overlay that Write has written.
func Add(overlay string, files map[string][]byte) error {
	data, err := os.ReadFile(overlay)
	if err != nil {
		return err
	}
	w := &writer{dir: filepath.Join(filepath.Dir(overlay), "added"), names: make(map[string]int)}
	if err := json.Unmarshal(data, &w.overlay); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.add(name, files[name]); err != nil {
			return err
		}
	}
	if data, err = json.MarshalIndent(w.overlay, "", "\t"); err != nil {
		return err
	}
	return os.WriteFile(overlay, data, 0o666)
}

// A writer writes files and notes in an overlay what they replace.
type writer struct {
	dir     string
	goroot  string
	overlay Overlay
	keep    func(base string, data []byte) (file string, ok bool) // as in Sources
	names   map[string]int                                        // files so far, by name in lower case: some systems ignore case
	folders int
}

func (w *writer) add(original string, data []byte) error {
	base := filepath.Base(original)
	if filepath.Ext(base) == ".go" && strings.HasPrefix(original, w.goroot+string(filepath.Separator)) {
		data = tied(data, w.goroot)
	}
	if w.keep != nil {
		if file, ok := w.keep(base, data); ok {
			w.overlay.Replace[original] = file
			return nil
		}
	}
	name := strings.ToLower(base)
	if w.names[name]++; w.names[name] > w.folders { // files of different packages may have one name
		w.folders++
		if err := os.MkdirAll(w.folder(w.folders), 0o777); err != nil {
			return err
		}
	}
	file := filepath.Join(w.folder(w.names[name]), base)
	w.overlay.Replace[original] = file
	return os.WriteFile(file, data, 0o666)
}

// tied returns a file of the standard library with the name of GOROOT at its end. The compiler is told of files in an overlay by
// their whole names, and puts them into what it compiles; but the go command takes a package of the standard library that is
// in the build cache for one of this GOROOT whichever it was compiled in, if only the contents of its files are the same.
func tied(data []byte, goroot string) []byte {
	return fmt.Appendf(slices.Clip(data), "\n// %s\n", strconv.Quote(goroot))
}

func (w *writer) folder(i int) string { return filepath.Join(w.dir, fmt.Sprintf("src%04d", i)) }
