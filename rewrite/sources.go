package rewrite

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/extents"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// What a program carries of its sources.

// newTable returns the table of a package that has been parsed, without functions.
func (o *Options) newTable(p *load.Package) *table.Package {
	t := &table.Package{Path: p.ID, Sized: true, Covered: o.Covered}
	for _, f := range p.Files {
		s := table.Source{File: displayName(p, f.Name), Sum: table.SumOf(f.Src)}
		if o.Covered && !p.TestFiles {
			list, names := extents.Of(p.Fset, f.Syntax, f.Src, o.SplitAtGaps)
			s.Names, s.Extents = names, table.AppendExtents(nil, list)
		}
		t.Sources = append(t.Sources, s)
	}
	slices.SortFunc(t.Sources, func(a, b table.Source) int { return cmp.Compare(a.File, b.File) })
	return t
}

// root returns what a program is told of where the files of a package were, "" if it is nothing. Go files on the command
// line that are in no module are in the folder of the package.
func (o *Options) root(p *load.Package) string {
	switch {
	case !o.Rooted:
		return ""
	case p.Root == "" && p.Path == load.FilesPackage:
		return p.Dir
	}
	return p.Root
}
