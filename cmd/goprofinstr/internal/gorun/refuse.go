package gorun

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
)

// Refuse refuses what the go command would build without our code, or what this
// tool cannot follow, rather than drop it silently. Covers is true if flags of coverage are answered that the command line has.
func (r *Run) Refuse(covers bool) error {
	for _, name := range gocmd.CoverFlags {
		// With any of these the go command instruments the files itself, from the originals: golang/go#73802.
		if _, given := r.Cmd.Lookup(name); !given && r.Cmd.Verb == "test" && r.Toolchain.InGOFLAGS(name) {
			instead := ""
			if covers && r.Toolchain.Runs(r.Cmd) {
				instead = ": wrap takes it on the command line of go test"
			}
			return usage.Errorf("-%s in GOFLAGS is not supported; take it out there%s", name, instead)
		}
		if _, ok := r.Toolchain.Lookup(r.Cmd, name); ok {
			return usage.Errorf("the go command ignores instrumented files under -%s; "+
				"run go %s with -%s without goprofinstr", name, r.Cmd.Verb, name)
		}
	}
	mode, _ := r.Toolchain.Lookup(r.Cmd, "buildmode")
	if slices.Contains([]string{"plugin", "c-archive", "c-shared", "shared"}, mode) {
		return usage.Errorf("-buildmode=%s is not supported: the runtime needs a Go program of its own", mode)
	}
	if r.Toolchain.InGOFLAGS("overlay") {
		return usage.Errorf("-overlay in GOFLAGS is not supported; give it on the command line")
	}
	for _, p := range r.Cmd.Packages {
		if r.Cmd.Verb != "test" && hasVersion(p) {
			return usage.Errorf("%s: packages of other modules, by version, are not supported; "+
				"run in the module's own folder", p)
		}
	}
	return nil
}

// hasVersion reports whether the go command takes an argument for a package at a version, and not for a folder or file.
func hasVersion(arg string) bool {
	return strings.Contains(arg, "@") && !build.IsLocalImport(arg) && !filepath.IsAbs(arg) && !strings.HasSuffix(arg, ".go")
}
