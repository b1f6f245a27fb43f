package instrument

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// What counting copies need besides other ways of counting.

// Records returns the folder of records for the linker's wrapper, in the folder of a wrap.
func Records(work string) string { return filepath.Join(work, "copies") }

// takesCopies returns an error if the user asks for counting copies of a program that cannot have them.
func (s *session) takesCopies(o Options) error {
	if !o.Counting.Labels() {
		return nil
	}
	std := filepath.Join(s.tc.GOROOT, "src") + string(filepath.Separator)
	for _, p := range s.build.All {
		if len(p.GoFiles) > 0 && strings.HasPrefix(p.GoFiles[0], std) && !slices.Contains(stdWithC, p.PkgPath) {
			continue
		}
		for _, name := range p.GoFiles {
			if src, err := s.user.Source(name); err == nil && load.UsesC(name, src) {
				return usage.Errorf("no counting copies: the program has C code, in package %s; "+
					"set CGO_ENABLED=0, or leave -backend copy out",
					p.PkgPath)
			}
		}
	}
	return nil
}

// stdWithC are the packages of the standard library that have C code, if CGO_ENABLED allows it.
var stdWithC = []string{"net", "os/user", "plugin", "runtime/cgo"}

// addCopies adds the hooks for copies.
func (s *session) addCopies(hooks *target.Hooks, o Options) error {
	if !o.Counting.Labels() || hooks.Has(target.Copies) {
		return nil
	}
	if missing := hooks.AddCopies(s.tc.Target(), s.user.Source); len(missing) > 0 {
		return usage.Errorf("no counting copies with %s: %v", s.tc.GOVERSION, missing[0])
	}
	return nil
}

// record writes the record of a package, if it has one.
func (s *session) record(r *link.Record) error {
	if r == nil {
		return nil
	}
	if s.user != nil {
		for _, f := range r.Table.Files {
			if other, ok := s.user.Replace[f.Name]; ok {
				if r.Sources == nil {
					r.Sources = make(map[string]string)
				}
				r.Sources[f.Name] = other
			}
		}
	}
	return link.Write(Records(s.work), r)
}
