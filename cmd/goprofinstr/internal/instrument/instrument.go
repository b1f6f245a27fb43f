// Package instrument goes from a go command line to all that the go command
// needs to build the same packages with counters in them, or with dispatchers for an audit.
package instrument

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/keepinline"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/vet"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Options are the choices of the user.
type Options struct {
	Patterns []string       // packages to instrument; none means those of the main module
	Mode     string         // as the manifest of the profile has it
	Counting method.Options // whether the build is for the race detector is left to Prepare
	Kinds    rewrite.Kinds  // of events that are counted besides paths
	Tests    bool           // instrument _test.go files, too
	PerTest  bool           // record the paths of each test
	Entries  bool           // count activations of all functions, and not what abandoned ones had executed
	Pairs    bool           // count paths that follow each other, too

	Profile string // directory of an earlier profile that says which edges are hot, or ""

	Without Without

	Progress *progress.Line // shows how far rewriting is; may be nil

	Vet *vet.Check // to be started when it compiles nothing that others compile at the same time; may be nil

	// Covered are packages to instrument besides, by import path. CoverFlags are the flags of go test that select them.
	Covered    map[string]bool
	CoverFlags []string

	goCompiles bool // the go command compiles packages for their export data: in tests, which compare it
}

// Without are the optimisations to leave out.
type Without = rewrite.Without

// inliningPreserved is the name of an optimisation besides those of package rewrite.
const inliningPreserved = "inlining"

// ParseWithout reads names of optimisations, separated by commas.
func ParseWithout(names string) (Without, error) {
	return rewrite.ParseWithout(names, inliningPreserved)
}

// Target is what was prepared.
type Target struct {
	Overlay  string // for the go command's -overlay
	Manifest profiledir.Manifest
	Tables   [][]byte // of the packages, encoded
	Inlining *keepinline.Inlining
	Warnings []string // what the user should know

	Instrumented, Declined int // functions

	Std *results.Std // the standard library with hooks; nil without

	Unplaced error // why code is not placed as in the plain program, with counting copies

	Options Options
	Build   *load.Build
	Store   *results.Store
}

// Prepare loads the packages that c builds, rewrites those that are selected and
// writes the results to the folder work.
func Prepare(c *gocmd.Command, tc *toolchain.Toolchain, work string, o Options) (*Target, error) {
	s, err := start(c, tc, work, o)
	if err != nil {
		return nil, err
	}
	if err := s.takesCached(); err != nil {
		s.build.DeclineCached(fmt.Sprintf("in the module cache, where the go command accepts no changed files: %v", err))
	}
	warnings := s.warnOfKinds(o)
	inlining, err := keepinline.New(c, tc, s.build, work)
	if err != nil {
		return nil, err
	}
	measured, err := readMeasured(o.Profile)
	if err != nil {
		return nil, err
	}
	hooks, err := s.hooks(o)
	if err != nil {
		return nil, err
	}
	rewriting := s.store.Rewriting(s.build, s.rewriteOptions(o, hooks, measured))
	inlined := inlining.Cached(s.store, s.build, s.user, slices.Contains(o.Without, inliningPreserved) || o.Counting.Labels())
	rewritten, unparsed, err := s.bring(rewriting, inlined, hooks, o)
	if err != nil {
		return nil, err
	}
	s.store.Trim(keepinline.Folder)
	t := &Target{Options: o, Build: s.build, Store: s.store, Inlining: inlining,
		Manifest: s.manifest(o.Mode, o.CoverFlags...), Warnings: append(s.selected.warnings(), warnings...)}
	if w := toolchain.ReleaseWarning(s.build.Unread+unparsed+unchecked(rewritten), tc.GOVERSION); w != "" {
		t.Warnings = append(t.Warnings, w)
	}
	files, err := t.collect(s, rewritten, o.PerTest)
	if err != nil {
		return nil, err
	}
	t.Unplaced = s.place(hooks, o)
	t.Overlay, t.Std, err = s.write(files, hooks)
	return t, err
}

// collect takes what was rewritten to the target, and returns the files.
func (t *Target) collect(s *session, rewritten []*results.Result, perTest bool) (files map[string][]byte, err error) {
	files = make(map[string][]byte)
	t.Manifest.LineSums = make(map[string][]byte)
	for _, p := range rewritten {
		if err := s.record(p.Link); err != nil {
			return nil, err
		}
		if p.Table != nil {
			t.Tables = append(t.Tables, p.Table)
		}
		t.Instrumented, t.Declined = t.Instrumented+p.Instrumented, t.Declined+p.Declined
		for name, data := range p.Files {
			name := s.tc.Name(name)
			if perTest && filepath.Dir(name) == target.TestingDir(s.tc.Target()) {
				return nil, usage.Errorf("-per-test changes package testing, which cannot be instrumented then: " +
					"leave it out of -pkg")
			}
			files[name] = data
			if err := addLines(&t.Manifest, name, s.user); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// unchecked returns how many packages do not type-check.
func unchecked(rewritten []*results.Result) (n int) {
	for _, p := range rewritten {
		if p.Unchecked {
			n++
		}
	}
	return n
}

// addLines notes in m what the lines of an instrumented file were, so that others can tell which of them still are there.
func addLines(m *profiledir.Manifest, name string, user *target.Overlay) error {
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
	m.LineSums[filepath.ToSlash(rel)] = profiledir.LineSums(string(src))
	return nil
}

// bring does what is not in the cache: it rewrites packages while the compiler tells what it inlines in them as
// they are, and vet what is wrong with them.
func (s *session) bring(rewriting *results.Rewriting, inlined *keepinline.Cached, hooks *target.Hooks, o Options) (
	rewritten []*results.Result, unparsed int, err error,
) {
	exports := s.store.Exports(s.cmd, s.build)
	if o.Vet == nil && !o.goCompiles && len(rewriting.Missing()) > 0 { // vet has the go command compile packages as they are
		exports.Make, exports.Work = inlined.Export(), s.work
	}
	loaded, prepared := make(chan bool, 1), make(chan bool)
	go func() {
		defer close(prepared)
		inlined.Prepare(func() bool { return <-loaded && exports.Finish() == nil })
	}()
	if err = exports.Load(rewriting.Typed(), inlined.Missing(), s.hooked(hooks)); err == nil {
		if exports.Overlay != "" {
			inlined.CompileWith(exports.Overlay)
		}
		loaded <- true
		o.Vet.Start(s.build, s.store, exports.Overlay)
		rewritten, unparsed, err = rewriting.Run(o.Progress, exports.Wait)
		err = cmp.Or(err, exports.Finish())
	}
	close(loaded)
	<-prepared
	return rewritten, unparsed, err
}
