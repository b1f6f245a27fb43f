//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Which sites are counted, which sampled: package sampler decides it (sampler.Site).

// counting is what is known of the sites of the program.
var counting struct {
	states  uintptr // of a sampler.Site for each
	touched uintptr // numbers of those that have counted a path end since the last tick
	hot     uintptr // numbers of those that are sampled, ascending
	list    uintptr // room for the numbers of all
	nTouch  int
	nHot    int
	ends    U // path ends counted since the last tick
	filled  U // CPU time of the process when a log was full, or at a tick
}

const (
	// countingCost is what a counted path end takes, in ns: the stub, and what is done when the log is looked at.
	countingCost = 12
	// firstEnds is how many path ends are counted first, in any case, which takes 0.2 ms: all that a short program does.
	firstEnds = 16_384
)

// startCounting has all sites counted, and reports whether there is memory for what is to be known of them.
//
//go:norace
func startCounting() bool {
	c, n := &counting, U(native.n)
	c.states = mmapMemory(n * U(unsafe.Sizeof(sampler.Site{})))
	c.touched, c.hot, c.list = mmapMemory(n*4), mmapMemory(n*4), mmapMemory(n*4)
	return c.states != 0 && c.touched != 0 && c.hot != 0 && c.list != 0
}

// siteState returns what is known of a site.
//
//go:norace
func siteState(site U) *sampler.Site {
	return (*sampler.Site)(sys.Pointer(counting.states + uintptr(site)*unsafe.Sizeof(sampler.Site{})))
}

// siteStates returns what is known of all sites.
//
//go:norace
func siteStates() []sampler.Site {
	return unsafe.Slice((*sampler.Site)(sys.Pointer(counting.states)), int(native.n))
}

// touchedSites returns the sites that have counted a path end since the last tick.
//
//go:norace
func touchedSites() []uint32 {
	return unsafe.Slice((*uint32)(sys.Pointer(counting.touched)), int(native.n))[:counting.nTouch]
}

// hotSites returns the sites that are sampled.
//
//go:norace
func hotSites() []uint32 {
	return unsafe.Slice((*uint32)(sys.Pointer(counting.hot)), int(native.n))[:counting.nHot]
}

// touch notes that a site has counted a path end.
//
//go:norace
func touch(site uint32) {
	c := &counting
	*(*uint32)(sys.Pointer(c.touched + uintptr(c.nTouch)*4)) = site
	c.nTouch++
}

// countingBound returns how many path ends may be counted from one tick to the next.
//
//go:norace
func countingBound() U {
	bound := tick.Sampling.Governor.CountingBound(countingCost, tick.Waits())
	if tick.Sampling.Record.CountedEnds <= firstEnds {
		bound = max(bound, firstEnds)
	}
	return bound
}

// countingRoom is how many path ends a log has room for where they are counted. What ends too often is soon found out
// so.
//
//go:norace
func countingRoom() U { return min(2*countingBound()+64, nativeEnds) }

// fall has what is counted too often be sampled. All logs have been counted, and that was so for length ns.
//
//go:norace
func fall(length U) {
	c := &counting
	touched := touchedSites()
	n := sampler.Fall(siteStates(), touched, countingBound(), length)
	arm(touched[:n], disarmed)
	for _, site := range touched[:n] {
		if sites.list != nil {
			siteOf(sites.list, U(site)).At |= runfile.SiteSampled
		}
		addHot(site)
	}
	sampler.Settle(siteStates(), touched)
	c.nTouch, c.ends = 0, 0
}

// addHot adds a site to those that are sampled.
//
//go:norace
func addHot(site uint32) {
	c := &counting
	c.nHot++
	hot := hotSites()
	i := len(hot) - 1
	for ; i > 0 && hot[i-1] > site; i-- {
		hot[i] = hot[i-1]
	}
	hot[i] = site
}

// learn decides which sites are counted and which sampled, after the last interval ns. All logs have been counted; the
// last path ends took length ns.
//
//go:norace
func learn(interval, length U) {
	const unit = 10_000_000 // ns
	w := &nativeWindow
	for _, number := range hotSites() {
		site := siteState(U(number))
		if w.closed > w.opened && !w.learned {
			site.Saw(w.level, w.length())
		}
		site.Ends = 0
	}
	w.learned = true
	bound := countingBound()
	room := (bound - min(counting.ends, bound)) * unit / max(interval, unit)
	fall(length)
	sampler.Plan(siteStates(), hotSites(), room)
	rise()
}

// rise has sites be counted again that have come to level 0.
//
//go:norace
func rise() {
	hot := hotSites()
	kept := 0
	for i, number := range hot {
		if siteState(U(number)).Level == 0 {
			arm(hot[i:i+1], armed)
			continue
		}
		hot[kept] = number
		kept++
	}
	counting.nHot = kept
}

// nextLevel returns the level of the next window, any in turn. It is 0 if no site is sampled. There are windows of levels
// that no site has. What they see of lower levels tells what part of the time they stand for, if some site gets there.
//
//go:norace
func nextLevel() uint8 {
	if counting.nHot == 0 {
		return 0
	}
	return uint8(tick.Sampling.Record.Windows%sampler.Highest) + 1
}

// armLevel arms the sites that windows of a level see, or disarms them.
//
//go:norace
func armLevel(level uint8, to byte) {
	list := unsafe.Slice((*uint32)(sys.Pointer(counting.list)), int(native.n))
	n := 0
	for _, number := range hotSites() {
		if siteState(U(number)).Level <= level {
			list[n] = number
			n++
		}
	}
	arm(list[:n], to)
}
