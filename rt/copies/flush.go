//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// mostFlushTries is for how long the end of a process may wait for threads that decode or sample: some 20 ms.
const mostFlushTries = 1<<10 + 400

// flush counts what all threads have noted of cold functions: the process is about to end, or to execute another program. The
// process may be broken. So no thread waits for ever, and one that was decoding does not begin again. Nobody else has a window
// meanwhile: windows have a decoder of their own, and replicates, without cold's lock.
//
//go:norace
func flush() {
	w := runtime.GoprofinstrWords()
	if !cold.on || cold.finished || inChild() || heldCold(w) {
		return
	}
	sys.UnblockBus() // or a page of the run file that is gone ends the process, in place of the signal that does
	tries := 0
	for ; !tick.Sampling.TryLock(); tries++ {
		if tries == mostFlushTries {
			return
		}
		wait(tries)
	}
	for ; !tryCold(w) && tries < mostFlushTries; tries++ {
		wait(tries)
	}
	if heldCold(w) {
		decodeAll()
		entries.tellAll()
		unlockCold()
	}
	tick.Sampling.Unlock()
}
