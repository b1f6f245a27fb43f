//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// What happens to native probes at a tick, at the end of a window, when a log is full, and when the program ends.

// Tick counts what there is, decides on which sites are sampled, and opens a window.
//
//go:norace
func Tick(now U, inC bool, at unsafe.Pointer) {
	s := &tick.Sampling
	if nativeWindow.open {
		closeWindow()
	}
	tick.NoteUsage(now)
	endRandomLooks()
	interval := now - s.Began
	counting.filled = now
	countAndWeigh(now)
	ends := counting.ends
	weighLooks()
	learn(interval, interval)
	s.Govern(now)
	resolvePending()
	if !guarded() { // with contexts or without: a thread that has no log yet, or a full one, faults
		return
	}
	log := ownLog()
	if log == nil {
		return
	}
	free := !inStub(at)
	if free {
		startLooks(log, ends, candidates, 0)
		trapNext(log)
	}
	openWindow(log, free, inC)
}

// countAndWeigh counts what is in the logs, and the samples of the window.
//
//go:norace
func countAndWeigh(now U) {
	s := &tick.Sampling
	interval := now - s.Began
	weighWindow(interval - min(sinceLast(s.Record.Cost+s.Cost), interval))
	countLogs()
	s.Record.CPU += interval
	s.Began = now
}

// WindowOver is called when the window has warmed up, when it is over, and again at a random time when path ends are looked at.
//
//go:norace
func WindowOver(inC bool, at unsafe.Pointer) {
	w := &nativeTraps
	switch {
	case nativeWindow.open && nativeWindow.warming && nativeWindow.isOf(ownLog()):
		nativeWindow.warmedUp(at)
		return
	case nativeWindow.open:
		closeWindow()
	}
	was := w.later
	w.later = nothing
	if inC || !looksWanted() {
		return
	}
	switch was {
	case windowEnd:
		w.later = randomLooks
		tick.ComeBack(tick.Sampling.Later())
	case randomLooks:
		if log := ownLog(); log != nil && log.held == 0 && !inStub(at) {
			startRandomLooks(log)
		}
	}
}

// fullLog makes room in the log of the calling thread, for a path end. If more path ends have been counted than the
// budget allows, what ends too often is sampled from now on. A window then says how often that is until the next tick.
//
//go:norace
func fullLog(l *threadLog, at unsafe.Pointer, e ended) {
	w := &nativeWindow
	mine := w.open && !w.all && w.isOf(l)
	l.count()
	if mine && w.warming {
		l.clear()
		return
	}
	if nativeTraps.left > 0 {
		if mine || !w.open || w.all {
			look(at, e)
		}
		if nativeTraps.left--; nativeTraps.left == 0 {
			endRandomLooks()
		}
		if mine {
			w.to = l.end()
			w.take()
			nextLook(l, lastEnds[w.level])
			w.from = l.end()
		} else {
			nextLook(l, counting.ends)
		}
		return
	}
	if mine {
		w.full = true
		closeWindow()
	}
	endRandomLooks()
	now := tick.CPUTime()
	if tick.Sampling.Record.Ticks == 0 {
		tick.NoteUsage(now)
	}
	length := now - counting.filled
	counting.filled = now
	if counting.ends <= countingBound() {
		l.begin(uintptr(countingRoom()))
		return
	}
	if w.open {
		closeWindow()
		w.cut = true
	}
	interval := now - tick.Sampling.Began
	countAndWeigh(now)
	weighLooks()
	l.clear()
	learn(interval, length)
	if openWindow(l, true, false); !w.open {
		l.begin(uintptr(countingRoom()))
	}
}

// LastTurn has no other thread sample any more, and reports whether none does: what they leave in logs would be lost.
//
//go:norace
func LastTurn() bool { return lockSampling() }

// Finish counts what is left: the process is about to exit.
//
//go:norace
func Finish() {
	if nativeWindow.open {
		closeWindow()
	}
	endRandomLooks()
	countAndWeigh(tick.CPUTime())
	weighLooks()
	if !native.off {
		tick.Sampling.Record.Counted = runfile.CountedAll
	}
}

// stubFault handles a path end that a stub could not note. There is no log yet, or it is full, or the path end is to
// be trapped.
//
//go:norace
func stubFault(at unsafe.Pointer, e ended) {
	if InChild() {
		leaveParent()
		if cursor, number := runtime.GoprofinstrLog(); *cursor != 0 {
			logOf(*number).clear()
		}
		return
	}
	if !lockSampling() {
		runfile.Lose()
		return
	}
	mine, opened := tick.ThreadTime(), nativeWindow.opened
	l := ownLog()
	switch {
	case l == nil:
		runfile.Lose() // for want of memory
	case l.held != 0:
		nativeTrapped(at, l, e)
	default:
		if l.end() >= l.guard() {
			fullLog(l, at, e)
		}
		l.note(e)
	}
	took := tick.ThreadTime() - mine + faultCost
	tick.Sampling.Cost += took
	if w := &nativeWindow; w.open && w.opened == opened && w.isOf(l) {
		w.inFaults += took
	}
	unlockSampling()
}
