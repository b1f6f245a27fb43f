// Package doctor finds out what of goprofinstr works on a machine, and why what does not.
//
// Most is asked of the system directly. Whether a program can in fact be instrumented, patched and sampled is tried
// with a small one, for there are more policies, sandboxes and kernels than anybody knows.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A State is the outcome of a check.
type State string

// The outcomes.
const (
	OK      State = "ok"
	No      State = "no"
	Unknown State = "unknown"
)

// A Finding is what a check has found.
type Finding struct {
	Name   string
	State  State
	Text   string // what there is, or what is wrong and what to do
	Needed bool   // without it goprofinstr is of no use, or what it does by default is not
}

// Options say what is examined.
type Options struct {
	Self  string // goprofinstr's executable
	Quick bool   // no program is built

	Overlay *target.Overlay // what the user lays over the standard library, or nil
}

// Examine reports findings as they come.
func Examine(o Options, report func(Finding)) {
	tc, found := findToolchain()
	report(found)
	// What is compiled from here on ends, and its folder is removed, when a signal comes.
	ctx, stop := signal.NotifyContext(context.Background(), child.Heeded(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	defer stop()
	var hooks *target.Hooks
	if tc != nil {
		tc.Helpers = child.NewHelpers(ctx)
		report(language(tc))
		var missing []Finding
		hooks, missing = findHooks(tc, o)
		if ctx.Err() != nil {
			report(interrupted("runtime hooks"))
			return
		}
		for _, f := range missing {
			report(f)
		}
	}
	report(writable("temporary files", os.TempDir(), "set TMPDIR to a folder that can be written to"))
	report(cache())
	for _, f := range system() {
		report(f)
	}
	native := probes(tc, hooks)
	report(native)
	if tc != nil && !o.Quick {
		if ctx.Err() != nil {
			report(interrupted("a program, sampled"))
			return
		}
		for _, f := range try(o, hooks, native.State == OK) {
			report(f)
		}
	}
}

func findToolchain() (*toolchain.Toolchain, Finding) {
	f := Finding{Name: "Go toolchain", Needed: true}
	tc, err := toolchain.Find(&gocmd.Command{Go: "go", Verb: "run"})
	if err != nil {
		f.State, f.Text = No, err.Error()
		if errors.As(err, new(toolchain.Missing)) {
			f.Text += fmt.Sprintf("; install Go %s or newer and have its go command in PATH",
				strings.TrimPrefix(release.Oldest().Lang, "go"))
		}
		return nil, f
	}
	f.State, f.Text = OK, fmt.Sprintf("%s for %s/%s", tc.GOVERSION, tc.GOOS, tc.GOARCH)
	if !release.Knows(tc.GOVERSION) {
		f.State = Unknown
		f.Text += fmt.Sprintf(", which nobody has tried: it is taken for %s; a newer goprofinstr may know it", release.Of(tc.GOVERSION).Lang)
	}
	return tc, f
}

// language looks for a goprofinstr that is too old for the language.
func language(tc *toolchain.Toolchain) Finding {
	f := Finding{Name: "goprofinstr", State: OK, Text: "built with " + runtime.Version()}
	if toolchain.IsNewer(tc.GOVERSION) {
		f.State = No
		f.Text += ", so it declines packages that use what is new in " + tc.GOVERSION + "; build it again with that"
	}
	return f
}

// findHooks has a line for each hook that is missing: what was looked for and where, and what that costs.
func findHooks(tc *toolchain.Toolchain, o Options) (hooks *target.Hooks, found []Finding) {
	f := Finding{Name: "runtime hooks", State: OK, Text: "they fit this toolchain", Needed: true}
	if o.Quick {
		hooks = tc.HooksByText(o.Overlay, true)
	} else {
		var err error
		if hooks, err = tc.Hooks(&gocmd.Command{Go: "go", Verb: "run"}, o.Overlay, true); err != nil {
			f.State, f.Text = No, err.Error()
			return nil, []Finding{f}
		}
	}
	for _, m := range slices.Concat(hooks.Missing, missingCopies(tc, o)) {
		f.State, f.Needed = No, m.Feature == target.Timers || m.Feature == target.Ticker
		f.Text = fmt.Sprintf("%v, so there are none for %s: %s", m, m.Feature, m.Feature.Without())
		found = append(found, f)
	}
	if len(found) == 0 {
		found = append(found, f)
	}
	return hooks, found
}

// missingCopies returns what is missing for -backend copy, as a wrap with it looks for that. Where no release has copies, or what
// they need is missing, there is nothing to tell.
func missingCopies(tc *toolchain.Toolchain, o Options) []target.Missing {
	command := &gocmd.Command{Go: "go", Verb: "run"}
	hooks := tc.HooksByText(o.Overlay, false)
	if !o.Quick {
		var err error
		if hooks, err = tc.Hooks(command, o.Overlay, false); err != nil {
			return nil
		}
	}
	if !hooks.Has(target.Timers) {
		return nil
	}
	missing := hooks.AddCopies(tc.Target(), o.Overlay.Source)
	if len(missing) > 0 && missing[0].Anchor == "" { // it is of the system
		return nil
	}
	if len(missing) == 0 && !o.Quick {
		if mistakes, err := tc.Try(command, o.Overlay, hooks); err == nil && mistakes != "" {
			missing = append(missing, target.Missing{Feature: target.Copies, File: "runtime", Why: target.Mistake(mistakes)})
		}
	}
	return missing
}

// cache looks for a folder for results. Wrap works without. A toolchain in the module cache needs a link there, without which
// findToolchain fails.
func cache() Finding {
	dir, err := os.UserCacheDir()
	if err != nil {
		text := fmt.Sprintf("%v; set HOME or XDG_CACHE_HOME, or every wrap begins anew", err)
		return Finding{Name: "cache", State: No, Text: text}
	}
	f := writable("cache", filepath.Join(dir, "goprofinstr"),
		"every wrap begins anew; set XDG_CACHE_HOME to a folder that can be written to")
	f.Needed = false
	return f
}

// writable finds out whether files can be made in a folder.
func writable(name, dir, otherwise string) Finding {
	f := Finding{Name: name, State: OK, Text: dir, Needed: true}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var file *os.File
		if file, err = os.CreateTemp(dir, "doctor-*"); err == nil {
			file.Close()
			err = os.Remove(file.Name())
		}
	}
	if err != nil {
		f.State, f.Text = No, fmt.Sprintf("%v; %s", err, otherwise)
	}
	return f
}

// probes finds out whether programs can write to their own text.
func probes(tc *toolchain.Toolchain, hooks *target.Hooks) Finding {
	f := Finding{Name: "native probes", State: OK, Text: "programs may write to their own text"}
	why := patch.WhyNot()
	if why == "" && tc != nil {
		why = tc.WhyNotNative(&gocmd.Command{Go: "go", Verb: "run"})
	}
	if why == "" && tc != nil && !hooks.Has(target.Mappings) {
		why = "there are no hooks for them"
	}
	if why != "" {
		f.State, f.Text = No, why+"; wrap uses portable ones"
	}
	return f
}
