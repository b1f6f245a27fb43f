//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Bursts, which are for tests: they have ticks of their own, and what they see is counted once each. There is one at a time. What
// programs of users do is in window.go.

// burst is the one that there is, or the last.
var burst struct {
	words  uintptr // of the thread, 0 if there is none
	timer  int32
	of     uintptr // the thread that the timer's signals are for
	random U
}

// The values of our signals.
const (
	tickValue = 0x6770_636f_7079_0001
	endValue  = 0x6770_636f_7079_0002
)

var tickTimer int32

func init() {
	if image.Code == 0 || image.Mode == Sampled {
		return
	}
	if why := mapImage(); why != "" {
		sys.Warn("goprofinstr: counting copies: ", why, "; nothing is counted\n")
		return
	}
	runfile.AtExit(finish)
	if image.Interval == 0 {
		return
	}
	clock := uintptr(sys.ClockProcessCPU)
	if image.Interval < FewestNs {
		clock = sys.ClockMonotonic
	}
	if image.Mode != Always && sys.CreateTimer(&tickTimer, clock, tickValue, 0) {
		sys.SetTimer(tickTimer, image.Interval, image.Interval)
	}
}

// signal handles a signal if it is ours.
//
//go:norace
func signal(value uintptr, at unsafe.Pointer) bool {
	switch value {
	case tickValue:
		enter(at)
	case endValue:
		endBurst(at)
	default:
		return false
	}
	return true
}

// enter begins a burst if the thread is at an instruction that has a copy, or in a call from what has one.
//
//go:norace
func enter(at unsafe.Pointer) {
	pc := runtime.GoprofinstrPC(at)
	sys.Inc64(&program.stats.Ticks)
	if !runtime.GoprofinstrUser(at) {
		sys.Inc64(&program.stats.Outside)
		return
	}
	if !sys.CAS64(&program.busy, 0, 1) {
		return
	}
	w := runtime.GoprofinstrWords()
	if cold.on {
		enterCold(w, at, pc)
		return
	}
	log := logOf(w)
	copied := entrance(pc)
	if log == 0 || runtime.GoprofinstrLead(at, returnTo) == 0 && copied == 0 {
		sys.Inc64(&program.stats.Outside)
		sys.Store64(&program.busy, 0)
		return
	}
	if !beginBurst(w, pc) {
		return
	}
	if copied == 0 {
		program.stats.Returns++
	}
	w[nextRecord], w[lastRecord] = log, log
	if copied != 0 {
		runtime.GoprofinstrResume(at, copied, firstRegister, runtime.GoprofinstrRegister(at, firstRegister))
	}
}

// beginBurst has a signal come when the burst is over that begins. It reports false if there can be none.
//
//go:norace
func beginBurst(w *words, pc uintptr) bool {
	b := &burst
	if tid := sys.Gettid(); b.of != tid {
		if b.of != 0 {
			sys.DeleteTimer(b.timer)
		}
		if b.of = tid; !sys.CreateTimer(&b.timer, sys.ClockMonotonic, endValue, tid) {
			b.of = 0
			sys.Store64(&program.busy, 0)
			return false
		}
	}
	program.decoder.Forget()
	program.stats.Bursts++
	b.words = uintptr(unsafe.Pointer(w))
	b.random = sys.Mix(b.random + U(pc))
	sys.SetTimer(b.timer, 1000+b.random%image.Length, 0)
	return true
}

// endBurst ends the burst of the calling thread, if that has it.
//
//go:norace
func endBurst(at unsafe.Pointer) {
	w := runtime.GoprofinstrWords()
	if burst.words != uintptr(unsafe.Pointer(w)) {
		return
	}
	if cold.on {
		endColdBurst(w, at)
		return
	}
	leave(at)
	closeBurst(w)
}

// closeBurst counts what a burst has seen. The thread is in no copy any more, or is about to leave it at the end of a call.
//
//go:norace
func closeBurst(w *words) {
	cut(w)
	burst.words = 0
	program.stats.Records += U(w[lastRecord]-w[ownLog]) / pathlog.RecordSize
	program.decoder.Decode(records(w[ownLog], w[lastRecord]))
	program.stats.Lost = program.decoder.Lost
	sys.Store64(&program.busy, 0)
}

// cut has a thread note nothing any more.
//
//go:norace
func cut(w *words) {
	if w[nextRecord] != 0 {
		w[lastRecord] = w[nextRecord]
		w[nextRecord] = 0
	}
}

// fault handles a fault in a copy, as windowFault does. A record faults where the log is full, or the burst is over.
//
//go:norace
func fault(at unsafe.Pointer) bool {
	pc := runtime.GoprofinstrPC(at)
	w := runtime.GoprofinstrWords()
	_, _, kind := origin(pc)
	register, record := noting(kind)
	switch {
	case !record:
		return leaveFault(at)
	case cold.on:
		coldFault(w, at, pc, register)
		return true
	case image.Mode == Always:
		drain(w)
		runtime.GoprofinstrResume(at, pc, register, U(w[nextRecord]))
		return true
	}
	leave(at)
	if w[nextRecord] == 0 {
		sys.Inc64(&program.stats.Late)
	}
	if burst.words == uintptr(unsafe.Pointer(w)) {
		program.stats.Full++
		sys.SetTimer(burst.timer, 0, 0)
		closeBurst(w)
	}
	return true
}
