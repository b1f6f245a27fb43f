package coverprofile

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// carried returns the extents that the path table of a package has of its files, of those with the given base
// names or, if there are none, of all. It
// is false if the table does not have them.
func carried(p *profile.Profile, pkg *profile.Package, bases []string) (list []fileExtent, ok bool, err error) {
	if pkg == nil || !pkg.Covered {
		return nil, false, nil
	}
	found := 0
	for i := range pkg.Sources {
		s := &pkg.Sources[i]
		base := path.Base(s.File)
		if bases != nil && !slices.Contains(bases, base) {
			continue
		}
		found++
		extents, err := s.Decode()
		if err != nil {
			return nil, false, err
		}
		for _, e := range extents {
			list = append(list, fileExtent{NewExtent(extentFile(p, pkg, s, e.Name), e), base})
		}
	}
	return list, bases == nil || found == len(bases), nil
}

// NewExtent returns an extent of a path table, in a file as profiles name it.
func NewExtent(file string, e table.Extent) Extent {
	return Extent{
		File:      file,
		StartLine: e.StartLine, StartCol: e.StartCol, EndLine: e.EndLine, EndCol: e.EndCol, Stmts: e.Stmts,
		at: position{e.Line, e.Col},
	}
}

// extentFile returns what profiles call the file of an extent: by import path and base name, or if there is no import path by
// its own name, where it was when it was built.
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
