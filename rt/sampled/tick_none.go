//go:build !goprofinstr_sampler

package sampled

// Without help of package runtime there are no ticks, and nothing is sampled.

func startTicks(U)        {}
func setPeriod(U)         {}
func endWindow(U)         {}
func comeBack(U)          {}
func threadTime() U       { return 0 }
func burstClock() uintptr { return 0 }

const ownTicks = false

func readClock(uintptr) U { return 0 }
func cpuTime() U          { return 0 }
func wallTime() U         { return 0 }
