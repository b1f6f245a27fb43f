package coverprofile

import (
	"cmp"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A divider knows how Go divides the files of a profile. It goes by their path tables, and where these do not say, by
// the cover tool.
type divider struct {
	profile *profile.Profile
	known   map[string]*profile.Package // by import path
	tool    Tool
}

func newDivider(p *profile.Profile, tool Tool) *divider {
	d := &divider{profile: p, known: make(map[string]*profile.Package), tool: tool}
	for _, pkg := range p.Packages {
		d.known[pkg.Path] = pkg
	}
	return d
}

// extents returns the extents of a file, in any order.
func (d *divider) extents(pkg *Package, f File) ([]Extent, error) {
	if s := d.table(pkg, f); s != nil {
		return d.carried(pkg, f, s)
	}
	return d.tool.Extents(pkg.Path, pkg.Local, f)
}

// table returns what the path table of a package has of a file, nil if it does not have the extents.
func (d *divider) table(pkg *Package, f File) *table.Source {
	known := d.known[pkg.Path]
	if known == nil || !known.Covered {
		return nil
	}
	i := slices.IndexFunc(known.Sources, func(s table.Source) bool { return path.Base(s.File) == filepath.Base(f.Name) })
	if i < 0 {
		return nil
	}
	return &known.Sources[i]
}

// carried returns the extents that a path table has of a file, by the places of their counters.
func (d *divider) carried(pkg *Package, f File, s *table.Source) (list []Extent, err error) {
	extents, err := s.Decode()
	if err != nil {
		return nil, err
	}
	for _, e := range extents {
		name := f.Name
		if !pkg.Local {
			name = extentFile(d.profile, d.known[pkg.Path], s, e.Name)
		}
		list = append(list, NewExtent(name, e))
	}
	return list, nil
}

// NewExtent returns an extent of a path table, in a file as profiles name it.
func NewExtent(file string, e table.Extent) Extent {
	return Extent{
		File:      file,
		StartLine: e.StartLine, StartCol: e.StartCol, EndLine: e.EndLine, EndCol: e.EndCol, Stmts: e.Stmts,
		at: position{e.Line, e.Col},
	}
}

// extentFile returns what profiles call the file of an extent: by import path and base name. If there is no import path it is
// the file's own name, where it was when it was built.
func extentFile(p *profile.Profile, pkg *profile.Package, s *table.Source, name int) string {
	switch {
	case pkg.Path == profile.FilesPackage:
		switch root := p.BuildRoot; {
		case root == "":
			return s.File
		case pkg.IsOutside(s.File):
			return filepath.Join(root, path.Base(s.File))
		default:
			return filepath.Join(root, filepath.FromSlash(s.File))
		}
	case name > 0:
		return path.Join(pkg.Path, s.Names[name-1])
	}
	return path.Join(pkg.Path, path.Base(s.File))
}

// A fileResult is what is said of a file.
type fileResult[T any] struct {
	pkg    *Package
	file   File
	answer T
}

// eachFile asks about all files of a plan, several at a time, since most answers are a process. It returns the answers
// in the order of the plan.
func eachFile[T any](plan *Plan, ask func(pkg *Package, f File) (T, error)) ([]fileResult[T], error) {
	var results []fileResult[T]
	for i := range plan.Packages {
		p := &plan.Packages[i]
		for _, f := range p.Files {
			results = append(results, fileResult[T]{pkg: p, file: f})
		}
	}
	errs := make([]error, len(results))
	limit := make(chan bool, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range results {
		limit <- true
		wg.Go(func() {
			defer func() { <-limit }()
			r := &results[i]
			r.answer, errs[i] = ask(r.pkg, r.file)
		})
	}
	wg.Wait()
	return results, cmp.Or(errs...)
}
