//go:build goprofinstr_std && goprofinstr_sampler

package sys

import "runtime"

// Thread returns the number of the calling thread.
func Thread() U { return runtime.GoprofinstrThread() }

// Slot is Thread modulo 256. Probes have it in line, to which each node is dear.
func Slot() uint8 { return runtime.GoprofinstrSlot() }

// LastThread returns the number of the thread that was made last.
func LastThread() U { return runtime.GoprofinstrLastThread() }
