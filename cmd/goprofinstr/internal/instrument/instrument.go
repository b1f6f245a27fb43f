// Package instrument goes from a go command line to all that the go command
// needs to build the same packages with counters in them.
package instrument

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/types"
	"go/version"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Options are the choices of the user.
type Options struct {
	Patterns []string // packages to instrument; none means those of the main module
	Atomic   bool
	Sampling Sampling
	Stream   Stream
	Kinds    Kinds
	Tests    bool // instrument _test.go files, too
	PerTest  bool // record the paths of each test

	Profile string // directory of an earlier profile that says which edges are hot, or ""

	Without Without

	Progress *progress.Line // shows how far rewriting is; may be nil

	// Covered are packages to instrument besides, by import path.
	Covered map[string]bool
}

// Without are the optimisations to leave out.
type Without = rewrite.Without

// Sampling says how paths are sampled; its zero value, that they are counted.
type Sampling = rewrite.Sampling

// Stream says how events are sampled in strata; its zero value, that they are not.
type Stream = rewrite.Stream

// Kinds says which events are counted besides paths, and where.
type Kinds = rewrite.Kinds

// inliningPreserved is the name of an optimisation besides those of package rewrite.
const inliningPreserved = "inlining"

// ParseWithout reads names of optimisations, separated by commas.
func ParseWithout(names string) (Without, error) {
	return rewrite.ParseWithout(names, inliningPreserved)
}

// Target is what was prepared.
type Target struct {
	Overlay  string // for the go command's -overlay
	Manifest profile.Manifest
	Tables   [][]byte // of the packages, encoded
	Inlining *Inlining
	Warnings []string // what the user should know

	Instrumented, Declined int // functions

	Std *Std // the standard library with hooks; nil without
}

