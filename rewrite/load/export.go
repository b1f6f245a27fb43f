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

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// LoadExports finds the export data of all that the given packages import, and that of what others import as far as there is a pattern for it.
func (b *Build) LoadExports(pkgs []*Package, others []*packages.Package) error {
	c := b.config
	imported := make(map[string]bool)
	for _, p := range pkgs {
		if p.Declined != "" {
			continue
		}
		for _, id := range p.imports {
			imported[id] = true
		}
	}
	variants := slices.ContainsFunc(slices.Collect(maps.Keys(imported)), func(id string) bool { return id != pathOf(id) })
	for _, p := range others {
		for _, q := range p.Imports {
			imported[q.ID] = true
		}
	}
	delete(imported, "unsafe")
	delete(imported, "C")
	ids := slices.Sorted(maps.Keys(imported))
	if variants {
		// There is no pattern for what is recompiled for a test but those of the build itself.
		everything := packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile
		listed, err := c.list(everything, true, c.Patterns)
		if err != nil {
			return err
		}
		packages.Visit(listed, nil, b.addExport)
		ids = slices.DeleteFunc(ids, func(id string) bool { return b.exports[id] != "" })
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id != pathOf(id) })
	if len(ids) == 0 {
		return nil
	}
	listed, err := c.list(packages.NeedName|packages.NeedExportFile, false, ids)
	if err != nil {
		return err
	}
	for _, p := range listed {
		b.addExport(p)
	}
	return nil
}

func (b *Build) addExport(p *packages.Package) {
	if p.ExportFile != "" {
		b.exports[p.ID] = p.ExportFile
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

// Importer returns an importer for the type-checking of p. Each package has its own types,
// so that packages can be checked in any order and at the same time, and the memory of one is free when it is done.
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
	file, ok := i.build.exports[id]
	if !ok {
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
