//go:build !goprofinstr_std || !goprofinstr_sampler || !linux || !amd64

package sampled

import "unsafe"

// Without native probes there are only the logs that Sample writes.

// image is empty.
var image Image

func startNative() bool { return true }

func nativeProbes() bool { return false }

func nativeTick(U, bool, unsafe.Pointer) {}

func nativeWindowOver(unsafe.Pointer) {}

func nativeFinish() {}

func neverArm() {}

func inChild() bool { return false }

// split returns where the estimate is.
//
//go:norace
func (e *ended) split() (at uintptr, site U) { return e.at, 0 }

func resolvePending() {}

func resolveSites() {}

func undoStub(unsafe.Pointer, uintptr) (ended, bool) { return ended{}, false }

func stubFault(unsafe.Pointer, ended) {}

func stubTrapped(unsafe.Pointer) bool { return false }

func startTraps() {}
