//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Windows of native probes: after a tick the sampled sites are armed for a short time. Some of the path ends that the
// thread of the tick comes to in it are samples, those at sites that are counted among them: how often these were
// executed is known, which tells how far the estimates are off.

// nativeWindow is the last window.
var nativeWindow nativeWindowType

type nativeWindowType struct {
	open    bool // its sites are armed
	weighed bool // its samples have been counted, or there is none
	level   uint8

	burst sampler.Policy // what is sampled
	skip  U              // path ends before the first sample
	clock uintptr        // of the thread's CPU time

	log      uintptr
	from, to uintptr // entries in the log, the last ones of the window
	passed   U       // path ends before these
	opened   U       // CPU time of the thread
	closed   U
	full     bool // a full log has closed it

	taken   int // samples
	ends    U   // path ends
	group   U   // see runfile.Replicate
	samples [sampler.MaxReach]ended
}

// unstood is CPU time that no window of a level stands for yet, ns.
var unstood [sampler.Highest + 1]U

// windowsOf is how many windows of each level there have been.
var windowsOf [sampler.Highest + 1]U

// lastEnds is how many path ends the last window of each level saw.
var lastEnds [sampler.Highest + 1]U

// turnCost is what it takes to begin the log of a window anew, ns.
const turnCost = 3000

// samplesFor is how many samples are taken for each of the policy: they are path ends one after the other, and how many
// of one level there are for each of another is seen in many only.
const samplesFor = 8

// openWindow arms the sites of the next level, if any are sampled. The calling thread has had the tick. In C code it
// may be about to sleep, and no signal shall wake it: then a full log ends the window, or the next tick.
//
//go:norace
func openWindow(inC bool) {
	w, s := &nativeWindow, &tick.Sampling
	w.weighed, w.level = true, nextLevel()
	log := ownLog()
	if w.level == 0 || native.off || log == nil {
		w.level = 0
		return
	}
	w.log, w.from, w.passed = numberOf(log), log.end(), 0
	w.burst = s.Policy
	if w.burst.Samples = s.Governor.Burst(s.Policy); w.burst.Samples > 1 {
		w.burst.Samples = min(w.burst.Samples*samplesFor, sampler.MaxReach)
	}
	w.skip = s.Policy.Skip(s.Record.Ticks)
	w.clock = tick.BurstClock()
	w.open, w.weighed, w.full = true, false, false
	s.Record.Windows++
	windowsOf[w.level]++
	nativeTraps.inWindow = 0
	armLevel(w.level, armed)
	w.opened = tick.ReadClock(w.clock)
	if !inC {
		tick.EndWindow(sampler.WindowLength(w.level)) // now, for to arm sites takes a while
	}
}

// closeWindow disarms the sampled sites, and chooses samples.
//
//go:norace
func closeWindow() {
	w, s := &nativeWindow, &tick.Sampling
	w.to, w.closed = logOf(w.log).end(), tick.ReadClock(w.clock)
	armLevel(w.level, disarmed)
	w.open = false
	nativeTraps.left = 0
	ends := U(w.to-w.from) / EndedSize
	w.ends = w.passed + ends
	lastEnds[w.level] = w.ends
	w.taken = int(w.burst.Taken(ends, w.skip))
	reach := w.burst.Index(w.burst.Samples-1, w.skip) + 1
	first := sampler.Among(s.Record.Ticks, ends, reach)
	for i := range w.taken {
		w.samples[i] = *w.entry(first + w.burst.Index(U(i), w.skip))
	}
	w.group = w.mostFrequent() | U(w.level)<<runfile.WindowLevel | w.density()<<runfile.WindowDensity
	s.Record.Ends += w.ends
	s.Record.Taken += U(w.taken)
	s.Cost += w.ends * tick.ProbeCost
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

// mostFrequent returns the site that most samples are from.
//
//go:norace
func (w *nativeWindowType) mostFrequent() (site U) {
	best := uint32(0)
	for i := range w.taken {
		_, number := w.samples[i].split()
		if number >= U(native.n) {
			continue
		}
		if n := inWindow(number); n > best {
			best, site = n, number
		}
	}
	for i := range w.taken {
		if _, number := w.samples[i].split(); number < U(native.n) {
			siteState(number).InWindow = 0
		}
	}
	return site
}

//go:norace
func inWindow(site U) uint32 {
	s := siteState(site)
	s.InWindow++
	return uint32(s.InWindow)
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
	if w.closed <= w.opened || w.ends > 0 && w.taken == 0 {
		nativeTraps.n = 0
		return // the thread has ended, or the log was full
	}
	length := w.closed - w.opened
	length -= min(length-1, nativeTraps.inWindow)
	net := sampler.NetNative(length, w.ends, w.full)
	weight := sampler.Weight(w.ends, U(w.taken), net, unstood[w.level])
	unstood[w.level] = 0
	of := U(0)
	for i := range w.taken {
		if countWeighed(&w.samples[i], weight) == w.level {
			of++
		}
	}
	weighLooks(of * weight)
}

// countWeighed counts a sample, and returns the level of its site.
//
//go:norace
func countWeighed(e *ended, weight U) (level uint8) {
	at, number := e.split()
	if at == 0 || number >= U(native.n) || !e.plausible() {
		return 0
	}
	level = siteState(number).Level
	if level == nativeWindow.level {
		noteSite(e, weight, 1)
	}
	path := U(0)
	if at&isHash != 0 {
		path = e.path
	}
	addReplicate(U(at), path, nativeWindow.group|U(level)<<runfile.WindowOf, weight)
	return level
}

// numberOf returns the number of a log.
//
//go:norace
func numberOf(l *threadLog) uintptr {
	return (uintptr(unsafe.Pointer(l)) - uintptr(unsafe.Pointer(&nativeLogs.list[0]))) / unsafe.Sizeof(threadLog{})
}
