//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import "runtime"

// mostFlushTries is for how long the end of a process may wait for a thread that decodes: some 20 ms.
const mostFlushTries = 1<<10 + 400

// flush counts what all threads have noted of cold functions: the process is about to end, or to execute another program. The
// process may be broken. So no thread waits for ever, and one that was decoding does not begin again.
//
//go:norace
func flush() {
	w := runtime.GoprofinstrWords()
	if !cold.on || cold.finished || inChild() || heldCold(w) {
		return
	}
	for tries := 0; !tryCold(w); tries++ {
		if tries == mostFlushTries {
			return
		}
		wait(tries)
	}
	decodeAll()
	entries.tellAll()
	unlockCold()
}
