package toolchain

import (
	"fmt"
	"go/version"
	"runtime"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rt"
)

// WhyNotNative returns why a program cannot have native probes, "" if it can.
func (tc *Toolchain) WhyNotNative(c *gocmd.Command) string {
	return tc.whyNot(c, "which would see them as stores", "amd64")
}

// WhyNoCopies returns why a program cannot have counting copies, "" if it can.
func (tc *Toolchain) WhyNoCopies(c *gocmd.Command) string {
	if why := tc.whyNot(c, "which keeps return addresses", "amd64", "arm64"); why != "" {
		return why
	}
	return tooNew(runtime.Version(), tc.GOVERSION)
}

// tooNew returns why a command that was built with one release cannot map what another compiles, "" if it can. The standard
// library reads export data of its own release and of older ones.
func tooNew(built, compiler string) string {
	built, _, _ = strings.Cut(built, " ") // experiments
	if !version.IsValid(built) || !version.IsValid(compiler) || version.Compare(version.Lang(built), version.Lang(compiler)) >= 0 {
		return ""
	}
	return fmt.Sprintf("goprofinstr is built with %s, and cannot read types that %s has compiled; build it with %[2]s", built, compiler)
}

// whyNot returns why what is done after linking for some architectures cannot be. Instrumented says what is wrong with builds for
// the race detector and its like.
func (tc *Toolchain) whyNot(c *gocmd.Command, instrumented string, archs ...string) string {
	if tc.GOOS != "linux" || !slices.Contains(archs, tc.GOARCH) {
		return fmt.Sprintf("they are for linux/%s, and this is %s/%s", strings.Join(archs, " and linux/"), tc.GOOS, tc.GOARCH)
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
