package instrument

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/auditbase"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/placement"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
	"github.com/goprofinstr/goprofinstr/rt/audit"
)

// AuditOptions are the choices of the user for an audit.
type AuditOptions struct {
	Patterns  []string // packages to look for variants in; none means those of the main module
	Functions []string // to audit: F, pkg.F or import/path/pkg.F; none means all that have variants
	Base      string   // a revision of git: functions that have changed since are audited, and no variants in the source; or ""
	PGO       string   // a profile: Functions are audited with and without it; "" for variants in the source
	CallsOnly bool     // no loops are timed
	Profile   string   // directory of an earlier profile, by which loops are chosen that are timed, or ""
	Copies    int      // of each version, at several places in memory
}

// AuditTarget is what was prepared for an audit.
type AuditTarget struct {
	Overlay   string // for the go command's -overlay
	Manifest  profiledir.Manifest
	Functions []rewrite.AuditedFunction
	Base      *auditbase.Target // nil without one
	GCFlags   []string          // for the go command, the user's among them, if there are any
	Std       *results.Std      // the standard library with hooks; nil without
	Warnings  []string          // what the user should know

	clones map[string]bool // with a profile: the functions that were added, by import path and name
}

// A BrokenPackage is what the go command cannot list. It says so better itself.
type BrokenPackage struct{ error }

// PrepareAudit is Prepare for an audit: only functions that have variants change.
func PrepareAudit(c *gocmd.Command, tc *toolchain.Toolchain, work string, o AuditOptions) (*AuditTarget, error) {
	s, err := start(c, tc, work, Options{Patterns: o.Patterns})
	if err != nil {
		return nil, err
	}
	t := &AuditTarget{Manifest: s.manifest(profiledir.AuditMode)}
	if o.PGO != "" {
		if t.GCFlags, t.clones, err = o.pgo(s); err != nil {
			return nil, err
		}
	}
	measured, err := readMeasured(o.Profile)
	if err != nil {
		return nil, err
	}
	var base *auditbase.Base
	if o.Base != "" {
		base, err = o.findBase(s)
	} else {
		err = o.keepVariants(s.build)
	}
	if err != nil {
		return nil, err
	}
	if err := s.takesCached(); err != nil {
		return nil, fmt.Errorf("variants are in the module cache, where the go command accepts no changed files: %w", err)
	}
	hooks, err := s.hooks(Options{})
	if err != nil {
		return nil, err
	}
	if !hooks.Has(target.Audits) {
		t.Warnings = append(t.Warnings, fmt.Sprintf("the runtime of %s has no place for some hooks: %s; goprofinstr doctor says which",
			tc.GOVERSION, target.Audits.Without()))
	}
	if err := s.store.Exports(s.cmd, s.build).Load(s.build.Packages, nil, s.hooked(hooks)); err != nil {
		return nil, err
	}
	if base != nil {
		if t.Base, err = o.pair(s, base); err != nil || len(t.Base.Sources) == 0 {
			return t, err
		}
	}
	files, err := o.dispatch(t, s, measured)
	if err != nil {
		return nil, err
	}
	if base != nil {
		addCopies(files, s, t.Base)
	}
	o.warnOfPlacement(t)
	t.Overlay, t.Std, err = s.write(files, hooks)
	return t, err
}

// keepVariants leaves only packages that may have variants in a build.
func (o *AuditOptions) keepVariants(b *load.Build) error {
	for _, p := range b.Packages {
		if slices.ContainsFunc(p.Beside, rewrite.HasVariants) {
			return fmt.Errorf("%s: a variant in a test file cannot be called by what is not one; "+
				"move it to another file, with a build tag if need be", p.Path)
		}
	}
	b.Packages = slices.DeleteFunc(b.Packages, func(p *load.Package) bool {
		return !slices.ContainsFunc(p.Files, func(f *load.File) bool { return rewrite.HasVariants(f.Src) })
	})
	b.Cached = slices.DeleteFunc(b.Cached, func(m *load.Module) bool {
		return !slices.ContainsFunc(b.Packages, func(p *load.Package) bool {
			return p.Module != nil && p.Module.Dir == m.Dir
		})
	})
	return nil
}

