//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64) && !goprofinstr_basic

package contexts

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A tick finds the stack that it has interrupted in the signal handler itself. It attaches the stack to the tree with the CPU
// time since the last tick. At the path ends that follow there would be no garbage collection, no allocation and no library any
// more.

// mostMatches is how many path ends after a tick are looked at for the one of the interrupted path.
const mostMatches = 4

// TrapCost is what a path end that is looked at takes, in ns, with the fault by which it is trapped.
const TrapCost = 3500

// AnyThread tells that path ends of any thread may get the time of a tick. It knows what it has interrupted.
const AnyThread = false

// interrupted is what the last tick has interrupted, innermost first.
var interrupted struct {
	places  [pcct.MostDepth]place
	depth   int
	carried U // CPU time that the path of a later tick gets
}

// place is a frame and where it is, or the function of it that a path has ended in.
type place struct {
	fp uintptr
	at pcct.Ref
}

// Tick attaches what a tick has interrupted, which stands for some CPU time.
//
//go:norace
func Tick(at unsafe.Pointer, time U) {
	c, i := &contexts, &interrupted
	i.depth, c.matches = 0, 0
	c.time, i.carried = i.carried+time, 0
	if !c.on {
		return
	}
	n := spend(at, time)
	if n == 0 {
		return
	}
	if !tick.Sampling.OneIn(2) {
		i.carried = c.time
		return
	}
	for k, f := range c.frames[:n] {
		i.places[k] = place{f.FP, locationOf(U(f.Call))}
	}
	i.depth, c.matches = n, mostMatches
}

// Spend attaches what a tick has interrupted in a thread that runs no goroutine, and on no path.
//
//go:norace
func Spend(at unsafe.Pointer, time U) {
	if contexts.on {
		spend(at, time)
	}
}

// match gives the tick's time to the path that has ended, if it has in one of the activations that the tick has interrupted. n
// frames are attached; the innermost is function's.
//
//go:norace
func match(at unsafe.Pointer, n int, parent, function, path pcct.Ref) {
	c := &contexts
	contexts.matches--
	if path == 0 || !wasInterrupted(place{c.frames[0].FP, function}) {
		return
	}
	contexts.matches = 0
	*c.tree.Word(path, pcct.PathTime) += c.time
	tick.Sampling.Record.Matched += c.time
}

//go:norace
func wasInterrupted(p place) bool {
	for _, i := range interrupted.places[:interrupted.depth] {
		if i.fp == p.fp && contexts.tree.Has(i.at, p.at) { // what is inlined into the function, and so inside of it, may be nothing that has paths
			return true
		}
	}
	return false
}
