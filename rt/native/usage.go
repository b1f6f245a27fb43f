//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package native

import (
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// usage is how much of the time by the clock the program works, up to the last tick; ns.
var usage struct {
	wall, cpu         U // between the last two ticks
	thenWall, thenCPU U // at the last one
}

// startUsage begins the first interval.
//
//go:norace
func startUsage() { usage.thenWall, usage.thenCPU = tick.WallTime(), tick.CPUTime() }

// noteUsage ends an interval. Now is the CPU time of the process.
//
//go:norace
func noteUsage(now U) {
	u, wall := &usage, tick.WallTime()
	u.wall, u.cpu = wall-u.thenWall, now-u.thenCPU
	u.thenWall, u.thenCPU = wall, now
}

// idle reports whether the program waits most of the time. One that has to share its processor with others looks the
// same, so it is less than a quarter of one.
//
//go:norace
func idle() bool { return usage.cpu < usage.wall/4 }

// byClock returns how long the clock goes while an idle program uses so much CPU time, up to 50 ms.
//
//go:norace
func byClock(length U) U {
	const longest = 50_000_000
	return min(length*usage.wall/max(usage.cpu, 1), longest)
}