// dispatch makes the dispatchers, and finds out whether they are for all that the user has named. It returns the
// files with them.
func (o *AuditOptions) dispatch(t *AuditTarget, s *session, measured rewrite.Measured) (
	files map[string][]byte, err error,
) {
	files = make(map[string][]byte)
	missing := slices.Clone(o.Functions)
	var all []string
	wanted := func(path, name string) bool {
		if t.Base != nil {
			_, ok := t.Base.Sources[path+"."+name]
			return ok
		}
		all = append(all, path+"."+name)
		named := func(text string) bool { return names(text, path, name) }
		missing = slices.DeleteFunc(missing, named)
		return len(o.Functions) == 0 || slices.ContainsFunc(o.Functions, named)
	}
	for _, p := range s.build.Packages {
		if p.Declined != "" {
			return nil, fmt.Errorf("%s cannot be audited: %s", p.Path, p.Declined)
		}
		if err := p.Parse(); err != nil {
			return nil, err
		}
		audited, err := rewrite.Audit(s.build, p, rewrite.AuditOptions{
			Select: wanted, Called: t.called, Clones: t.clones, Measured: measured, CallsOnly: o.CallsOnly, Copies: o.added(),
			Sizes: types.SizesFor("gc", s.tc.GOARCH),
		})
		if err != nil {
			return nil, err
		}
		p.Forget()
		t.Functions = append(t.Functions, audited.Functions...)
		for name, data := range audited.Files {
			files[s.tc.Name(name)] = data
		}
	}
	broken := slices.IndexFunc(s.build.Roots, func(p *packages.Package) bool { return len(p.Errors) > 0 })
	switch {
	case len(t.Functions) == 0 && broken >= 0:
		return nil, BrokenPackage{s.build.Roots[broken].Errors[0]}
	case t.Base != nil:
	case len(missing) > 0 && len(all) > 0:
		return nil, fmt.Errorf("-func %s: no such function has variants; these have: %s", missing[0], strings.Join(all, ", "))
	case len(t.Functions) == 0:
		return nil, fmt.Errorf("nothing to audit: no function has a //goprofinstr:variant of=FUNCTION; " +
			"see goprofinstr help audit")
	case len(t.Functions) > audit.MostAudits:
		return nil, fmt.Errorf("%d functions have variants, and at most %d can be audited at a time; "+
			"choose some with -func", len(t.Functions), audit.MostAudits)
	}
	return files, nil
}

// added returns how many copies of versions in the source there are to be. With a base they have been made. With a profile there
// are none, for its edges are those of one clone.
func (o *AuditOptions) added() int {
	if o.Base != "" || o.PGO != "" {
		return 1
	}
	return o.Copies
}

// warnOfPlacement tells of functions that have too many versions for these to have copies.
func (o *AuditOptions) warnOfPlacement(t *AuditTarget) {
	for _, f := range t.Functions {
		names := make(map[string]bool)
		for _, v := range f.Versions {
			names[v.Name] = true
		}
		if o.added() > 1 && placement.Fit(o.Copies, len(names)) == 1 {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s has %d versions, and no room for copies of them: "+
				"a few percent may be what their places in memory make", f.Name, len(names)))
		}
	}
}

// called returns what a version is called.
func (t *AuditTarget) called(path, name string) string {
	if t.Base != nil && t.Base.Names[path+"."+name] != "" {
		return t.Base.Names[path+"."+name]
	}
	return name
}

// names reports whether s names a function of a package.
func names(s, path, name string) bool {
	full := path + "." + name
	return s == name || s == full || strings.HasSuffix(full, "/"+s)
}
