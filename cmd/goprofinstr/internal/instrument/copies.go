package instrument

import (
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/linker"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// What counting copies need besides other ways of counting.

// Records returns the folder of records for the linker's wrapper, in the folder of a wrap.
func Records(work string) string { return filepath.Join(work, "copies") }

// addCopies adds the hooks for copies. A user who asks for copies gets nothing else where they cannot be had.
func (s *session) addCopies(hooks *target.Hooks, o Options) error {
	if !o.Counting.Labels() || hooks.Has(target.Copies) {
		return nil
	}
	if missing := hooks.AddCopies(s.tc.Target(), s.user.Source); len(missing) > 0 {
		return usage.Errorf("no counting copies with %s: %v", s.tc.GOVERSION, missing[0])
	}
	mistakes, err := s.tc.Try(s.cmd, s.user, hooks)
	if err == nil && mistakes != "" {
		err = usage.Errorf("no counting copies with %s: %s", s.tc.GOVERSION, target.Mistake(mistakes))
	}
	return err
}

// place leaves the linker that places text for the linker's wrapper. Without it code lies at other places than in the plain
// program. Only those who want to know more are told why it is missing.
func (s *session) place(hooks *target.Hooks, o Options) error {
	if !o.Counting.Labels() {
		return nil
	}
	var packages []string
	src := filepath.Join(s.tc.GOROOT, "src")
	for name := range hooks.Files {
		if rel, err := filepath.Rel(src, filepath.Dir(name)); err == nil {
			packages = append(packages, filepath.ToSlash(rel))
		}
	}
	slices.Sort(packages)
	return linker.Make(Records(s.work), s.tc, s.store, slices.Compact(packages), s.cmd.LoadFlags())
}

// record writes the record of a package, if it has one.
func (s *session) record(r *link.Record) error {
	if r == nil {
		return nil
	}
	for _, p := range s.build.Packages {
		if p.ID == r.ID {
			r.Translated = p.Translated()
		}
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
