package instrument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// A selection decides which packages of a build are instrumented, and notes which of the user's patterns select any.
type selection struct {
	texts    []string // of the patterns
	patterns []pattern
	covered  map[string]bool // import paths of packages to select besides
	inStd    bool            // the main module is that of the standard library
	any      bool            // package is selected
	loaded   bool            // is what the go command was asked for, or some of it
}

// A pattern is one of -pkg.
type pattern struct {
	text  string
	match func(load.Subject) bool
	used  bool
}

// newSelection returns the selection of o for a go command that runs in folder dir.
func newSelection(o Options, inStd bool, dir string) (*selection, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &selection{texts: o.Patterns, covered: o.Covered, inStd: inStd}
	for _, text := range o.Patterns {
		s.patterns = append(s.patterns, pattern{text: text, match: load.Match(text, dir)})
	}
	return s, nil
}

// has reports whether a package is instrumented.
func (s *selection) has(p *packages.Package) bool {
	chosen := s.covered[p.PkgPath]
	if len(s.patterns) == 0 {
		chosen = chosen || s.isMain(p)
	}
	for i := range s.patterns {
		if s.patterns[i].match(load.SubjectOf(p)) {
			s.patterns[i].used, chosen = true, true
		}
	}
	s.any = s.any || chosen
	return chosen
}

// isMain reports whether a package is of the main module.
func (s *selection) isMain(p *packages.Package) bool {
	if s.inStd && p.PkgPath != load.FilesPackage {
		return p.Module == nil
	}
	return load.InMain(p)
}

// check returns an error if none of the user's patterns matches a package of the build. What the go command cannot
// load it tells the user itself.
func (s *selection) check(b *load.Build) error {
	used := slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.used })
	s.loaded = slices.ContainsFunc(b.Roots, func(p *packages.Package) bool { return len(p.Errors) == 0 })
	if len(s.patterns) > 0 && !used && s.loaded {
		return usage.Errorf("-pkg %s: matches no package of this build; want import paths, as in example.com/m/..., "+
			"or folders, as in ./...",
			strings.Join(s.texts, ","))
	}
	return nil
}

// warnings returns what the user may not expect: patterns that match nothing, in the words of the go command about
// those of -coverpkg, or a build without packages to instrument.
func (s *selection) warnings() (list []string) {
	for _, p := range s.patterns {
		if !p.used {
			list = append(list, fmt.Sprintf("-pkg: no packages being built depend on matches for pattern %s", p.text))
		}
	}
	if !s.any && s.loaded {
		list = append(list, "nothing is instrumented: no package of the main module is in this build; "+
			"choose others with -pkg")
	}
	return list
}
