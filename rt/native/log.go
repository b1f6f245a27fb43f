//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Logs of native probes. A thread that comes to the end of a path writes where its counter is to a log of its own. A
// log is a buffer. What is in it is counted at ticks, by whichever thread has the tick, and by its own thread when it
// is full. Only its own thread ever begins it anew, and not while the thread is in a stub. A stub has read the cursor
// and will write it. So nothing is lost, and nothing counted twice.
//
// All of this is done by one thread at a time, which holds tick.Sampling.

// nativeEnds is how many path ends a log has room for. Behind it there is a page that may not be written.
const nativeEnds = 1 << 15

// mostLogs is how many threads can have logs at a time. Go ends programs with more than 10,000 threads.
const mostLogs = 10_000

// A threadLog is the log of a thread. It has no pointers: signal handlers can have no write barriers.
type threadLog struct {
	cursor  uintptr // address of the thread's cursor; 0 if no thread has the log
	left    uintptr // where its last path end was noted, if no thread has it
	first   uintptr // address of entry 0
	counted uintptr // up to where its entries have been counted
	held    uintptr // where the thread is to go on, while its cursor is such that its next path end is trapped; or 0
	tick    U       // that the trap is for
}

var nativeLogs struct {
	list [mostLogs]threadLog
	n    int // how many have ever been in use
}

// onEnd says what is to be called when a thread ends.
//
//go:linkname onEnd
func onEnd(ended func(cursor *uintptr))

// How long lockSampling waits: yields, then pauses. On a machine with forty busy programs the holder may not run for a second,
// and yields alone are over in a tenth of that.
const (
	lockYields = 1 << 10
	lockPauses = 4000
	lockPause  = 1_000_000 // ns
)

// lockSampling waits until no other thread is at it. These are in signal handlers, and soon done. It returns false if
// one is not.
//
//go:norace
func lockSampling() bool {
	for i := range lockYields + lockPauses {
		if tick.Sampling.TryLock() {
			return true
		}
		if i < lockYields {
			sys.Yield()
		} else {
			sys.Pause(lockPause)
		}
	}
	return false
}

//go:norace
func unlockSampling() { tick.Sampling.Unlock() }

// logOf returns a log.
//
//go:norace
func logOf(i uintptr) *threadLog { return &nativeLogs.list[i] }

// ownLog returns the log of the calling thread, or nil if there can be none.
//
//go:norace
func ownLog() *threadLog {
	cursor, number := runtime.GoprofinstrLog()
	if *cursor == 0 && !newNativeLog(cursor, number) {
		return nil
	}
	return logOf(*number)
}

// newNativeLog gives a thread a log that no other has, and reports whether there is one.
//
//go:norace
func newNativeLog(cursor, number *uintptr) bool {
	w := &nativeLogs
	i := 0
	for i < w.n && w.list[i].cursor != 0 {
		i++
	}
	if i == mostLogs {
		return false
	}
	l := &w.list[i]
	if l.first == 0 {
		if l.first = mmapMemory(nativeEnds * EndedSize); l.first == 0 {
			return false
		}
		l.counted, l.left = l.first, l.first
		w.n = i + 1
	}
	l.count()
	l.cursor, l.held = uintptr(unsafe.Pointer(cursor)), 0
	*number = uintptr(i)
	l.begin(uintptr(countingRoom()))
	return true
}

// threadEnded takes the log from a thread that ends. What is in it is counted later: here a signal for a page of the
// run file that is gone could not be handled.
//
//go:norace
func threadEnded(cursor *uintptr) {
	locked := lockSampling()
	for i := range nativeLogs.n {
		if l := &nativeLogs.list[i]; l.cursor == uintptr(unsafe.Pointer(cursor)) {
			l.left, l.cursor, l.held = l.end(), 0, 0
			nativeWindow.threadEnded(uintptr(i))
		}
	}
	*cursor = 0
	if locked {
		unlockSampling()
	}
}

// end returns where the next path end of the thread will be noted.
//
//go:norace
func (l *threadLog) end() uintptr {
	switch {
	case l.cursor == 0:
		return l.left
	case l.held != 0:
		return l.held
	}
	return uintptr(sys.Load64((*U)(sys.Pointer(l.cursor))))
}

// guard returns the address of the page behind the log.
//
//go:norace
func (l *threadLog) guard() uintptr { return l.first + nativeEnds*EndedSize }

// note adds a path end that the thread was about to note itself, which has room for it.
//
//go:norace
func (l *threadLog) note(e ended) {
	at := l.end()
	*(*ended)(sys.Pointer(at)) = e
	if at += EndedSize; l.held != 0 {
		l.held = at
	} else {
		*(*uintptr)(sys.Pointer(l.cursor)) = at
	}
}

// begin has the log go on where there is room for n more path ends. It is that of the calling thread, which is not in a
// stub, and all in it has been counted.
//
//go:norace
func (l *threadLog) begin(n uintptr) {
	l.counted = l.guard() - n*EndedSize
	if l.held != 0 {
		l.held = l.counted
	} else {
		*(*uintptr)(sys.Pointer(l.cursor)) = l.counted
	}
}

// clear begins the log anew.
//
//go:norace
func (l *threadLog) clear() { l.begin(nativeEnds) }

// inStub reports whether a signal has interrupted a thread where it notes a path end.
//
//go:norace
func inStub(at unsafe.Pointer) bool {
	pc := U(runtime.GoprofinstrPC(at))
	return pc >= image.Base && pc < image.Base+image.Code
}

// countLogs counts what is in all logs.
//
//go:norace
func countLogs() {
	for i := range nativeLogs.n {
		nativeLogs.list[i].count()
	}
}

// count counts what has come since it was called last.
//
//go:norace
func (l *threadLog) count() {
	end := l.end()
	w := &nativeWindow
	ofWindow := (w.isOf(l) || w.all) && nativeTraps.level == 0 && !w.warming
	for at := l.counted; at < end; at += EndedSize {
		countEnd((*ended)(sys.Pointer(at)), ofWindow)
	}
	l.counted = end
}

// countEnd counts a path end at a site that is counted. Of path ends at sampled sites it takes notice only of those of
// the window. If the program is busy, the window is that of the thread that had the tick. How many other path ends there
// are depends on how long that thread was kept from running, and on how many threads there are.
//
//go:norace
func countEnd(e *ended, ofWindow bool) {
	at, number := e.split()
	if number >= U(native.n) {
		return
	}
	site := siteState(number)
	if ofWindow && nativeWindow.all && nativeWindow.open {
		nativeWindow.tally(e)
	}
	if site.Level > 0 {
		if ofWindow {
			site.Ends++
		}
		return
	}
	if !e.plausible() {
		return
	}
	if site.Ends == 0 {
		touch(uint32(number))
	}
	site.Ends++
	counting.ends++
	tick.Sampling.Record.CountedEnds++
	noteSite(e, sampler.One, 0)
	if at&isHash == 0 {
		*(*U)(sys.Pointer(at))++
		return
	}
	if count := rt.CounterOf((*rt.Hash)(sys.Pointer(at&^isHash)), e.path+1); count != nil {
		*count++
	} else {
		runfile.Lose()
	}
}
