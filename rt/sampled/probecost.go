package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// What a probe takes while a window is open. It differs by more than three from machine to machine. So it is measured now and
// then, in a loop that does what probes do. In a program a probe takes longer: its code and the log are not only there.

const (
	// probesMeasured is how many probes the loop has, and measuredEvery how many windows there are from loop to loop.
	probesMeasured = 1024
	measuredEvery  = 64
	// inProgram is what a probe takes in a program, in units of what it takes in the loop.
	inProgram = 1.4
	// What a probe takes in the loop, in ns: if nobody knows, and at least and at most. What is less or more comes of a
	// clock that seldom ticks, or of an interrupt.
	usualCost, leastCost, mostCost = 1, 0.3, 5
)

// probes is what is known of the cost of a probe.
var probes struct {
	inLoop float64 // ns; 0 before it is measured
	log    probeLog
	of     Switch
}

// A probeLog is as a thread's log, but nobody looks at it.
type probeLog struct {
	ends U
	path [2]ended
}

// probeCost returns what a probe takes in a program, in ns.
//
//go:norace
func probeCost() float64 {
	cost := probes.inLoop
	if cost == 0 {
		cost = usualCost
	}
	return inProgram * cost
}

// measureProbes measures what a probe takes, in some windows.
//
//go:norace
func measureProbes(window U) {
	if window%measuredEvery != 0 {
		return
	}
	began := tick.ThreadTime()
	runProbes(&probes.of, &probes.log)
	ended := tick.ThreadTime()
	reading := tick.ThreadTime() - ended
	took := ended - began
	took -= min(reading, took)
	if cost := float64(took) / probesMeasured; cost >= leastCost && cost <= mostCost {
		if probes.inLoop == 0 {
			probes.inLoop = cost
		}
		probes.inLoop += (cost - probes.inLoop) / 4
	}
}

// runProbes does what as many probes do.
//
//go:norace
//go:noinline
func runProbes(of *Switch, l *probeLog) {
	of.On, l.ends = true, 0
	for range probesMeasured {
		if of.On {
			l.path[min(l.ends, 1)].at = uintptr(unsafe.Pointer(of))
			if l.ends++; l.ends > mostEnds {
				l.path[0].path = l.ends
			}
			if of.counted {
				sys.Inc64(&l.ends)
			}
		}
	}
}
