//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Copies count before packages register themselves. A tick in one thread decodes what all have noted, and adds to counters. It
// may come when another thread moves these into the run file.

// keepHolding has counters stand still while they are moved.
//
//go:norace
func keepHolding() { runfile.HoldCounts = holdCounts }

// holdCounts calls a function while no thread decodes. That is on the thread's own stack, as are all that take the lock: a
// goroutine which has the lock could leave its thread.
//
//go:norace
func holdCounts(f func()) {
	heldFor = f
	runtime.GoprofinstrUnmoved(hold)
}

// heldFor is what holdCounts calls. Packages register themselves one after the other.
var heldFor func()

//go:norace
func hold() {
	locked := lockCold(runtime.GoprofinstrWords()) // or nobody decodes any more
	heldFor()
	if locked {
		unlockCold()
	}
}
