package instrument

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
	"github.com/goprofinstr/goprofinstr/rt"
)

// AuditOptions are the choices of the user for an audit.
type AuditOptions struct {
	Patterns  []string // packages to look for variants in; none means those of the main module
	Functions []string // to audit: F, pkg.F or import/path/pkg.F; none means all that have variants
	PGO       string   // a profile: Functions are audited with and without it; "" for variants in the source
	CallsOnly bool     // no loops are timed
	Profile   string   // directory of an earlier profile, by which loops are chosen that are timed, or ""
}

// AuditTarget is what was prepared for an audit.
type AuditTarget struct {
	Overlay   string // for the go command's -overlay
	Manifest  profile.Manifest
	Functions []rewrite.AuditedFunction
	GCFlags   []string // for the go command, the user's among them, if there are any
	Std       *Std     // the standard library with hooks; nil without
}

// A BrokenPackage is what the go command cannot list. It says so better itself.
type BrokenPackage struct{ error }

// PrepareAudit is Prepare for an audit: only functions that have variants change.
func PrepareAudit(c *gocmd.Command, tc *Toolchain, work string, o AuditOptions) (*AuditTarget, error) {
	results := openResults(tc)
	user, err := userOverlay(c)
	if err != nil {
		return nil, err
	}
	build, _, err := loadBuild(c, tc, user, Options{Patterns: o.Patterns})
	if err != nil {
		return nil, err
	}
	var gcflags []string
	if o.PGO != "" {
		if gcflags, err = o.pgo(c, tc, build, work); err != nil {
			return nil, err
		}
	}
	measured, err := readMeasured(o.Profile)
	if err != nil {
		return nil, err
	}
	if err := o.keepVariants(build); err != nil {
		return nil, err
	}
	moduleFile := tc.moduleFile(c)
	if len(build.Cached) > 0 {
		if err := target.CheckModuleFile(moduleFile, user); err != nil {
			return nil, fmt.Errorf("variants are in the module cache, where the go command accepts no changed files: %w", err)
		}
	}
	if err := results.exported(c, build).load(build.Packages, nil); err != nil {
		return nil, err
	}
	where := target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}
	t := &AuditTarget{GCFlags: gcflags, Manifest: profile.Manifest{
		Mode:    profile.AuditMode,
		Root:    root(build),
		Go:      tc.GOVERSION,
		Command: append([]string{c.Go}, c.Args()...),
	}}
	sources := target.Sources{
		Files:      make(map[string][]byte),
		User:       user,
		Hooks:      target.RuntimeHooks(where, false, user.Source),
		ModuleFile: moduleFile,
		Trimpath:   tc.is(c, "trimpath"),
	}
	if err := o.dispatch(t, build, tc, measured, sources.Files); err != nil {
		return nil, err
	}
	for _, m := range build.Cached {
		sources.Modules = append(sources.Modules, (*target.Module)(m))
	}
	if t.Overlay, err = target.Write(work, where, sources); err != nil {
		return nil, err
	}
	if sources.Hooks != nil {
		t.Std = results.std(c, t.Overlay, sources.Hooks)
	}
	return t, nil
}

// keepVariants leaves only packages that may have variants in a build.
func (o *AuditOptions) keepVariants(b *load.Build) error {
	for _, p := range b.Packages {
		if slices.ContainsFunc(p.Beside, rewrite.HasVariants) {
			return fmt.Errorf("%s: a variant in a test file cannot be called by what is not one; move it to another file, with a build tag if need be", p.Path)
		}
	}
	b.Packages = slices.DeleteFunc(b.Packages, func(p *load.Package) bool {
		return !slices.ContainsFunc(p.Files, func(f *load.File) bool { return rewrite.HasVariants(f.Src) })
	})
	b.Cached = slices.DeleteFunc(b.Cached, func(m *load.Module) bool {
		return !slices.ContainsFunc(b.Packages, func(p *load.Package) bool { return p.Module != nil && p.Module.Dir == m.Dir })
	})
	return nil
}

// dispatch makes the dispatchers, and finds out whether they are for all that the user has named.
func (o *AuditOptions) dispatch(t *AuditTarget, b *load.Build, tc *Toolchain, measured rewrite.Measured, files map[string][]byte) error {
	missing := slices.Clone(o.Functions)
	var all []string
	wanted := func(path, name string) bool {
		all = append(all, path+"."+name)
		named := func(s string) bool { return names(s, path, name) }
		missing = slices.DeleteFunc(missing, named)
		return len(o.Functions) == 0 || slices.ContainsFunc(o.Functions, named)
	}
	for _, p := range b.Packages {
		if p.Declined != "" {
			return fmt.Errorf("%s cannot be audited: %s", p.Path, p.Declined)
		}
		if err := p.Parse(); err != nil {
			return err
		}
		audited, err := rewrite.Audit(b, p, rewrite.AuditOptions{Select: wanted, Measured: measured, CallsOnly: o.CallsOnly, Sizes: types.SizesFor("gc", tc.GOARCH)})
		if err != nil {
			return err
		}
		p.Forget()
		t.Functions = append(t.Functions, audited.Functions...)
		for name, data := range audited.Files {
			files[tc.Name(name)] = data
		}
	}
	broken := slices.IndexFunc(b.Roots, func(p *packages.Package) bool { return len(p.Errors) > 0 })
	switch {
	case len(t.Functions) == 0 && broken >= 0:
		return BrokenPackage{b.Roots[broken].Errors[0]}
	case len(missing) > 0 && len(all) > 0:
		return fmt.Errorf("-func %s: no such function has variants; these have: %s", missing[0], strings.Join(all, ", "))
	case len(t.Functions) == 0:
		return fmt.Errorf("nothing to audit: no function has a //goprofinstr:variant of=FUNCTION; see goprofinstr help audit")
	case len(t.Functions) > rt.MostAudits:
		return fmt.Errorf("%d functions have variants, and at most %d can be audited at a time; choose some with -func", len(t.Functions), rt.MostAudits)
	}
	return nil
}

// names reports whether s names a function of a package.
func names(s, path, name string) bool {
	full := path + "." + name
	return s == name || s == full || strings.HasSuffix(full, "/"+s)
}
