//go:build !goprofinstr_std || !goprofinstr_sampler || !linux || !amd64 || goprofinstr_basic

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// Elsewhere no program has native probes.

func Start() bool                        { return true }
func On() bool                           { return false }
func Tick(U, bool, unsafe.Pointer)       {}
func WindowOver(bool, unsafe.Pointer)    {}
func Finish()                            {}
func ResolveSites()                      {}
func Fault(uintptr, unsafe.Pointer) bool { return false }
func StartTraps()                        {}
func InChild() bool                      { return false }

// mostTries is for how long LastTurn waits: some 20 ms. Not all of these systems have a way to yield.
var mostTries = 1 << 22

// LastTurn has no other thread sample any more, and reports whether none does. One that is at it is in a signal handler, or is
// the runtime's monitor. Both are soon done.
//
//go:norace
func LastTurn() bool {
	for range mostTries {
		if tick.Sampling.TryLock() {
			return true
		}
	}
	return false
}
