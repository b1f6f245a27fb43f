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
func LastTurn() bool                     { return tick.Sampling.TryLock() }
func Finish()                            {}
func ResolveSites()                      {}
func Fault(uintptr, unsafe.Pointer) bool { return false }
func StartTraps()                        {}
func InChild() bool                      { return false }
