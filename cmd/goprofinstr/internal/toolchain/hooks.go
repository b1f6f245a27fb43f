package toolchain

import (
	"os"

	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Hooks says which hooks the runtime of a toolchain has a place for.
type Hooks struct {
	Any     bool // those that find activations that are abandoned, and with them the others
	Sampler bool
	Shards  bool // counters of each thread, for -atomic
}

// Hooks looks at the runtime of the toolchain.
func (tc *Toolchain) Hooks() Hooks {
	files := target.RuntimeHooks(tc.Target(), false, os.ReadFile)
	return Hooks{Any: files != nil, Sampler: target.CanSample(files), Shards: target.HasShards(files)}
}
