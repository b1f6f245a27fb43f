//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/replicate"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Windows of native probes: after a tick the sampled sites are armed for a short time. The path ends that the thread of the tick
// comes to in this time are samples, but for those of the first 40 µs. Those at sites that are counted are among them. How often
// these were executed is known, which tells how far the estimates are off.
//
// A program that waits most of the time, as services do, leaves the thread soon after a tick. What follows the tick is the
// end of what the thread does, and then the thread sleeps. There, windows are of all threads and of the CPU time of the
// process, and so much longer by the clock.

// nativeWindow is the last window.
var nativeWindow nativeWindowType

type nativeWindowType struct {
	open    bool // its sites are armed
	warming bool // and it sees nothing yet
	weighed bool // its samples have been counted, or there is none
	learned bool // the levels of sites depend on it, or there is none
	level   uint8

	burst sampler.Policy // what is sampled
	skip  U              // path ends before the first sample
	clock uintptr        // of the thread's CPU time
	all   bool           // it is of all threads

	log      uintptr // its number, or noLog
	from, to uintptr // entries in the log, the last ones of the window
	opened   U       // by now, which says whose CPU time
	closed   U       // likewise
	inFaults U       // CPU time that handlers of faults took in the thread
	full     bool    // a full log has closed it
	timed    bool    // a signal is to close it
	cut      bool    // another thread has closed it, too soon

	taken U // samples
	ends  U // path ends
	group U // see runfile.Replicate
}

// unstood is CPU time that no window of a level stands for yet, ns.
var unstood [sampler.Highest + 1]U

// slowdown is that in windows of each level.
var slowdown [sampler.Highest + 1]sampler.Slowdown

// windowsOf is how many windows of each level there have been.
var windowsOf [sampler.Highest + 1]U

// lastEnds is how many path ends the last window of each level saw.
var lastEnds [sampler.Highest + 1]U

// warmUp is how long a window is armed before it sees anything, ns. The code of probes has just been written to, and
// neither probes nor what they write to are in a cache. Path ends take ten times as long as later.
const warmUp = 40_000

// lookCost is what a look takes, ns, with the fault.
const lookCost = 10_000

// mostSamples is how many samples a window has: all there are, but for policies of one sample.
const mostSamples = 1 << 20

// faultCost is what it takes to come to the handler of a fault and back, ns.
const faultCost = 2500

// openWindow arms the sites of the next level, if any are sampled. The calling thread, whose log it is, has had the tick,
// and is free to begin it anew if it is not in a stub. In C code the thread may be about to sleep, and no signal shall
// wake it. Then a full log ends the window, or the next tick.
//
//go:norace
func openWindow(log *threadLog, free, inC bool) {
	w, s := &nativeWindow, &tick.Sampling
	w.weighed, w.learned, w.level = true, true, nextLevel()
	nativeTraps.later = nothing
	if w.level == 0 || native.off {
		w.level = 0
		return
	}
	w.burst = s.Policy
	if w.burst.Samples > 1 {
		w.burst.Samples = mostSamples
	}
	w.skip = s.Policy.Skip(s.Record.Ticks)
	w.clock = tick.BurstClock()
	w.open, w.weighed, w.learned, w.full, w.timed = true, false, false, false, !inC
	w.log, w.cut, w.all = numberOf(log), false, tick.Waits() && !inC
	s.Record.Windows++
	windowsOf[w.level]++
	armLevel(w.level, armed)
	tally.empty()
	if w.warming = w.timed; !w.warming {
		w.see(log, free)
		return
	}
	if free {
		log.clear()
	}
	w.from = log.end()
	w.endIn(warmUp)
}

// endIn has a signal come to the thread of the window, after so many ns.
//
//go:norace
func (w *nativeWindowType) endIn(length U) {
	nativeTraps.later = windowEnd
	tick.EndWindow(length)
}

// see has the window see path ends from now on.
//
//go:norace
func (w *nativeWindowType) see(log *threadLog, free bool) {
	if w.all {
		countLogs() // what is in them is not of the window
	}
	w.warming = false
	if free {
		nextLook(log, lastEnds[w.level])
	}
	w.from, w.taken, w.ends, w.inFaults = log.end(), 0, 0, 0
	w.opened = w.now()
}

// warmedUp ends the time in which the window sees nothing.
//
//go:norace
func (w *nativeWindowType) warmedUp(at unsafe.Pointer) {
	log := logOf(w.log)
	tick.Sampling.Cost += U(log.end()-min(w.from, log.end())) / EndedSize * tick.ProbeCost
	log.count()
	w.see(log, log.held == 0 && !inStub(at))
	length := sampler.WindowLength(w.level)
	if w.all {
		length = tick.ByClock(length)
	}
	w.endIn(length + U(nativeTraps.left)*lookCost)
}

// noLog is the log of a window whose thread has ended: what was its log may be another thread's.
const noLog = mostLogs

// threadEnded takes notice that the thread of a log has ended.
//
//go:norace
func (w *nativeWindowType) threadEnded(log uintptr) {
	if w.open && w.log == log {
		w.log = noLog
	}
}

