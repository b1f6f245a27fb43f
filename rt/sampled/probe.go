package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Rewritten code is
//
//	if S[Pad+k].On { sampled.Sample(&S[Pad+k], sampled.Pair(&C[rt.Pad], r)) }
//
// The test is at the end of every path of function k, where S has the Switches of the package. It is a comparison with memory and
// a branch, as long as a sampled function is in no window. There is no call in it, since Sample is inlined. So functions that
// call nothing else need no stack frame for it, and the path register is needed nowhere else.

// threads is how many logs there are. Threads whose numbers are equal modulo that share one, and lose samples
// when both are in a burst.
const threads = 1 << 8 // as many as sys.Slot tells apart

// slots returns how many logs can be in use: threads have ascending numbers.
//
//go:norace
func slots() U { return min(threads, sys.LastThread()+1) }

// mostEnds is how many path ends there can be in a burst, if the signal at the end of its window is late. They are
// some hundred microseconds of work.
const mostEnds = 1 << 17

// logs are what probes write. A log is in use by one goroutine at a time, but for one that has been preempted in the middle of
// Sample. That one does no harm but to the samples.
//
// It is a pointer, which each probe loads. Otherwise the compiler would keep the address of the array in a register from one
// probe to the next. It would set that register again wherever a probe is passed by.
var logs = &memory

// memory is no memory of the heap, whose size is what the garbage collector goes by.
var memory [threads]struct {
	ends U                           // path ends since the tick
	word U                           // of the path end that is being trapped: the address of the activation word
	last U                           // and the path's number, if the estimates are in a Hash
	path [sampler.MaxReach + 1]ended // and one for those that there is no room for
}

// ended is what a probe notes: where the estimates are, and which of those in a Hash.
type ended struct {
	at   uintptr
	path U
}

// Pair returns the address of the estimate of path i, if the estimates begin at p. The number of its samples is behind it.
func Pair(p *U, i U) *U { return (*U)(unsafe.Add(unsafe.Pointer(p), i*16)) }

// isHash tells what SamplePath has noted: all addresses are even.
const isHash = 1

// Probe is the whole probe as an expression. It returns 0.
func Probe(of *Switch, p *U) U {
	if of.On {
		Sample(of, p)
	}
	return 0
}

// ProbeMark is Probe with SampleMark.
func ProbeMark(of *Switch, p, word *U) U {
	if of.On {
		SampleMark(of, p, word)
	}
	return 0
}

// ProbePath is Probe with SamplePath.
func ProbePath(of *Switch, h *rt.Hash, path U) U {
	if of.On {
		SamplePath(h, path)
	}
	return 0
}

// ProbePathMark is Probe with SamplePathMark.
func ProbePathMark(of *Switch, h *rt.Hash, path U, word *U) U {
	if of.On {
		SamplePathMark(h, path, word)
	}
	return 0
}

// CountHash counts a path that is in a hash table if its function is counted, which is a call. It returns 0.
//
//go:norace
func CountHash(of *Switch, h *rt.Hash, path U) U {
	if of.counted {
		rt.Path(h, path)
	}
	return 0
}
