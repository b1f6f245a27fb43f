//go:build goprofinstr_std && goprofinstr_sampler && (!linux || !(amd64 || arm64 || riscv64) || goprofinstr_basic)

package contexts

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Where ticks come from the runtime's monitor, nothing can be seen of what other threads are at. The first path that ends
// after a tick, in any thread, gets the time since the last one, as do its calling context and activations. So time is that
// of the functions in which paths end next. Garbage collection, allocation and libraries that are not instrumented are in
// it. Of several threads the one that ends paths more often has more.

// TrapCost is what a path end that is looked at takes, in ns.
const TrapCost = 1500

// AnyThread tells that path ends of any thread may get the time of a tick.
const AnyThread = true

// Tick has the first path that ends get some time.
//
//go:norace
func Tick(_ unsafe.Pointer, time U) {
	contexts.time += time // and what no path has ended in since the last tick
	contexts.matches = 0
	if contexts.on {
		contexts.matches = 1
	}
}

// match gives the path that has ended, and its stack, the time: n frames, whose callers are attached.
//
//go:norace
func match(at unsafe.Pointer, n int, parent, function, path pcct.Ref) {
	contexts.matches = 0
	if n == 0 {
		return
	}
	c := &contexts
	spendBelow(at, n, parent, c.time)
	if path != 0 {
		*c.tree.Word(path, pcct.PathTime) += c.time
		tick.Sampling.Record.Matched += c.time
	}
	c.time = 0
}

// Spend is for ticks in threads without goroutines, which are not here.
func Spend(unsafe.Pointer, U) {}