// isOf reports whether the window is that of the thread of a log, which may be nil.
//
//go:norace
func (w *nativeWindowType) isOf(l *threadLog) bool { return l != nil && w.log == numberOf(l) }

// end ends a window that has seen nothing, or nothing that is still there.
//
//go:norace
func (w *nativeWindowType) end() {
	armLevel(w.level, disarmed)
	nativeTraps.left = 0
	w.open, w.warming, w.cut, w.learned = false, false, true, true
}

// closeWindow disarms the sampled sites, and takes samples.
//
//go:norace
func closeWindow() {
	w, s := &nativeWindow, &tick.Sampling
	if w.warming || w.log == noLog && !w.all {
		w.end()
		return
	}
	if !w.all {
		w.to = logOf(w.log).end()
	}
	w.closed = w.now()
	armLevel(w.level, disarmed)
	if w.all {
		countLogs() // which adds what they have to the tally, while the window is open
	} else {
		w.take()
	}
	w.open = false
	nativeTraps.left = 0
	lastEnds[w.level] = w.ends
	w.group = U(w.level)<<runfile.WindowLevel | w.density()<<runfile.WindowDensity
	s.Record.Ends += w.ends
	s.Record.Taken += w.taken
	s.Cost += w.ends * tick.ProbeCost // what it takes to add them up is in the time of signals and faults
}

// now returns the CPU time of the window's thread, or of the process if the window is of all threads, without what sampling
// took. The cost of sampling has the faults of all threads in it, so they are taken off only once.
//
//go:norace
func (w *nativeWindowType) now() U {
	if s := &tick.Sampling; w.all {
		return tick.CPUTime() - s.Record.Cost - s.Cost
	}
	at := tick.ReadClock(w.clock)
	return at - min(at, w.inFaults)
}

// tally adds a path end to the samples of a window of all threads.
//
//go:norace
func (w *nativeWindowType) tally(e *ended) {
	if w.ends++; w.taken < w.burst.Samples && tally.add(e) {
		w.taken++
	}
}

// take adds what is in the log to the samples.
//
//go:norace
func (w *nativeWindowType) take() {
	s := &tick.Sampling
	ends := U(w.to-w.from) / EndedSize
	w.ends += ends
	p := w.burst
	p.Samples -= min(w.taken, p.Samples)
	if p.Samples == 0 {
		return
	}
	first := sampler.Among(s.Record.Ticks, ends, p.Index(p.Samples-1, w.skip)+1)
	for i := range p.Taken(ends, w.skip) {
		if !tally.add(w.entry(first + p.Index(i, w.skip))) {
			return
		}
		w.taken++
	}
}

// length returns how long the window was, ns.
//
//go:norace
func (w *nativeWindowType) length() U { return w.closed - min(w.opened, w.closed) }

// density returns how many path ends there were in a nanosecond, as a logarithm.
//
//go:norace
func (w *nativeWindowType) density() (log U) {
	for n := w.ends << 10 / max(w.length(), 1); n > 0; n >>= 1 {
		log++
	}
	return log
}

//go:norace
func (w *nativeWindowType) entry(i U) *ended {
	return (*ended)(sys.Pointer(w.from + uintptr(i)*EndedSize))
}

// costThen is what sampling had cost when the last window was weighed, ns.
var costThen U

// sinceLast returns how much of a cost there has been since it was called last. That time windows do not stand for, since
// the program does not run.
//
//go:norace
func sinceLast(cost U) U {
	was := costThen
	costThen = cost
	return cost - was
}

// weighWindow counts the samples of the window, which stand for some CPU time, and what no window of the level has
// stood for before.
//
//go:norace
func weighWindow(interval U) {
	w := &nativeWindow
	for level := range unstood {
		unstood[level] += interval
	}
	if w.weighed {
		if counting.nHot == 0 {
			unstood = [sampler.Highest + 1]U{} // there is nothing to stand for
		}
		return
	}
	w.weighed = true
	if w.cut || w.closed <= w.opened || w.ends > 0 && w.taken == 0 {
		return // or the thread has ended, or the log was full
	}
	net := slowdown[w.level].Net(w.length(), w.ends, U(tally.n), w.full)
	weight := sampler.Weight(w.ends, w.taken, net, unstood[w.level])
	unstood[w.level] = 0
	for i := range tally.n {
		countWeighed(tally.at(i), weight)
	}
}

// countWeighed counts samples of a path.
//
//go:norace
func countWeighed(s *tallied, weight U) {
	at, number := s.split()
	if at == 0 || number >= U(native.n) || !s.plausible() {
		return
	}
	level := siteState(number).Level
	if level == nativeWindow.level {
		noteSite(&s.ended, s.times*weight, s.times)
	}
	path := U(0)
	if at&isHash != 0 {
		path = s.path
	}
	group := nativeWindow.group | U(level)<<runfile.WindowOf
	replicate.Add(U(at), path, group, windowsOf[nativeWindow.level], s.times, weight)
}

// numberOf returns the number of a log.
//
//go:norace
func numberOf(l *threadLog) uintptr {
	return (uintptr(unsafe.Pointer(l)) - uintptr(unsafe.Pointer(&nativeLogs.list[0]))) / unsafe.Sizeof(threadLog{})
}
