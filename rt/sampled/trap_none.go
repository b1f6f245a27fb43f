//go:build !goprofinstr_std || !goprofinstr_sampler

package sampled

import "unsafe"

// Without ticks there are no contexts, and no path end is trapped.

func startContexts(U, bool) {}
func trapFirst(U)           {}
func dropTraps()            {}
func contextsWanted() bool  { return false }
func trapSome(bool)         {}
func trapTime() U           { return 0 }
func seen(log U) U          { return ends(log) }
func countContexts(U)       {}

func fault(uintptr, unsafe.Pointer) bool { return false }
