package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// CompileWith has LoadExports compile with the files of an overlay, which must not change what packages export.
func (b *Build) CompileWith(overlay string) {
	b.config.BuildFlags = append(slices.Clip(b.config.BuildFlags), "-overlay="+overlay)
}

// LoadExports finds the export data of all that the given packages import. It also finds that of what others import, as far as
// there is a pattern for it.
func (b *Build) LoadExports(pkgs []*Package, others []*packages.Package) error {
	c := b.config
	ids := b.unknown(Imports(pkgs, nil))
	if slices.ContainsFunc(ids, IsRecompiled) {
		// There is no pattern for what is recompiled for a test but those of the build itself.
		everything := packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile
		listed, err := c.list(everything, true, c.Patterns)
		if err != nil {
			return err
		}
		packages.Visit(listed, nil, func(p *packages.Package) { b.SetExport(p.ID, p.ExportFile) })
	}
	return b.LoadExportsOf(Imports(pkgs, others))
}

// LoadExportsOf finds the export data of packages by their IDs, but of what is recompiled for a test.
func (b *Build) LoadExportsOf(ids []string) error {
	ids = slices.DeleteFunc(b.unknown(ids), IsRecompiled)
	if len(ids) == 0 {
		return nil
	}
	listed, err := b.config.list(packages.NeedName|packages.NeedExportFile, false, ids)
	if err != nil {
		return err
	}
	for _, p := range listed {
		b.SetExport(p.ID, p.ExportFile)
	}
	return nil
}

// IsRecompiled reports whether an ID is that of a package that is recompiled for a test.
func IsRecompiled(id string) bool { return id != pathOf(id) }

// Imports returns the IDs of what packages import and has export data, sorted.
func Imports(pkgs []*Package, others []*packages.Package) []string {
	ids := make(map[string]bool)
	for _, p := range pkgs {
		if p.Declined == "" {
			for _, id := range p.imports {
				ids[id] = true
			}
		}
	}
	for _, p := range others {
		for _, imported := range p.Imports {
			ids[imported.ID] = true
		}
	}
	delete(ids, "unsafe")
	delete(ids, "C")
	return slices.Sorted(maps.Keys(ids))
}

// unknown returns those of ids whose export data has not been found.
func (b *Build) unknown(ids []string) (list []string) {
	for _, id := range ids {
		if b.Export(id) == "" {
			list = append(list, id)
		}
	}
	return list
}

// exports are the files with export data, by package ID. Several goroutines find some.
type exports struct {
	mu    sync.Mutex
	files map[string]string
}

// Export returns the file with the export data of a package, or "" if it has not been found.
func (b *Build) Export(id string) string {
	b.exports.mu.Lock()
	defer b.exports.mu.Unlock()
	return b.exports.files[id]
}

// SetExport sets the file with the export data of a package, for LoadExports not to look for it.
func (b *Build) SetExport(id, file string) {
	if file != "" {
		b.exports.mu.Lock()
		defer b.exports.mu.Unlock()
		b.exports.files[id] = file
	}
}

// pathOf returns the import path of a package ID.
func pathOf(id string) string {
	path, _, _ := strings.Cut(id, " ")
	return path
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic("BUG: the parser accepted import " + spec.Path.Value)
	}
	return path
}

// Importer returns an importer for the type-checking of p. Each package has its own types. So packages can be checked
// in any order and at the same time, and the memory of one is free when it is done.
func (b *Build) Importer(p *Package) types.Importer {
	return &importer{build: b, pkg: p, loaded: make(map[string]*types.Package)}
}

type importer struct {
	build  *Build
	pkg    *Package
	loaded map[string]*types.Package // by path: of what is recompiled for a test, p sees that only
}

func (i *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	id := path
	if resolved, ok := i.pkg.imports[path]; ok {
		id, path = resolved, pathOf(resolved)
	}
	if p := i.loaded[path]; p != nil && p.Complete() {
		return p, nil
	}
	file := i.build.Export(id)
	if file == "" {
		return nil, fmt.Errorf("no export data for %s", id)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readExport(f, i.pkg.Fset, i.loaded, path)
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
