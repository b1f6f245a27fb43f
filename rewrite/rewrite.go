package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Options say how paths are counted.
type Options struct {
	Atomic bool // counts lose nothing under concurrency
	Sizes  types.Sizes
}

// Package is a rewritten package.
type Package struct {
	Table *table.Package
	Files map[string][]byte // rewritten source by absolute file name; files not in it stay as they are
}

// Rewrite instruments a package of a build. A package that cannot be instrumented
// as a whole comes back with every function declined.
func Rewrite(b *load.Build, p *load.Package, o Options) (*Package, error) {
	if p.Declined != "" {
		return decline(b, p, p.Declined), nil
	}
	in := ssacfg.Input{
		Path:      p.Path,
		Fset:      b.Fset(),
		Importer:  b.Importer(p),
		GoVersion: p.GoVersion,
		Sizes:     o.Sizes,
	}
	for _, f := range p.Files {
		in.Files = append(in.Files, f.Syntax)
	}
	funcs, err := ssacfg.Analyze(in)
	if err != nil {
		return decline(b, p, err.Error()), nil
	}
	return emitPackage(b.Fset(), p, funcs, o)
}

// emitPackage plans and writes the code of a package.
func emitPackage(fset *token.FileSet, p *load.Package, funcs []*ssacfg.Func, o Options) (*Package, error) {
	var sources [][]byte
	for _, f := range p.Files {
		sources = append(sources, f.Src)
	}
	em := &emitter{names: newNames(sources), atomic: o.Atomic}
	out := &Package{Table: &table.Package{Path: p.Path}, Files: make(map[string][]byte)}

	var pl planner
	fileEdits := make(map[*ast.File]*edits)
	for _, fn := range funcs {
		var plan *plan
		if fn.Declined == "" {
			plan = pl.plan(fn)
			if fileEdits[fn.File] == nil {
				fileEdits[fn.File] = &edits{file: fset.File(fn.File.Pos())}
			}
			em.function(fileEdits[fn.File], plan)
		}
		name := fset.File(fn.File.Pos()).Name()
		out.Table.Functions = append(out.Table.Functions, describe(fset, p.Path, displayName(p, name), fn, plan))
	}
	if len(fileEdits) == 0 {
		return out, nil
	}
	out.Table.Counters = pl.counters
	tab, err := out.Table.Encode()
	if err != nil {
		return nil, err
	}
	registration := em.registration(p.Path, tab, pl.counters, pl.hashes)
	for _, f := range p.Files {
		if e := fileEdits[f.Syntax]; e != nil {
			em.header(e, f.Syntax)
			out.Files[f.Name] = append(e.apply(f.Src), em.trailer(registration)...)
			registration = ""
		}
	}
	return out, nil
}

// decline returns the package as it is, with its functions listed as declined.
func decline(b *load.Build, p *load.Package, reason string) *Package {
	out := &Package{Table: &table.Package{Path: p.Path}}
	var marks mark.Package
	for _, f := range p.Files {
		for _, fn := range marks.File(f.Syntax).Funcs {
			d := &ssacfg.Func{Func: fn, Declined: reason}
			out.Table.Functions = append(out.Table.Functions, describe(b.Fset(), p.Path, displayName(p, f.Name), d, nil))
		}
	}
	return out
}

// displayName returns the name of a file as reports show it: relative to the main
// module's root, or the import path plus base name outside the main module.
func displayName(p *load.Package, file string) string {
	if p.Module != nil && p.Module.Main {
		if rel, err := filepath.Rel(p.Module.Dir, file); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(p.Path, filepath.Base(file))
}
