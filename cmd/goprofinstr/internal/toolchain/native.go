package toolchain

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rt"
)

// WhyNotNative returns why a program cannot have native probes, "" if it can.
func (tc *Toolchain) WhyNotNative(c *gocmd.Command) string {
	return tc.whyNot(c, "which would see them as stores")
}

// WhyNoCopies returns why a program cannot have counting copies, "" if it can.
func (tc *Toolchain) WhyNoCopies(c *gocmd.Command) string {
	return tc.whyNot(c, "which keeps return addresses")
}

// whyNot returns why what is done after linking cannot be. Instrumented says what is wrong with builds for the race detector and
// its like.
func (tc *Toolchain) whyNot(c *gocmd.Command, instrumented string) string {
	if tc.GOOS != "linux" || tc.GOARCH != "amd64" {
		return fmt.Sprintf("they are for linux/amd64, and this is %s/%s", tc.GOOS, tc.GOARCH)
	}
	if rt.Basic {
		return "programs are given what those for macOS have"
	}
	for _, flag := range []string{"race", "msan", "asan"} {
		if tc.Is(c, flag) {
			return "the program is built with -" + flag + ", " + instrumented
		}
	}
	if mode, ok := tc.Lookup(c, "buildmode"); ok && mode != "exe" && mode != "default" {
		return "they are for -buildmode=exe, and this is " + mode
	}
	if _, ok := tc.Lookup(c, "toolexec"); ok {
		return "-toolexec is in use"
	}
	return ""
}
