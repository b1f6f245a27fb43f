//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// Windows where functions begin cold. The logs of threads, and both decoders, are used by who has cold's lock. What windows are
// is tick.Sampling's, whose holder may wait for cold's lock, and not the other way round.

// tickCold decodes what all threads have noted, and has functions fall. It reports whether the calling thread may have a window.
//
//go:norace
func tickCold(w *words, now U) bool {
	if !cold.on {
		return true
	}
	if !lockCold(w) {
		return false
	}
	decodeAll()
	fallCold(true)
	chargeCold(now)
	log := logOf(w)
	if log != 0 && w[nextRecord] == 0 {
		beginLog(w)
	}
	unlockCold()
	return log != 0
}

// payCold has what cold functions have cost be sampling's: the governor is to know before it says when the next tick comes. It
// reports false where nothing is counted any more.
//
//go:norace
func payCold(w *words) bool {
	if !lockCold(w) {
		return false
	}
	tick.Sampling.Cost += cold.cost
	cold.cost = 0
	unlockCold()
	return true
}

// decodeWindow decodes what a thread has noted in its window, and returns how many records that are.
//
//go:norace
func decodeWindow(w *words) (n U) {
	if lockCold(w) {
		before := program.stats.Records
		decodeOwn(w)
		n = program.stats.Records - before
		unlockCold()
	}
	return n
}

// beginColdLog has the calling thread's log begin anew in a window, where it has room for n records.
//
//go:norace
func beginColdLog(w *words, n uintptr) {
	if !lockCold(w) {
		return
	}
	decodeOwn(w)
	w[inWindow] = 1
	w[nextRecord] = w[ownLog] + (logRecords-min(n, logRecords-1))*pathlog.RecordSize
	*counted(w) = w[nextRecord]
	unlockCold()
}

// leaveWindow has a thread be in no window. If a signal has interrupted it, it leaves the copy of a function that is not cold.
//
//go:norace
func leaveWindow(at unsafe.Pointer, w *words) {
	w[inWindow], w[waits] = 0, 0
	if at != nil && !stays(w, runtime.GoprofinstrPC(at)) {
		leave(at)
	}
}

// isControl reports whether all executions of a target's function have been counted so far. What windows see of it tells how
// far off they are.
//
//go:norace
func (c *coldType) isControl(target uint32) bool {
	k := exactAt(program.decoder.Targets[target].At &^ pathlog.Inlined)
	return k >= 0 && c.sampled[k] == 0
}

// coldEnd counts a path of a cold function. Cold's lock is held.
//
//go:norace
func coldEnd(target uint32, path U) {
	at, number := estimateOf(&program.decoder.Targets[target], path)
	if image.Counters > 0 { // the stepper's
		program.decoder.Counters[at] += runfile.SampleUnit
		return
	}
	tick.Sampling.Record.CountedEnds++
	if cold.seen && cold.isControl(target) {
		tally.Add(target|pathlog.OfCounted, path)
	}
	if at&pathlog.IsHash == 0 {
		*(*U)(sys.Pointer(uintptr(at)))++
		return
	}
	if count := rt.CounterOf((*rt.Hash)(sys.Pointer(uintptr(at&^pathlog.IsHash))), number+1); count != nil {
		*count++
	} else {
		runfile.Lose()
	}
}
