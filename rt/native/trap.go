//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package native

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Native path ends with their contexts. A look at a stack takes some microseconds, so there are few, and they are of
// these kinds:
//
//   - the first path ends of the program, and at some sites: whoever tries it on a small one wants to see all contexts. The stubs of sites begin with an instruction that faults.
//   - the next ones of the thread after a tick, for the activation that the tick has interrupted. The thread's cursor leads to the page behind its log.
//   - some in each window, and some of those that are counted. They are those that fill the log, which is begun anew with room for some number of others. So it is any of the path ends
//     of the window, and not the first after a tick, which is more often one that took long than one of many that were short; nor the first at some site, which is often
//     the first round of a loop. Windows of each level have as many looks, at sites of that level: so most are not of what ends most often.

const (
	// looks is how many path ends of a window are looked at, and of those that are counted from one tick to the next.
	looks = 2
	// mostPassed is how many path ends are passed by before a look, at most.
	mostPassed = 512
	// firstLooks is how many sites are looked at when they have their first path end, besides contexts.AtStart.
	firstLooks = 192
)

var nativeTraps struct {
	first int // path ends that are still looked at since they are the first ones

	left  int             // looks of the window or of the counted path ends, until the log is as large as it can be
	paths [looks]pcct.Ref // that have been looked at in the window
	n     int             // of these
	rare  [looks]pcct.Ref // and of those that are counted, since the last tick
	nRare int
}

// StartTraps has the first path ends trapped.
//
//go:norace
func StartTraps() {
	if !contexts.On() || stubsView == 0 {
		return
	}
	nativeTraps.first = contexts.AtStart + firstLooks
	for i := range U(native.n) {
		trapStub(i, true)
	}
}

// endFirst has no site trapped any more.
//
//go:norace
func endFirst() {
	for i := range U(native.n) {
		if siteState(i).Trapped {
			trapStub(i, false)
		}
	}
}

// startLooks begins the log anew, with room for some path ends before the first look. There are about so many in the
// time that the looks are for.
//
//go:norace
func startLooks(l *threadLog, ends U) {
	w := &nativeTraps
	w.left = looks
	if !contexts.On() || native.off || !guarded() || !tick.Sampling.Governor.Spare() && tick.Sampling.Record.Ticks%8 != 0 {
		w.left = 0
	}
	nextLook(l, ends)
}

// nextLook is startLooks for the looks that are left.
//
//go:norace
func nextLook(l *threadLog, ends U) {
	room := U(nativeEnds)
	switch w := &nativeTraps; {
	case w.left > 0:
		room = sampler.Spread(tick.Sampling.Record.Ticks*looks+U(w.left), min(ends/looks, mostPassed)) + 1
	case !nativeWindow.open:
		room = countingRoom()
	}
	l.begin(uintptr(room))
}

// look looks at a path end that has filled the log.
//
//go:norace
func look(at unsafe.Pointer, e ended) {
	w := &nativeTraps
	_, number := e.split()
	if number >= U(native.n) {
		return
	}
	level := siteState(number).Level
	if nativeWindow.open != (level > 0) || level > 0 && level != nativeWindow.level {
		return
	}
	path := contexts.Attach(at, e.pathEnd())
	switch {
	case path == 0:
	case level > 0 && w.n < looks:
		w.paths[w.n] = path
		w.n++
	case level == 0 && w.nRare < looks:
		w.rare[w.nRare] = path
		w.nRare++
	}
}

// pathEnd returns what a stub has noted as the tree has it.
//
//go:norace
func (e *ended) pathEnd() contexts.PathEnd {
	at, _ := e.split()
	end := contexts.PathEnd{Estimate: U(at), Word: contexts.Unsaid}
	if at&isHash != 0 {
		end.Number = e.path
	}
	return end
}

// weighLooks has the looks of the window stand for some executions, in units of sampler.One.
//
//go:norace
func weighLooks(total U) {
	w := &nativeTraps
	addLooks(w.paths[:w.n], total)
	w.n = 0
}

// weighRareLooks has the looks at counted path ends stand for those since the last tick.
//
//go:norace
func weighRareLooks() {
	w := &nativeTraps
	addLooks(w.rare[:w.nRare], counting.ends*sampler.One)
	w.nRare = 0
}

//go:norace
func addLooks(paths []pcct.Ref, total U) {
	for _, path := range paths {
		contexts.Executed(path, max(1, total/U(len(paths))))
	}
}

// stubTrapped handles a path end at a site whose stub is trapped. It reports false if the signal is not of one.
//
//go:norace
func stubTrapped(at unsafe.Pointer) bool {
	pc := runtime.GoprofinstrPC(at)
	if U(pc) < image.Base || U(pc) >= image.Base+image.Code || native.sites == 0 {
		return false
	}
	switch *(*byte)(sys.Pointer(pc)) {
	case StubBegin:
		return true // another thread has ended the trap meanwhile
	case StubTrap:
	default:
		return false
	}
	sys.UnblockBus()
	number := siteAt(runtime.GoprofinstrUncall(at))
	if number < U(native.n) && stubOf(number) == pc && !InChild() && lockSampling() {
		lookAt(at, number)
		unlockSampling()
	}
	runtime.GoprofinstrRecall(at, pc)
	return true
}

// lookAt looks at a path end since it is one of the first.
//
//go:norace
func lookAt(at unsafe.Pointer, number U) {
	s, w := siteState(number), &nativeTraps
	if s.Trapped && w.first <= firstLooks {
		trapStub(number, false)
	}
	if w.first > 0 {
		if w.first--; w.first == 0 {
			endFirst()
		}
	}
	end := endAt(at, number)
	if path := contexts.Attach(at, end.pathEnd()); path != 0 {
		seen := [1]pcct.Ref{path}
		addLooks(seen[:], sampler.One)
	}
	tick.Sampling.Cost += contexts.TrapCost
}

// guarded reports whether faults are still handled by package runtime. If not, C code has taken them over, and no site is armed from then on: a
// thread that has no log yet would fault.
//
//go:norace
func guarded() bool {
	if tick.HandlesFaults() {
		return true
	}
	neverArm()
	contexts.Stop()
	return false
}

// trapNext has the next path ends of the calling thread trapped, if one of them may get the time of the tick.
//
//go:norace
func trapNext(l *threadLog) {
	if !contexts.Matching() || !guarded() {
		return
	}
	cursor := (*uintptr)(sys.Pointer(l.cursor))
	if l.held == 0 {
		l.held = *cursor
	}
	*cursor, l.tick = l.guard(), tick.Sampling.Record.Ticks
}

// nativeTrapped handles a path end that is trapped.
//
//go:norace
func nativeTrapped(at unsafe.Pointer, l *threadLog, e ended) {
	if l.held >= l.guard() {
		fullLog(l, at, e)
	}
	l.note(e)
	if l.tick == tick.Sampling.Record.Ticks && contexts.Matching() {
		contexts.Claim(at, e.pathEnd())
	}
	if !contexts.Matching() || l.tick != tick.Sampling.Record.Ticks {
		*(*uintptr)(sys.Pointer(l.cursor)) = l.held
		l.held = 0
	}
}
