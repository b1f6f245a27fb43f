//go:build !goprofinstr_std || !goprofinstr_sampler || !linux || !amd64

package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler"
)

// Without native probes there are only the logs that Sample writes.

func startNative() bool { return true }

func nativeProbes() bool { return false }

func newLog(U) {}

//go:norace
func ends(log U) U { return logs[log].ends }

//go:norace
func setEnds(log, n U) { logs[log].ends = n }

//go:norace
func entry(log, n U) *ended { return &logs[log].path[n] }

func probeTime() float64 { return sampler.Probe }

func most() U { return mostEnds }

//go:norace
func setBurst(on uint32) { Burst.On = on }

type noted struct{ ended }

func nativeEntry(log, n U) *noted { return nil }

func undoStub(unsafe.Pointer) (noted, bool) { return noted{}, false }

func choosePages() {}

func agePages() {}

func seenPages(log, from, to U) {}

func share(log, n U) U { return 1 }
