//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Native path ends with their contexts. A look at a stack takes some microseconds, so there are few, and they are of
// these kinds:
//
//   - the first path ends of the program, and at some sites: whoever tries it on a small one wants to see all contexts.
//     The stubs of sites begin with an instruction that faults.
//   - the next ones of the thread after a tick, for the activation that the tick has interrupted. The thread's cursor
//     leads to the page behind its log.
//   - some in each window, and some at a random time after it: see looks.go.

// firstLooks is how many sites are looked at when they have their first path end, besides contexts.AtStart.
const firstLooks = 192

// nativeTraps is what is known of looks.
var nativeTraps nativeTrapsType

type nativeTrapsType struct {
	first int // path ends that are still looked at since they are the first ones

	left  int // candidates until the log is as large as it can be
	begun int // how many there were first
	looks sampler.Looks

	later later
	level uint8 // of the sites that are armed for looks at a random time, with those of lower ones; or 0

	looked uintptr // estimates of the sites, of which looks stand for these already
}

// StartTraps has the first path ends trapped.
//
//go:norace
func StartTraps() {
	if !contexts.On() || !On() {
		return
	}
	if nativeTraps.looked = mmapMemory(U(native.n) * 8); nativeTraps.looked == 0 {
		contexts.Stop()
	}
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
		contexts.Executed(path, sampler.One)
		*w.of(number) += sampler.One
	}
	tick.Sampling.Cost += contexts.TrapCost
}

// guarded reports whether faults are still handled by package runtime. If not, C code has taken them over, and no site is
// armed from then on: a thread that has no log yet would fault.
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
	if !contexts.Matching() {
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
