// Package doctor finds out what of goprofinstr works on a machine, and why what does not.
//
// Most is asked of the system directly. Whether a program can in fact be instrumented, patched and sampled is tried
// with a small one, for there are more policies, sandboxes and kernels than anybody knows.
package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
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
}

// Examine reports findings as they come.
func Examine(o Options, report func(Finding)) {
	tc, found := findToolchain()
	report(found)
	if tc != nil {
		report(language(tc))
		report(hooks(tc))
	}
	report(writable("temporary files", os.TempDir(), "set TMPDIR to a folder that can be written to"))
	report(cache())
	for _, f := range system() {
		report(f)
	}
	native := probes(tc)
	report(native)
	if tc != nil && !o.Quick {
		for _, f := range try(o.Self, native.State == OK) {
			report(f)
		}
	}
}

func findToolchain() (*toolchain.Toolchain, Finding) {
	f := Finding{Name: "Go toolchain", Needed: true}
	tc, err := toolchain.Find(&gocmd.Command{Go: "go", Verb: "run"})
	if err != nil {
		f.State, f.Text = No, fmt.Sprintf("%v; install Go %s or newer and have its go command in PATH", err,
			strings.TrimPrefix(release.Oldest().Lang, "go"))
		return nil, f
	}
	f.State, f.Text = OK, fmt.Sprintf("%s for %s/%s", tc.GOVERSION, tc.GOOS, tc.GOARCH)
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

func hooks(tc *toolchain.Toolchain) Finding {
	f := Finding{Name: "runtime hooks", Needed: true, State: OK, Text: "they fit this toolchain"}
	h := tc.Hooks()
	missing := ""
	switch {
	case !h.Any:
		missing = "no -mode sampled, and activations that end in a panic are only counted"
	case !h.Sampler:
		missing = "no -mode sampled"
	case !h.Shards:
		missing = "-atomic uses atomic instructions, which take longer"
	default:
		return f
	}
	f.State, f.Needed = No, !h.Sampler
	f.Text = fmt.Sprintf("the runtime of %s is not as they expect: %s; use go1.26 or go1.27", tc.GOVERSION, missing)
	return f
}

func cache() Finding {
	dir, err := os.UserCacheDir()
	if err != nil {
		text := fmt.Sprintf("%v; set HOME or XDG_CACHE_HOME, or every wrap begins anew", err)
		return Finding{Name: "cache", State: No, Text: text}
	}
	return writable("cache", filepath.Join(dir, "goprofinstr"),
		"every wrap begins anew; set XDG_CACHE_HOME to a folder that can be written to")
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
func probes(tc *toolchain.Toolchain) Finding {
	f := Finding{Name: "native probes", State: OK, Text: "programs may write to their own text"}
	why := patch.WhyNot()
	if why == "" && tc != nil {
		why = tc.WhyNotNative(&gocmd.Command{Go: "go", Verb: "run"})
	}
	if why != "" {
		f.State, f.Text = No, why+"; wrap uses portable ones"
	}
	return f
}
