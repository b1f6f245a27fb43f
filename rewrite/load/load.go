// Package load finds the packages of a build and reads those that are to be
// instrumented, with what is needed to type-check them.
//
// It works in two steps, both through go/packages and so under the flags, tags and
// environment of the go command that is wrapped. The first lists the packages of the
// build without compiling anything. The second asks for the export data of the
// packages that the chosen ones import, which the build needs compiled
// anyway, for the most part.
package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// Config says what the wrapped go command builds.
type Config struct {
	Dir        string   // where it runs; "" is the current directory
	BuildFlags []string // its build flags that decide which packages and files are built
	Patterns   []string // its package arguments
	Tests      bool     // it builds tests

	// Select reports whether a package of the build is to be instrumented.
	Select func(p *packages.Package) bool

	ModCache string // GOMODCACHE, where the go command accepts no overlay

	// Source returns the contents of a file, from the user's overlay or from disk.
	Source func(file string) ([]byte, error)
}

// Package is a package to be instrumented.
type Package struct {
	Path      string
	Dir       string
	Module    *packages.Module // nil in the standard library
	GoVersion string           // language version such as "go1.26", or ""
	Files     []*File
	Declined  string // why the package as a whole cannot be instrumented, or ""

	imports map[string]string // import path in the source → package path
}

// File is a Go source file that is part of a package's ordinary build, not of its tests.
type File struct {
	Name   string // absolute
	Src    []byte
	Syntax *ast.File
}

// Build is what a go command builds.
type Build struct {
	Packages []*Package // selected, sorted by path
	Broken   bool       // the go command will report errors
	fset     *token.FileSet
	exports  map[string]string // package path → file with export data
}

const listMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedModule | packages.NeedForTest

// Load lists the packages of the build and reads the selected ones. Packages
// with errors are not among them: the go command is left to report those.
func Load(c Config) (*Build, error) {
	listed, err := c.list(listMode, c.Tests, c.Patterns)
	if err != nil {
		return nil, err
	}
	b := &Build{fset: token.NewFileSet(), exports: make(map[string]string)}
	closure := runtimeClosure(listed)
	chosen := make(map[string]*packages.Package)
	packages.Visit(listed, nil, func(p *packages.Package) {
		if len(p.Errors) > 0 {
			b.Broken = true
			return
		}
		if p.ID == p.PkgPath && len(p.GoFiles) > 0 && !isTestMain(p) && c.Select(p) {
			chosen[p.PkgPath] = p
		}
	})
	for _, p := range chosen {
		pkg, err := b.read(p, c.Source)
		if err != nil {
			b.Broken = true // a file that cannot be read or parsed
			continue
		}
		switch {
		case pkg.usesCgo():
			pkg.Declined = `imports "C"`
		case closure[pkg.Path]:
			pkg.Declined = "part of what the Go runtime is made of"
		case pkg.Module != nil && c.ModCache != "" && strings.HasPrefix(pkg.Dir, c.ModCache+string(os.PathSeparator)):
			pkg.Declined = "in the module cache, where the go command accepts no changed files"
		}
		b.Packages = append(b.Packages, pkg)
	}
	sort.Slice(b.Packages, func(i, j int) bool { return b.Packages[i].Path < b.Packages[j].Path })
	return b, b.loadExports(c)
}

// isTestMain reports whether p is the main package that go test generates, into the build
// cache, where file names have no extension.
func isTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test") && filepath.Ext(p.GoFiles[0]) != ".go"
}

func (c Config) list(mode packages.LoadMode, tests bool, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode:       mode,
		Dir:        c.Dir,
		BuildFlags: c.BuildFlags,
		Tests:      tests,
	}
	listed, err := packages.Load(cfg, patterns...)
	if err != nil {
		// The driver's error is that of the go command, over several lines.
		return nil, fmt.Errorf("cannot list packages: %s", strings.TrimPrefix(err.Error(), "err: "))
	}
	return listed, nil
}

func (b *Build) read(p *packages.Package, source func(string) ([]byte, error)) (*Package, error) {
	pkg := &Package{Path: p.PkgPath, Dir: p.Dir, Module: p.Module, imports: make(map[string]string)}
	if m := p.Module; m != nil && m.GoVersion != "" {
		pkg.GoVersion = "go" + m.GoVersion
	}
	for path, imported := range p.Imports {
		pkg.imports[path] = imported.PkgPath
	}
	for _, name := range p.GoFiles {
		src, err := source(name)
		if err != nil {
			return nil, err
		}
		syntax, err := parser.ParseFile(b.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg.Files = append(pkg.Files, &File{Name: name, Src: src, Syntax: syntax})
	}
	return pkg, nil
}

// usesCgo reports whether a file of the package imports "C".
func (p *Package) usesCgo() bool {
	for _, f := range p.Files {
		for _, spec := range f.Syntax.Imports {
			if spec.Path.Value == `"C"` {
				return true
			}
		}
	}
	return false
}

// runtimeClosure returns the packages that the runtime of goprofinstr needs itself, and which
// therefore cannot import it: package runtime and all that it imports. (What goprofinstr/rt
// imports besides is among these on Linux.)
func runtimeClosure(listed []*packages.Package) map[string]bool {
	closure := make(map[string]bool)
	var add func(p *packages.Package)
	add = func(p *packages.Package) {
		if closure[p.PkgPath] {
			return
		}
		closure[p.PkgPath] = true
		for _, imported := range p.Imports {
			add(imported)
		}
	}
	packages.Visit(listed, nil, func(p *packages.Package) {
		if p.PkgPath == "runtime" && p.ID == p.PkgPath || p.PkgPath == "unsafe" {
			add(p)
		}
	})
	return closure
}

// loadExports finds the export data of all packages that selected ones import.
func (b *Build) loadExports(c Config) error {
	var paths []string
	for _, p := range b.Packages {
		if p.Declined != "" {
			continue
		}
		for _, path := range p.imports {
			if path != "unsafe" && path != "C" {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if len(paths) == 0 {
		return nil
	}
	listed, err := c.list(packages.NeedName|packages.NeedExportFile, false, paths)
	if err != nil {
		return err
	}
	for _, p := range listed {
		if p.ExportFile != "" {
			b.exports[p.PkgPath] = p.ExportFile
		}
	}
	return nil
}

// Fset returns the file set of all files.
func (b *Build) Fset() *token.FileSet { return b.fset }

// Importer returns an importer for the type-checking of p. Each package has its own types,
// so that packages can be checked in any order and at the same time.
func (b *Build) Importer(p *Package) types.Importer {
	return &importer{build: b, pkg: p, loaded: make(map[string]*types.Package)}
}

type importer struct {
	build  *Build
	pkg    *Package
	loaded map[string]*types.Package
}

func (i *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if resolved, ok := i.pkg.imports[path]; ok {
		path = resolved
	}
	if p := i.loaded[path]; p != nil && p.Complete() {
		return p, nil
	}
	file, ok := i.build.exports[path]
	if !ok {
		return nil, fmt.Errorf("no export data for %s", path)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readExport(f, i.build.fset, i.loaded, path)
}

func readExport(f io.Reader, fset *token.FileSet, loaded map[string]*types.Package, path string) (*types.Package, error) {
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", path, err)
	}
	p, err := gcexportdata.Read(r, fset, loaded, path)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", path, err)
	}
	return p, nil
}
