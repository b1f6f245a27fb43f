//go:build !goprofinstr_std || !goprofinstr_sampler || !linux || !(amd64 || arm64 || riscv64)

package rt

import "unsafe"

// Without signals there are no contexts, neither of ticks nor of path ends.

func startContexts(U)               {}
func tickContext(unsafe.Pointer, U) {}
func trapFirst(U)                   {}
func contextsWanted() bool          { return false }
func trapSome()                     {}
func trapTime() U                   { return 0 }
func seen(log U) U                  { return ends(log) }
func countContexts(U)               {}
