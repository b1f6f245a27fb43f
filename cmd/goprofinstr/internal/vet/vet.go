// Package vet has the go command vet the packages that go test is to test, as go test does by itself.
//
// The go command cannot vet what it builds for us: it would see inserted code, and it starts vet in the folder of each
// package, of which some, those of package rt among them, are in the overlay only. So go test runs with -vet=off, and
// a go vet of the files as they are runs beside the rewriting:
//
//	v := vet.New(cmd, tc)                // nil without vet
//	defer v.Stop()
//	v.Start(build, store, overlay)
//	…
//	failed := v.Failed()                 // waits
//
// Almost always nothing failed. That is kept under a hash of all files, and go vet does not even start the next time.
// Otherwise go test itself says what it has to say: it is run on the failed packages, of which it runs no test
// ([Report]). If there are others, these are wrapped, in a build that fails for the failed ones, too, so that
// their lines stand where they would; what it says of that failure is left out ([Said.Filter]).
package vet

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// A Check is the vet of one go test.
type Check struct {
	cmd      *gocmd.Command
	tc       *toolchain.Toolchain
	explicit bool     // the user has said which analyzers
	flags    []string // of go vet
	build    []string // flags of the build
	overlay  string   // with which the packages that are imported have been compiled, or ""
	tested   []*packages.Package
	found    chan []string // import paths of packages with problems

	skipped bool
	mu      sync.Mutex
	stop    context.CancelFunc // stops go vet; nil if it was not started
	ended   chan struct{}      // closed when go vet has ended
}

// New returns the check that goes with a command, nil if go test would not vet. It has to be made before flags are
// taken off the command. ok is false if go test refuses its -vet flag.
func New(c *gocmd.Command, tc *toolchain.Toolchain) (v *Check, ok bool) {
	if c.Verb != "test" {
		return nil, true
	}
	value, _ := tc.Lookup(c, "vet")
	flags, off, ok := analyzers(value, tc.Release().GoCommand.Analyzers)
	if !ok || off {
		return nil, ok
	}
	v = &Check{cmd: c, tc: tc, explicit: value != "", flags: flags, found: make(chan []string, 1)}
	v.build = c.LoadFlags()
	return v, true
}

// analyzers returns the flags of go vet for a value of go test's -vet, as vetFlag.Set in cmd/go/internal/test does.
func analyzers(value string, known []string) (flags []string, off, ok bool) {
	if value == "" {
		return nil, false, true
	}
	single := false
	for _, name := range strings.Split(value, ",") {
		switch {
		case name == "all" || name == "off":
			flags, off, single = nil, name == "off", true
		case slices.Contains(known, name):
			flags = append(flags, "-"+name)
		default:
			return nil, false, false
		}
	}
	return flags, off, len(flags) <= 1 || !single
}

