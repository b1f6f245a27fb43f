package instrument

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A session is one go command with its build before anything in it changes: what Prepare and PrepareAudit both
// begin with.
type session struct {
	cmd      *gocmd.Command
	tc       *toolchain.Toolchain
	work     string // folder for what is written
	store    *results.Store
	user     *target.Overlay // that of the command line, or nil
	build    *load.Build
	selected *selection

	moduleFile string // in which the go command reads what replaces modules
}

// start reads the user's overlay and lists the packages that the command line builds.
func start(c *gocmd.Command, tc *toolchain.Toolchain, work string, o Options) (s *session, err error) {
	s = &session{cmd: c, tc: tc, work: work, store: results.Open(tc)}
	if s.user, err = toolchain.UserOverlay(c); err != nil {
		return nil, err
	}
	if s.build, s.selected, err = s.loadBuild(o); err != nil {
		return nil, err
	}
	s.moduleFile = tc.ModuleFile(c)
	return s, nil
}

// takesCached returns why packages in the module cache cannot change, if there are any.
func (s *session) takesCached() error {
	if len(s.build.Cached) == 0 {
		return nil
	}
	return target.CheckModuleFile(s.moduleFile, s.user)
}

// hooks returns the hooks that the runtime has places for.
func (s *session) hooks(o Options) (*target.Hooks, error) {
	hooks, err := s.tc.Hooks(s.cmd, s.user, o.PerTest)
	if err != nil {
		return nil, err
	}
	if o.Counting.Sampling.On() && !hooks.CanSample() {
		return nil, usage.Errorf("%s: its runtime is not as -mode sampled expects; use -mode exact", s.tc.GOVERSION)
	}
	if err := s.addCopies(hooks, o); err != nil {
		return nil, err
	}
	if o.PerTest && !hooks.Has(target.Tests) {
		which := ""
		if slices.ContainsFunc(hooks.Missing, func(m target.Missing) bool { return m.Feature == target.Tests }) {
			which = "; goprofinstr doctor says which hooks have no place"
		}
		return nil, usage.Errorf("-per-test does not work with %s on %s/%s; run without it%s",
			s.tc.GOVERSION, s.tc.GOOS, s.tc.GOARCH, which)
	}
	return hooks, nil
}

// hooked returns a function that writes an overlay with hooks and nothing else, and returns its name.
func (s *session) hooked(hooks *target.Hooks) func() (overlay string, err error) {
	return func() (string, error) {
		dir := filepath.Join(s.work, "hooks")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
		return target.Write(dir, s.tc.Target(), target.Sources{User: s.user, Hooks: hooks, Keep: s.store.File, ModuleFile: s.moduleFile})
	}
}

// manifest returns the manifest of a profile of this mode. Flags were taken off the command line, and are a part of it.
func (s *session) manifest(mode string, flags ...string) profiledir.Manifest {
	return profiledir.Manifest{
		Mode:    mode,
		Root:    root(s.build),
		Go:      s.tc.GOVERSION,
		Command: append([]string{s.cmd.Go}, s.cmd.Args(flags...)...),
	}
}

// write lays files and hooks out for the go command's -overlay. With hooks it finds out about the standard library,
// too.
func (s *session) write(files map[string][]byte, hooks *target.Hooks) (overlay string, std *results.Std, err error) {
	sources := target.Sources{
		Files:      files,
		User:       s.user,
		Hooks:      hooks,
		Keep:       s.store.File,
		ModuleFile: s.moduleFile,
		Trimpath:   s.tc.Is(s.cmd, "trimpath"),
		NameWhole:  s.tc.Release().Compiler.JoinsLineNames,
	}
	for _, m := range s.build.Cached {
		sources.Modules = append(sources.Modules, (*target.Module)(m))
	}
	overlay, err = target.Write(s.work, s.tc.Target(), sources)
	if err == nil && len(hooks.Files) > 0 {
		std = s.store.Std(s.cmd, overlay, hooks)
	}
	return overlay, std, err
}

// loadBuild lists the packages that the go command builds, and tells how those were selected that are to be instrumented.
func (s *session) loadBuild(o Options) (*load.Build, *selection, error) {
	c, tc, user := s.cmd, s.tc, s.user
	reserved, err := target.RuntimeImports(tc.GOOS, tc.GOARCH)
	if err != nil {
		return nil, nil, err
	}
	selected, err := newSelection(o, tc.InStd(), c.Dir)
	if err != nil {
		return nil, nil, err
	}
	config := tc.ListConfig(c, user, s.store.Keeper())
	config.TestFiles, config.Select, config.Reserved = o.Tests || o.Counting.Labels(), selected.has, reserved
	build, err := load.Load(config)
	if err != nil {
		return nil, nil, err
	}
	return build, selected, selected.check(build)
}

func (s *session) rewriteOptions(o Options, hooks *target.Hooks, measured rewrite.Measured) rewrite.Options {
	counting := o.Counting
	counting.Race = s.tc.Is(s.cmd, "race")
	counting.Atomic = counting.Atomic || counting.Race
	return rewrite.Options{
		Counting:    counting,
		Abandoned:   hooks.Has(target.Abandoned) && !o.Entries,
		Entries:     o.Entries,
		Measured:    measured,
		Without:     o.Without,
		Kinds:       o.Kinds,
		Pairs:       o.Pairs,
		SplitAtGaps: s.tc.Release().Cover.SplitsAtGaps,
		RangeNames:  s.tc.Release().Compiler.RangeNames,
		Covered:     release.Knows(s.tc.GOVERSION),
		Beside:      !o.Tests,
		Rooted:      !s.tc.Is(s.cmd, "trimpath"),
		Sizes:       types.SizesFor("gc", s.tc.GOARCH),
	}
}

// root returns the root of the workspace or of the main module, or "".
func root(b *load.Build) string {
	for _, p := range b.Packages {
		if p.Root != "" {
			return p.Root
		}
	}
	return ""
}
