package gorun

import (
	"os"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// Args returns the command line that has the go command build from an overlay, with the compiler's flags, the user's
// among them, if there are any, and with more flags.
func (r *Run) Args(overlay string, gcflags []string, more ...string) ([]string, error) {
	r.Cmd.Remove("overlay") // what is in it is in ours
	if len(gcflags) > 0 {
		r.Cmd.Remove("gcflags")
	}
	ldflags, err := r.linkFlags()
	if err != nil {
		return nil, err
	}
	own := slices.Concat([]string{"-overlay=" + overlay}, gcflags, ldflags, r.testFlags(), more)
	return r.Cmd.Args(own...), nil
}

// linkFlags returns the flags that tell programs which are run where to write their data, and those of Link.
func (r *Run) linkFlags() ([]string, error) {
	own := r.Link
	if r.Out != nil {
		own = slices.Concat(own, toolchain.LinkedDir(r.Out.Running()))
	}
	if len(own) == 0 {
		return nil, nil
	}
	flags, err := r.Toolchain.LinkFlags(r.Cmd, own, r.Identities)
	if len(flags) > 0 {
		r.Cmd.Remove("ldflags") // are among these
	}
	return flags, err
}

// Idle is the name of the command that GiveUp has go run execute in place of the program. It does nothing, is for nobody else,
// and not in the help.
const Idle = "idle"

// idleFlag returns the flag of go run that has it execute Idle.
func idleFlag() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	words, err := gocmd.JoinQuoted([]string{self, Idle})
	return "-exec=" + words, err
}

// testFlags returns flags that go test needs for our files.
func (r *Run) testFlags() []string {
	if r.Cmd.Verb != "test" {
		return nil
	}
	// Vet would look at inserted code, and fails on packages whose folders are in the overlay only (package vet). A result from
	// the test cache comes without a run, and so without data, unless we have those of that run (package replay).
	r.Cmd.Remove("vet")
	flags := []string{"-vet=off"}
	// Not twice: the test binary would get both. One in GOFLAGS would count for nothing.
	if _, ok := r.Toolchain.Lookup(r.Cmd, "count"); r.Toolchain.Runs(r.Cmd) && !ok && len(r.Identities) == 0 {
		flags = append(flags, "-count=1")
	}
	return flags
}