// Start starts go vet, unless it has found nothing in the same packages before. What they import it compiles with
// an overlay, if there is one.
func (v *Check) Start(b *load.Build, store *results.Store, overlay string) {
	if v == nil {
		return
	}
	v.overlay = overlay
	if v.skipped {
		return
	}
	for _, p := range b.Roots {
		if p.ForTest == "" && !load.IsTestMain(p) {
			v.tested = append(v.tested, p)
		}
	}
	if !v.explicit {
		v.flags = v.defaults()
	}
	key := v.key(b, store)
	var clean bool
	if store.Get(key, &clean) {
		v.found <- nil
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	v.mu.Lock()
	v.stop, v.ended = stop, ended
	v.mu.Unlock()
	go func() {
		defer close(ended)
		found, whole := v.vet(ctx)
		if whole && len(found) == 0 {
			store.Put(key, true)
		}
		if ctx.Err() == nil { // who waits is not to go on when a signal ends the process
			v.found <- found
		}
	}()
}

// Skip has Start not start go vet: nobody asks what it finds.
func (v *Check) Skip() {
	if v != nil {
		v.skipped = true
	}
}

// Stop ends go vet if nobody has waited for what it finds: it would go on when the wrap has ended. It may be called while Start
// runs.
func (v *Check) Stop() {
	if v == nil {
		return
	}
	v.mu.Lock()
	stop, ended := v.stop, v.ended
	v.mu.Unlock()
	if stop != nil {
		stop()
		<-ended
	}
}

// defaults returns the flags for what go test vets without a -vet flag, which is more in the standard library.
func (v *Check) defaults() (flags []string) {
	inStd := func(p *packages.Package) bool { return p.Module == nil && p.PkgPath != load.FilesPackage }
	if len(v.tested) > 0 && !slices.ContainsFunc(v.tested, func(p *packages.Package) bool { return !inStd(p) }) {
		return []string{"-unsafeptr=false", "-unreachable=false"} // as (*Builder).vet in cmd/go/internal/work
	}
	for _, name := range v.tc.Release().GoCommand.VetDefault {
		flags = append(flags, "-"+name)
	}
	return flags
}

// key returns the key of a check that has found nothing.
func (v *Check) key(b *load.Build, store *results.Store) cache.Key {
	h := store.Hash("vet")
	sum := b.SumAll()
	h.Add(string(sum[:]), v.tc.Described(), strings.Join(v.flags, " "), strings.Join(v.build, " "))
	return h.Key()
}

// vet runs go vet, and returns the import paths of packages in which it finds something. It is not whole if there are
// packages that cannot be vetted: what is wrong with these the go command says when it builds them.
func (v *Check) vet(ctx context.Context) (found []string, whole bool) {
	patterns := v.patterns()
	if len(patterns) == 0 && len(v.cmd.Packages) > 0 {
		return nil, false
	}
	build := v.build
	if v.overlay != "" {
		build = append(slices.Clip(build), "-overlay="+v.overlay)
	}
	args := slices.Concat([]string{"vet", "-json"}, v.flags, build, []string{"--"}, patterns)
	cmd := exec.CommandContext(ctx, v.tc.Go, args...)
	cmd.Dir, cmd.Env = v.cmd.Dir, v.tc.HelperEnviron()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it waits for what it has started
	cmd.WaitDelay = child.Patience
	out, err := cmd.Output()
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var result map[string]map[string]json.RawMessage // by package and analyzer
		if dec.Decode(&result) != nil {
			break
		}
		for id, problems := range result {
			if len(problems) > 0 {
				found = append(found, v.path(id))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), err == nil
}

// patterns returns the packages for go vet, which unlike go test vets none if one cannot be listed.
func (v *Check) patterns() (paths []string) {
	broken := make(map[*packages.Package]bool)
	packages.Visit(v.tested, nil, func(p *packages.Package) { // what they import first
		broken[p] = len(p.Errors) > 0
		for _, imported := range p.Imports {
			broken[p] = broken[p] || broken[imported]
		}
	})
	for _, p := range v.tested {
		if !broken[p] {
			paths = append(paths, p.PkgPath)
		}
	}
	if len(paths) == len(v.tested) {
		return v.cmd.Packages
	}
	return paths
}

// path returns the import path of the package whose tests a package belongs to.
func (v *Check) path(id string) string {
	id, _, _ = strings.Cut(id, " ")
	if slices.ContainsFunc(v.tested, func(p *packages.Package) bool { return p.PkgPath == id }) {
		return id
	}
	return strings.TrimSuffix(id, "_test")
}

// Failed waits for go vet and returns the packages under test that it finds something in. all says that there are no
// others.
func (v *Check) Failed() (failed []*packages.Package, all bool) {
	if v == nil {
		return nil, false
	}
	found := <-v.found
	for _, p := range v.tested {
		if slices.Contains(found, p.PkgPath) {
			failed = append(failed, p)
		}
	}
	return failed, len(failed) == len(v.tested)
}

// within reports whether a file is beneath a folder.
func within(file, dir string) bool {
	return dir != "" && strings.HasPrefix(file, dir+string(os.PathSeparator))
}
