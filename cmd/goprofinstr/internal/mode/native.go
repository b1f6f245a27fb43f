package mode

import (
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// The backends: how sampled probes are realised.
const (
	auto     = "auto"
	native   = "native"   // stores that are no-ops after linking, and calls in bursts
	portable = "portable" // compare and branch
	inCopies = "copy"     // nothing: copies of the machine code count in windows
)

// GoNative has the probes of a program that is sampled be native, if the user has not ruled that out. It returns why
// they cannot be, "" if they are or should not.
func (c *Choice) GoNative(cmd *gocmd.Command, tc *toolchain.Toolchain, hooks *target.Hooks) (why string, err error) {
	if c.backend == inCopies {
		return "", c.goCopies(cmd, tc, hooks)
	}
	if c.Mode != Sampled || c.backend == portable {
		return "", nil
	}
	if why = tc.WhyNotNative(cmd); why == "" {
		why = patch.WhyNot()
	}
	if why == "" && !hooks.Has(target.Mappings) {
		why = "package runtime/pprof of " + tc.GOVERSION + " has no place for hooks; goprofinstr doctor says where"
	}
	if why != "" && c.backend == native {
		return "", usage.Errorf("no native probes: %s", why)
	}
	c.Counting.Sampling.Native = why == ""
	return why, nil
}

// goCopies has copies count, since the user asks for it, or says why they cannot.
func (c *Choice) goCopies(cmd *gocmd.Command, tc *toolchain.Toolchain, hooks *target.Hooks) error {
	why := tc.WhyNoCopies(cmd)
	if why == "" && !hooks.Has(target.Timers) {
		why = "package runtime of " + tc.GOVERSION + " has no place for hooks; goprofinstr doctor says where"
	}
	if why != "" {
		return usage.Errorf("no counting copies: %s", why)
	}
	c.Counting.Sampling.Copies = true
	return nil
}
