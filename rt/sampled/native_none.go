//go:build !goprofinstr_std || !goprofinstr_sampler || !linux || !amd64

package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler"
)

// Without native probes there are only the logs that Sample writes.

// image is empty.
var image Image

func startNative() bool { return true }

func nativeProbes() bool { return false }

func newLog(U) bool { return false }

func neverArm() {}

//go:norace
func ends(log U) U { return logs[log].ends }

//go:norace
func setEnds(log, n U) { logs[log].ends = n }

//go:norace
func entry(log, n U) *ended { return &logs[log].path[n] }

func (e *ended) plausible() bool { return true }

func probeTime() float64 { return sampler.Probe }

func room() U { return sampler.MaxReach }

func most() U { return mostEnds }

//go:norace
func setBurst(on uint32) { Burst.On = on }

// split returns where the estimate is.
//
//go:norace
func (e *ended) split() (at uintptr, site U) { return e.at, 0 }

func countSite(*ended, U) {}

func resolvePending() {}

func resolveSites() {}

func undoStub(unsafe.Pointer) (ended, bool) { return ended{}, false }

func inChild() bool { return false }

func leaveParent() {}

func choosePages() {}

func agePages() {}

func seenPages(log, from, to U) {}

func share(log, n U) U { return 1 }
