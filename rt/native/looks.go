//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Looks at path ends in windows and at random times. They are at those that fill the log, which is begun anew with room
// for some number of others. So it is any of the path ends there. It is not the first after a tick, which is more often
// one that took long than one of many that were short. Nor is it the first at some site, which is often the first round
// of a loop.
//
// Sites are strata, each a function and an end of its paths. A window has looks at different sites. At the random time
// the sites of some level but the highest are armed for them. So most looks are not at what ends most often. A look
// stands for all executions at its site since the last one there, so it does not matter which sites have many looks.

const (
	// candidates is how many path ends of a window fill the log for that, at most. The stack is not looked at if that of
	// another one at the site has been.
	candidates = 2
	// randomCandidates is how many do at a random time.
	randomCandidates = 4
	// fewCandidates is how many do there where windows use the budget up.
	fewCandidates = 2
	// mostPassed is how many path ends are passed by before a look, at most.
	mostPassed = 512
)

// later says what the next signal that is no tick is for.
type later uint8

const (
	nothing later = iota
	windowEnd
	randomLooks
)

// startLooks begins the log anew, with room for some path ends before the first of so many candidates. There are about
// so many path ends in the time that the looks are for. There are no more than few candidates if windows use the budget
// up.
//
//go:norace
func startLooks(l *threadLog, ends U, most, few int) {
	w := &nativeTraps
	w.left = 0
	w.looks.Begin()
	switch {
	case !looksWanted():
	case tick.Sampling.Governor.Spare() || tick.Sampling.Record.Ticks%8 == 0:
		w.left = most
	default:
		w.left = few
	}
	w.begun = w.left
	nextLook(l, ends)
}

// looksWanted reports whether there may be looks.
//
//go:norace
func looksWanted() bool { return contexts.On() && !native.off && guarded() }

// startRandomLooks has sites of some level armed for looks. The calling thread has had the tick, a random time ago.
//
//go:norace
func startRandomLooks(l *threadLog) {
	w := &nativeTraps
	countLogs() // what comes from now on is of no window
	ends := counting.ends
	if w.level = looksLevel(); w.level > 0 {
		armLevel(w.level, armed)
		ends = lastEnds[w.level]
	}
	startLooks(l, ends, randomCandidates, fewCandidates)
}

// looksLevel returns the level of the sites that are to be looked at, 0 for what is counted.
//
//go:norace
func looksLevel() uint8 {
	var levels [sampler.Highest]uint8
	n := 0
	for level := uint8(1); level <= sampler.Highest; level++ {
		if hasSites(level) {
			levels[n] = level
			n++
		}
	}
	ticks := tick.Sampling.Record.Ticks
	if n == 0 || ticks%4 == 0 {
		return 0
	}
	return levels[sampler.Spread(ticks, U(max(n-1, 1)))] // windows see enough of the highest
}

// hasSites reports whether any sites have a level.
//
//go:norace
func hasSites(level uint8) bool {
	for _, number := range hotSites() {
		if siteState(U(number)).Level == level {
			return true
		}
	}
	return false
}

// endRandomLooks disarms these sites.
//
//go:norace
func endRandomLooks() {
	w := &nativeTraps
	w.left = 0
	if w.level > 0 {
		armLevel(w.level, disarmed)
		countLogs()
		w.level = 0
	}
}

// nextLook is startLooks for the candidates that are left.
//
//go:norace
func nextLook(l *threadLog, ends U) {
	room := U(nativeEnds)
	switch w := &nativeTraps; {
	case w.left > 0:
		n := tick.Sampling.Record.Ticks*randomCandidates + U(w.left)
		room = sampler.Spread(n, min(ends/U(w.begun), mostPassed)) + 1
	case !nativeWindow.open || nativeWindow.all:
		room = countingRoom()
	}
	l.begin(uintptr(room))
}

// look looks at a path end that has filled the log, if that is wanted of its site.
//
//go:norace
func look(at unsafe.Pointer, e ended) {
	w := &nativeTraps
	_, number := e.split()
	if number >= U(native.n) || !w.looks.Wants(number) {
		return
	}
	if path := contexts.Attach(at, e.pathEnd()); path != 0 {
		w.looks.Add(sampler.Look{Path: U(path), Site: number})
	}
}

// weighLooks has the looks stand for the executions at their sites of which none has stood for yet. Those that wait for
// an estimate refer to paths in the tree, which must not be folded meanwhile.
//
//go:norace
func weighLooks() {
	w, wait := &nativeTraps, !contexts.Folds()
	for i := range w.looks.Len() {
		l := w.looks.At(i)
		if weight := w.looks.Weigh(i, w.notLookedAt(l.Site), wait); weight > 0 {
			*w.of(l.Site) += weight
			contexts.Executed(pcct.Ref(l.Path), weight)
		}
	}
	w.looks.Weighed()
}

// notLookedAt returns how many executions at a site no look stands for yet, in units of sampler.One.
//
//go:norace
func (w *nativeTrapsType) notLookedAt(site U) U {
	if sites.list == nil {
		return sampler.One
	}
	estimate := siteOf(sites.list, site).Estimate
	return estimate - min(*w.of(site), estimate)
}

// of returns how many executions at a site looks stand for.
//
//go:norace
func (w *nativeTrapsType) of(site U) *U { return (*U)(sys.Pointer(w.looked + uintptr(site)*8)) }
