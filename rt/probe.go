package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler"
)

// Burst.On tells all probes that they are to note the path that ends there. Rewritten code is
//
//	if rt.Burst.On != 0 { rt.Sample(rt.Pair(&C[rt.Pad], r)) }
//
// at the end of every path: a comparison with memory and a branch, as long as it is not. There is no
// call in it, since Sample is inlined: functions that call nothing else need no stack frame for it, and the path
// register is not needed anywhere but there. On is alone on its cache line, which is written twice in a tick.
var Burst struct {
	_  [64]byte
	On uint32
	_  [64]byte
}

// threads is how many logs there are. Threads whose numbers are equal modulo that share one, and lose samples
// when both are in a burst.
const threads = 64

// mostEnds is how many path ends there can be in a burst, if the signal at the end of its window is late: some hundred
// microseconds of work.
const mostEnds = 1 << 17

// logs are what probes write. A log is in use by one goroutine at a time, but for one that has been preempted in the middle of
// Sample, which does no harm but to the samples.
//
// It is a pointer, which each probe loads, lest the compiler keep the address of the array in a register from one probe to the next
// and set that register again wherever a probe is passed by.
var logs = new(struct {
	// on leads to Burst.On, which a probe sets to 0 after mostEnds, or to nothing while path ends are trapped: see context.go.
	on [threads]*uint32
	of [threads]struct {
		ends U    // path ends since the tick
		last [2]U // of path ends that may be trapped
		path [sampler.MaxReach][2]U
	}
})

// Pair returns the address of the estimate of path i, if the estimates begin at p. The number of its samples is behind it.
func Pair(p *U, i U) *U { return (*U)(unsafe.Add(unsafe.Pointer(p), i*16)) }

// Sample notes that a path has ended, of which p is the estimate.
//
//go:norace
func Sample(p *U) {
	i := thread() % threads
	l := &logs.of[i]
	n := l.ends
	l.ends = n + 1
	if n < sampler.MaxReach {
		l.path[n][0] = U(uintptr(unsafe.Pointer(p)))
	} else if n >= mostEnds {
		l.last[0] = U(uintptr(unsafe.Pointer(p)))
		*logs.on[i] = 0
	}
}

// SamplePath is Sample for a path that has its estimate in a hash table. What the two have in common is not a function of its own:
// Sample would be too large then to be inlined into large functions, which cost 6 points of instructions on 12 benchmarks.
//
//go:norace
func SamplePath(h *Hash, path U) {
	i := thread() % threads
	l := &logs.of[i]
	n := l.ends
	l.ends = n + 1
	if n < sampler.MaxReach {
		l.path[n] = [2]U{U(uintptr(unsafe.Pointer(h))) | isHash, path}
	} else if n >= mostEnds {
		l.last = [2]U{U(uintptr(unsafe.Pointer(h))) | isHash, path}
		*logs.on[i] = 0
	}
}

// isHash tells what SamplePath has noted: all addresses are even.
const isHash = 1

// Probe is the whole probe as an expression. It returns 0.
func Probe(p *U) U {
	if Burst.On != 0 {
		Sample(p)
	}
	return 0
}

// ProbePath is Probe with SamplePath.
func ProbePath(h *Hash, path U) U {
	if Burst.On != 0 {
		SamplePath(h, path)
	}
	return 0
}
