package instrument

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/keepinline"
	"github.com/goprofinstr/goprofinstr/rewrite/clone"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// A pgoAudit is the audit of what a PGO profile makes of functions: each is compiled twice, and the profile's edges
// of the calls that it makes are given to its clone. The other functions of the main module and of packages that
// audited functions call are compiled with the profile, so that hot thresholds and the bodies of callees are as
// they would be.
type pgoAudit struct {
	user    *keepinline.UserFlags
	build   *load.Build
	file    string
	edges   []inline.Edge
	callers map[string]bool // packages with audited functions
	callees map[string]bool // symbols that these call
	clones  map[string]bool // by import path and name
}

// pgo gives the functions that o names clones, and returns the flags for the go command and the clones.
func (o *AuditOptions) pgo(s *session) (gcflags []string, clones map[string]bool, err error) {
	if value, ok := s.tc.Lookup(s.cmd, "pgo"); ok && value != "off" {
		return nil, nil, fmt.Errorf("-pgo=%s of the go command: all is compiled with audit's -pgo; leave one of them out", value)
	}
	user, err := keepinline.ReadUserFlags(s.cmd, s.tc, s.build)
	if err != nil {
		return nil, nil, err
	}
	a := &pgoAudit{user: user, build: s.build, file: o.PGO, callers: make(map[string]bool), callees: make(map[string]bool),
		clones: make(map[string]bool)}
	if a.edges, err = keepinline.ReadProfile(s.tc, s.work, o.PGO); err != nil {
		return nil, nil, fmt.Errorf("-pgo: %v", err)
	}
	for _, f := range o.Functions {
		if err := a.clone(f); err != nil {
			return nil, nil, err
		}
	}
	gcflags, err = a.flags()
	return gcflags, a.clones, err
}

// clone gives the functions of a name clones, and these the edges.
func (a *pgoAudit) clone(function string) error {
	found := false
	for _, p := range a.build.Packages {
		for _, f := range p.Files {
			for _, name := range clone.Functions(f.Src) {
				if !names(function, p.Path, name) {
					continue
				}
				found = true
				if p.Declined != "" {
					return fmt.Errorf("%s cannot be audited: %s", p.Path, p.Declined)
				}
				c, err := clone.Add(f.Name, f.Src, name, sources(p))
				if err != nil {
					return err
				}
				f.Src = c.Source
				a.clones[p.Path+"."+c.Name] = true
				if !a.rename(p, c) {
					return fmt.Errorf("-pgo %s: it has no call that %s.%s makes; a CPU profile of a longer run may",
						a.file, p.Path, name)
				}
			}
		}
	}
	if !found {
		return fmt.Errorf("-func %s: there is no such function in the packages of the main module, or of -pkg", function)
	}
	return nil
}

// sources returns all sources in the scope of a package.
func sources(p *load.Package) [][]byte {
	list := slices.Clone(p.Beside)
	for _, f := range p.Files {
		list = append(list, f.Src)
	}
	return list
}

// rename gives the edges of a function to its clone. It is false if there are none.
func (a *pgoAudit) rename(p *load.Package, c *clone.Clone) (found bool) {
	for _, prefix := range inline.Symbols(p.Path) {
		to := prefix + "." + c.Name
		a.edges = inline.Rename(a.edges, prefix+"."+c.Of, to)
		for _, e := range a.edges {
			if inline.Within(e.Caller, to) {
				a.callees[e.Callee], found = true, true
			}
		}
	}
	a.callers[p.Path] = true
	return found
}

// flags returns the compiler's flags for the packages of the main module and those with functions that audited ones
// call.
func (a *pgoAudit) flags() ([]string, error) {
	dir, err := keepinline.ProfileDir()
	if err != nil {
		return nil, err
	}
	file, err := keepinline.WriteProfile(dir, a.edges)
	if err != nil {
		return nil, err
	}
	flags := make(map[string][]string)
	for _, p := range a.build.All {
		path := inline.Tested(p.ID)
		if !load.IsTestMain(p) && (load.InMain(p) || a.callers[path] || a.isCallee(p)) {
			flags[path] = append([]string{"-pgoprofile=" + file}, a.user.Of(p)...)
		}
	}
	return a.user.With(flags)
}

// isCallee reports whether an audited function calls one of a package.
func (a *pgoAudit) isCallee(p *packages.Package) bool {
	return slices.ContainsFunc(inline.Symbols(p.PkgPath), func(prefix string) bool {
		for callee := range a.callees {
			if inline.InPackage(callee, prefix) {
				return true
			}
		}
		return false
	})
}
