//go:build goprofinstr_std && goprofinstr_sampler

package sys

import "runtime"

// Thread returns the number of the calling thread.
func Thread() U { return runtime.GoprofinstrThread() }

// LastThread returns the number of the thread that was made last.
func LastThread() U { return runtime.GoprofinstrLastThread() }
