package instrument

import (
	"os"

	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Hooks says which hooks the runtime of a toolchain has a place for.
type Hooks struct {
	Any     bool // those that find activations that are abandoned, and with them the others
	Sampler bool
	Blocks  bool // counters of each thread, for -atomic
}

// FindHooks looks at the runtime of a toolchain.
func FindHooks(tc *Toolchain) Hooks {
	files := target.RuntimeHooks(target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}, false, os.ReadFile)
	return Hooks{Any: files != nil, Sampler: target.CanSample(files), Blocks: target.HasBlocks(files)}
}
