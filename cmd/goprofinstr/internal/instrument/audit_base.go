package instrument

import (
	"errors"
	"fmt"
	"go/build"
	"go/types"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/auditbase"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// findBase finds the commit that the functions of a build are compared with, and leaves the packages that have changed
// since.
func (o *AuditOptions) findBase(s *session) (*auditbase.Base, error) {
	at := root(s.build)
	if at == "" {
		return nil, errors.New("-base: the command builds no package of the main module")
	}
	b, err := auditbase.Find(at, o.Base, s.buildContext())
	if err != nil {
		return nil, err
	}
	s.build.Packages = slices.DeleteFunc(s.build.Packages, func(p *load.Package) bool { return p.TestFiles })
	all := s.build.Packages
	if err := b.Choose(s.build); err != nil {
		return nil, err
	}
	return b, o.checkNames(all, b, s.tc.Workspace() != "")
}

// checkNames returns an error if no function of some packages has one of the names that the user gives, neither at the base nor
// now. A gate for a name that is not right would pass whatever changes.
func (o *AuditOptions) checkNames(all []*load.Package, b *auditbase.Base, workspace bool) error {
	missing := slices.Clone(o.Functions)
	found := func(path string, functions []string) {
		missing = slices.DeleteFunc(missing, func(text string) bool {
			return slices.ContainsFunc(functions, func(name string) bool { return names(text, path, name) })
		})
	}
	for _, p := range all {
		if len(missing) == 0 {
			return nil // and nothing else is parsed
		}
		functions, err := b.Functions(p)
		if err != nil {
			return err
		}
		found(p.Path, functions)
	}
	if len(missing) == 0 {
		return nil
	}
	deleted, err := b.Deleted(workspace)
	if err != nil {
		return err
	}
	for path, functions := range deleted {
		found(path, functions)
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("-func %s: the command builds no such function, and there was none at the base; "+
		"want names like Parse, json.Parse or (*Decoder).Decode", missing[0])
}

// buildContext returns what decides which files the go command builds.
func (s *session) buildContext() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH = s.tc.GOOS, s.tc.GOARCH
	c.ReleaseTags = s.tc.ReleaseTags(c.ReleaseTags) // the default has those of the release that goprofinstr was built with
	tags, _ := s.tc.Lookup(s.cmd, "tags")
	c.BuildTags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
	for _, flag := range []string{"race", "msan", "asan"} {
		if s.tc.Is(s.cmd, flag) {
			c.BuildTags = append(c.BuildTags, flag)
		}
	}
	return c
}

// pair gives the packages of a build the functions of the base.
func (o *AuditOptions) pair(s *session, b *auditbase.Base) (*auditbase.Target, error) {
	for _, p := range s.build.Packages {
		if err := p.Parse(); err != nil {
			return nil, err
		}
	}
	return b.Pair(s.build, types.SizesFor("gc", s.tc.GOARCH), o.Copies, func(path, name string) bool {
		return len(o.Functions) == 0 || slices.ContainsFunc(o.Functions, func(text string) bool { return names(text, path, name) })
	})
}

// addCopies adds the files of the base that have no dispatcher in them, which the compiler needs all the same.
func addCopies(files map[string][]byte, s *session, t *auditbase.Target) {
	for _, p := range s.build.Packages {
		for _, f := range p.Files {
			if name := s.tc.Name(f.Name); slices.Contains(t.Added, f.Name) && files[name] == nil {
				files[name] = f.Src
			}
		}
	}
}