// Prepare loads the packages that c builds, rewrites those that are selected and
// writes the results to the folder work.
func Prepare(c *gocmd.Command, tc *Toolchain, work string, o Options) (*Target, error) {
	results := openResults(tc)
	user, err := userOverlay(c)
	if err != nil {
		return nil, err
	}
	build, selected, err := loadBuild(c, tc, user, o)
	if err != nil {
		return nil, err
	}
	moduleFile := tc.moduleFile(c)
	if len(build.Cached) > 0 {
		if err := target.CheckModuleFile(moduleFile, user); err != nil {
			build.DeclineCached(fmt.Sprintf("in the module cache, where the go command accepts no changed files: %v", err))
		}
	}
	inlining, err := newInlining(c, tc, build, work)
	if err != nil {
		return nil, err
	}
	measured, err := readMeasured(o.Profile)
	if err != nil {
		return nil, err
	}
	where := target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}
	hooks := target.RuntimeHooks(where, o.PerTest, user.Source)
	if o.Sampling.On() && !target.CanSample(hooks) {
		return nil, usagef("%s: its runtime is not as -mode sampled expects; use -mode exact", tc.GOVERSION)
	}
	if o.PerTest && !target.CanTellTests(hooks) {
		return nil, usagef("-per-test does not work with %s on %s/%s; run without it", tc.GOVERSION, tc.GOOS, tc.GOARCH)
	}
	rewriting := results.rewriting(build, rewriteOptions(c, tc, o, hooks != nil, measured))
	inlined := results.inlining(inlining, build, user, slices.Contains(o.Without, inliningPreserved))
	rewritten, unparsed, err := bring(results.exported(c, build), rewriting, inlined, o.Progress)
	if err != nil {
		return nil, err
	}
	results.trim()
	t := &Target{
		Inlining: inlining,
		Manifest: profile.Manifest{
			Mode:    o.mode(),
			Root:    root(build),
			Go:      tc.GOVERSION,
			Command: append([]string{c.Go}, c.Args()...),
		},
		Warnings: selected.warnings(),
	}
	if w := newerGo(build.Unread+unparsed, rewritten, tc.GOVERSION); w != "" {
		t.Warnings = append(t.Warnings, w)
	}
	sources := target.Sources{
		Files:      make(map[string][]byte),
		User:       user,
		Hooks:      hooks,
		ModuleFile: moduleFile,
		Trimpath:   tc.is(c, "trimpath"),
	}
	t.Manifest.Sources = make(map[string]string)
	for _, p := range rewritten {
		t.Tables = append(t.Tables, p.Table)
		t.Instrumented, t.Declined = t.Instrumented+p.Instrumented, t.Declined+p.Declined
		for name, data := range p.Files {
			name := tc.Name(name)
			if o.PerTest && filepath.Dir(name) == target.TestingDir(where) {
				return nil, usagef("-per-test changes package testing, which cannot be instrumented then: leave it out of -pkg")
			}
			sources.Files[name] = data
			if err := addSource(&t.Manifest, name, user); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range build.Cached {
		sources.Modules = append(sources.Modules, (*target.Module)(m))
	}
	if t.Overlay, err = target.Write(work, where, sources); err != nil {
		return nil, err
	}
	if hooks != nil {
		t.Std = results.std(c, t.Overlay, hooks)
	}
	return t, nil
}

// addSource notes in m what an instrumented file was, so that others can tell whether it still is.
func addSource(m *profile.Manifest, name string, user *target.Overlay) error {
	rel, err := filepath.Rel(m.Root, name)
	if m.Root == "" || err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	src, err := user.Source(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a file that rewriting has added
	}
	if err != nil {
		return err
	}
	m.Sources[filepath.ToSlash(rel)] = fmt.Sprintf("%x", sha256.Sum256(src))
	return nil
}

func (o *Options) mode() string {
	switch {
	case o.Sampling.On():
		return "sampled"
	case o.Stream.On() && !o.Stream.PathsOnly:
		return "stratified"
	}
	return "exact"
}

// bring does what is not in the cache: it rewrites packages while the compiler tells what it inlines in them as they are.
func bring(exported *exported, rewriting *rewriting, inlined *inlined, line *progress.Line) (rewritten []*result, unparsed int, err error) {
	exports, prepared := make(chan bool, 1), make(chan bool)
	go func() {
		defer close(prepared)
		inlined.prepare(exports)
	}()
	if err = exported.load(rewriting.missing(), inlined.missing()); err == nil {
		exports <- true
		rewritten, unparsed, err = rewriting.run(line)
	}
	close(exports)
	<-prepared
	return rewritten, unparsed, err
}

// loadBuild lists the packages that c builds, and tells how those were selected that are to be instrumented.
func loadBuild(c *gocmd.Command, tc *Toolchain, user *target.Overlay, o Options) (*load.Build, *selection, error) {
	reserved, err := target.RuntimeImports(tc.GOOS, tc.GOARCH)
	if err != nil {
		return nil, nil, err
	}
	selected, err := newSelection(o, tc.inStd(), c.Dir)
	if err != nil {
		return nil, nil, err
	}
	buildFlags, env := tc.loadFlags(c)
	build, err := load.Load(load.Config{
		Dir:        c.Dir,
		BuildFlags: buildFlags,
		Env:        env,
		Patterns:   c.Packages,
		Tests:      c.Verb == "test",
		TestFiles:  o.Tests,
		Select:     selected.has,
		Reserved:   reserved,
		ModCache:   tc.GOMODCACHE,
		Settled:    settled(tc, user),
		Source:     user.Source,
	})
	if err != nil {
		return nil, nil, err
	}
	return build, selected, selected.check(build)
}

// settled returns the folders of files that nobody edits: those of a release of Go, and of modules
// in the module cache. With an overlay of the user's they are no more than others.
func settled(tc *Toolchain, user *target.Overlay) []string {
	if user != nil {
		return nil
	}
	var dirs []string
	if tc.GOMODCACHE != "" {
		dirs = append(dirs, tc.GOMODCACHE)
	}
	if version.IsValid(tc.GOVERSION) && !tc.inStd() {
		dirs = append(dirs, tc.GOROOT)
	}
	return dirs
}

func rewriteOptions(c *gocmd.Command, tc *Toolchain, o Options, hooks bool, measured rewrite.Measured) rewrite.Options {
	return rewrite.Options{
		Atomic:    o.Atomic || tc.is(c, "race"),
		Race:      tc.is(c, "race"),
		Abandoned: hooks,
		Measured:  measured,
		Without:   o.Without,
		Sampling:  o.Sampling,
		Stream:    o.Stream,
		Kinds:     o.Kinds,
		// A development version is taken for a new one.
		SplitAtGaps: !version.IsValid(tc.GOVERSION) || version.Compare(tc.GOVERSION, "go1.27") >= 0,
		Sizes:       types.SizesFor("gc", tc.GOARCH),
	}
}

// root returns the main module's root, or "".
func root(b *load.Build) string {
	for _, p := range b.Packages {
		if p.Module != nil && p.Module.Main {
			return p.Module.Dir
		}
	}
	return ""
}

// userOverlay reads the overlay on the command line and takes its flag off.
func userOverlay(c *gocmd.Command) (*target.Overlay, error) {
	name, ok := c.Lookup("overlay")
	if !ok {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.Dir, name)
	}
	user, err := target.ReadOverlay(name, c.Dir)
	if err != nil {
		return nil, fmt.Errorf("-overlay: %v", err)
	}
	return user, nil
}
