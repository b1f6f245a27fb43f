//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64) && !goprofinstr_basic

package tick

import (
	"internal/runtime/exithook"
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Ticks are signals, SIGPROF, of two POSIX timers: one of the process's CPU time, and one that ends a window. Package runtime has
// handlers for all signals, and tells us of ours (signal.go.txt), which it knows by
// their value. A timer of our own disturbs neither the CPU profiler nor programs that use setitimer.

// The values of our signals.
const (
	tickValue   = 0x6770_7469_636b_0001
	windowValue = 0x6770_7469_636b_0002
)

var tickTimer int32

// windowTimer ends a window, and has path ends looked at after it.
var windowTimer struct {
	id int32
	of uintptr // the thread that its signal is for; 0 if there is no timer
}

// onSignal says what is to be called for SIGPROF of a POSIX timer, and for faults.
//
//go:linkname onSignal
func onSignal(signal func(value uintptr, overruns int32, idle bool, at unsafe.Pointer) bool, fault func(address uintptr, at unsafe.Pointer) bool)

//go:norace
func Start(period U) {
	OwnTicks = sys.LinuxAtLeast(6, 4)
	runtime.GoprofinstrFindMonitor()
	StartSignals()
	exithook.Add(exithook.Hook{F: finish, RunOnFailure: true})
	if !sys.CreateTimer(&tickTimer, sys.ClockProcessCPU, tickValue, 0) || !setPeriod(period) {
		sys.Warn("goprofinstr: no timer for sampling; the profile has the first few paths only\n")
	}
}

// finish is called when the process is about to exit. The last ticks may all have come in threads of C.
//
//go:norace
func finish() {
	sys.Add64(&Sampling.Record.Overruns, U(runtime.GoprofinstrForeign()))
	handlers.Finish()
}

// StartSignals has signals be handled.
func StartSignals() { onSignal(signal, handlers.Fault) }

// segvHandler is the handler of SIGSEGV that there was: package runtime's.
var segvHandler U

// KeepFaults has HandlesFaults know who handles faults now.
//
//go:norace
func KeepFaults() { segvHandler = sys.SegvHandler() }

// HandlesFaults reports whether faults are still handled as they were. If not, C code has taken them over.
//
//go:norace
func HandlesFaults() bool { return sys.SegvHandler() == segvHandler }

// signal handles a signal if it is one of ours. Idle says that the thread runs no goroutine.
//
//go:norace
func signal(value uintptr, overruns int32, idle bool, at unsafe.Pointer) bool {
	switch value {
	case tickValue:
		sys.UnblockBus()
		used := sinceLastTick()
		passed := idle && !OwnTicks || used < Sampling.Governor.Interval()/leastWork
		looked := U(0)
		if idle && !passed && sys.Gettid() != runtime.GoprofinstrMonitor() {
			looked = used
		}
		passed = passed || idle
		missed := U(overruns) + U(runtime.GoprofinstrForeign())
		handlers.Tick(missed+makeUp(passed), looked, passed, runtime.GoprofinstrInC(), at)
	case windowValue:
		sys.UnblockBus()
		handlers.WindowOver(runtime.GoprofinstrInC(), at)
	default:
		return false
	}
	return true
}

// leastWork is how much CPU time a thread has to have used since its last tick for another one: this part of that between
// ticks. What threads take that are only woken for signals is some 30 µs, but the one that writes a CPU profile has some
// hundred every tenth of a second. Others have a tenth fewer ticks for it, all alike, and these are made up for.
const leastWork = 10

// mostThreads is how many threads have their last ticks remembered.
const mostThreads = 256

// lastTicks says when threads had their last ticks. Two threads may share one, and take it from each other.
var lastTicks [mostThreads]struct{ thread, used U }

// sinceLastTick returns how much CPU time the calling thread has used since its last tick; as much as can be where ticks come in
// other threads than those that used it. A thread may have slept in a system call. A signal that comes while its thread handles
// another is given to any thread that handles none. The CPU profiler's own signals come at the same ticks of the kernel's clock.
// With the profiler on, our signal wakes the goroutine that sleeps until there is something to write. That goroutine had half of
// all ticks, and for next to no CPU time.
//
//go:norace
func sinceLastTick() U {
	if !OwnTicks {
		return ^U(0)
	}
	id, used := sys.Thread(), ThreadTime()
	last := &lastTicks[id%mostThreads]
	since := used
	if last.thread == id {
		since -= last.used
	}
	last.thread, last.used = id, used
	return since
}

// due is when the next tick would have come after one that was passed over; 0 if that has been made up for. Phase is a time
// at which a tick is due, at any number of intervals: what the kernel is late by must not add up.
var due, phase U

// makeUp has a tick that is passed over come again at the kernel's next tick, and the next ones when they would have come.
// It returns how many should have come meanwhile.
//
//go:norace
func makeUp(idle bool) (overruns U) {
	next := due // another thread may change it meanwhile
	if !idle && next == 0 {
		return 0
	}
	now, interval := CPUTime(), Sampling.Governor.Interval()
	if next == 0 {
		next = now + interval - (now-phase)%interval
	}
	for ; next <= now; next += interval {
		overruns++
	}
	if idle {
		due = next
		sys.SetTimer(tickTimer, 1, interval)
		return overruns
	}
	due = 0
	sys.SetTimer(tickTimer, next-now, interval)
	return overruns
}

// setPeriod sets the CPU time between ticks, and reports whether the system lets it.
//
//go:norace
func setPeriod(ns U) bool {
	phase = CPUTime()
	return sys.SetTimer(tickTimer, ns, ns)
}

// EndWindow has the window end after some time, by a signal for the calling thread, which has had the tick. One that is for
// the process goes to any thread, and often to one that sleeps in C, where nanosleep, poll and sem_timedwait then fail with
// EINTR.
//
//go:norace
func EndWindow(ns U) {
	w := &windowTimer
	tid := sys.Gettid()
	if w.of != tid {
		if w.of != 0 {
			sys.DeleteTimer(w.id)
		}
		if w.of = tid; !sys.CreateTimer(&w.id, sys.ClockMonotonic, windowValue, tid) {
			w.of = 0
			return // the next tick does without
		}
	}
	sys.SetTimer(w.id, ns, 0)
}

// soon is the most time after which path ends are looked at with their contexts in programs with C code, ns.
const soon = 1_000_000

// ComeBack has path ends looked at with their contexts after some time. The longer that is, the likelier the thread sleeps
// in C by then. (A timer of the thread's CPU time would not wake it. It expires when ticks do, and of two signals at a time
// the kernel gives one to another thread.)
//
//go:norace
func ComeBack(ns U) {
	if runtime.GoprofinstrCgo() {
		ns = min(ns, soon)
	}
	EndWindow(ns)
}

// CPUTime returns the CPU time that the process has used, in ns.
//
//go:norace
func CPUTime() U { return ReadClock(sys.ClockProcessCPU) }

// WallTime returns the time by the clock, in ns.
//
//go:norace
func WallTime() U { return ReadClock(sys.ClockMonotonic) }

// ThreadTime returns the CPU time that the calling thread has used, in ns.
//
//go:norace
func ThreadTime() U { return ReadClock(sys.ClockThreadCPU) }

// OwnTicks tells that ticks come in the thread that used the CPU time, as they do since Linux 6.4. Before, most came in the
// first one.
var OwnTicks bool

// BurstClock returns the clock for a burst: of the calling thread's CPU time, which other threads can read, too.
//
//go:norace
func BurstClock() uintptr {
	if !OwnTicks {
		return sys.ClockMonotonic
	}
	return sys.ClockOf(sys.Gettid())
}

// WorkTime returns what is left of the CPU time of the process, now, without what the runtime's monitor has used. The monitor
// wakes every 20 µs while goroutines go into system calls. That is a seventh of the CPU time of some services, and ticks hardly
// find it.
//
//go:norace
func WorkTime(now U) U {
	monitor := runtime.GoprofinstrMonitor()
	if monitor == 0 {
		return now
	}
	return now - min(now, ReadClock(sys.ClockOf(monitor)))
}

// ReadClock returns 0 for the clock of a thread that is no more.
//
//go:norace
func ReadClock(clock uintptr) U { return sys.ClockTime(clock) }
