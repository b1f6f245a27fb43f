//go:build goprofinstr_std && goprofinstr_sampler && (!linux || !(amd64 || arm64 || riscv64) || goprofinstr_basic)

package tick

import (
	"internal/runtime/exithook"
	_ "unsafe" // for go:linkname
)

// Ticks of the runtime's monitor (ticker.go.txt). It knows no CPU time: the time is that of the clock while any goroutine
// runs, and up to 20 ms of each time in which none does (awake.go.txt). There are as many ticks if all processors are busy as if
// one is.

// onTick says what is to be called for a tick and at the end of the window.
//
//go:linkname onTick
func onTick(tick, close func() uint32)

//go:linkname setTickPeriod
func setTickPeriod(ns int64)

//go:linkname nanotime
func nanotime() int64

//go:norace
func Start(period U) {
	// The hook of the run file was there before, and hooks run in reverse order.
	exithook.Add(exithook.Hook{F: handlers.Finish, RunOnFailure: true})
	setPeriod(period)
	onTick(monitorTick, monitorClose)
}

// openFor is the length of the window, in µs; 0 if it lasts until the next tick.
var openFor uint32

//go:norace
func monitorTick() uint32 {
	openFor = 0
	handlers.Tick(0, 0, false, false, nil)
	return openFor
}

// monitorClose ends the window, or has path ends trapped, and returns whether it is to be called again, and after what time.
//
//go:norace
func monitorClose() uint32 {
	openFor = 0
	handlers.WindowOver(false, nil)
	return openFor
}

// EndWindow has the monitor end the window after some time. It sleeps until then, which it would do anyway, though for no
// more than 10 ms.
//
//go:norace
func EndWindow(ns U) { openFor = uint32(ns / 1000) }

// ComeBack has it come back for path ends with their contexts, after less time than it is told: while it sleeps, nobody sees
// what threads are in long system calls.
//
//go:norace
func ComeBack(ns U) { EndWindow(min(ns, 1_000_000)) }

//go:norace
func setPeriod(ns U) { setTickPeriod(int64(ns)) }

//go:linkname awake
func awake() int64

//go:norace
func CPUTime() U { return U(awake()) }

//go:norace
func WallTime() U { return U(nanotime()) }

//go:norace
func ThreadTime() U { return WallTime() }

// OwnTicks tells that ticks come in the thread that used the CPU time. They come in the monitor.
const OwnTicks = false

func BurstClock() uintptr { return 0 }

//go:norace
func ReadClock(uintptr) U { return WallTime() }

// WorkTime returns the CPU time that it is given.
//
//go:norace
func WorkTime(now U) U { return now }
