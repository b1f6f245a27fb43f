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
var logs = new([threads]struct {
	ends U // path ends since the tick
	mark U // of the path end that is being trapped: the address of the activation's mark
	last U // and the path's number, if the estimates are in a Hash
	path [sampler.MaxReach]ended
})

// ended is what a probe notes: where the estimates are, and which of those in a Hash.
type ended struct {
	at   uintptr
	path U
}

// over is where probes store after mostEnds. It leads to nothing where there are signals, and the fault is handled: see context.go.
var over = new(uintptr)

// Pair returns the address of the estimate of path i, if the estimates begin at p. The number of its samples is behind it.
func Pair(p *U, i U) *U { return (*U)(unsafe.Add(unsafe.Pointer(p), i*16)) }

// Sample notes that a path has ended, of which p is the estimate.
//
// It must cost no more than it does (46 in package inline's measure): what small functions that have been instrumented are
// inlined into depends on it. With 66 sort's StableInt1K took 1.57 times the instructions of plain, with 46 it takes 1.13. What it has in common with the
// others is no function of its own for the same reason.
//
//go:norace
func Sample(p *U) {
	l := &logs[thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n].at = uintptr(unsafe.Pointer(p))
	} else if n >= mostEnds {
		*over = uintptr(unsafe.Pointer(p))
	}
}

// SampleMark is Sample in a function whose activations have a mark: a variable that holds what Mark says when they begin, and which nobody
// else writes. See marks.go.
//
//go:norace
func SampleMark(p, mark *U) {
	l := &logs[thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n].at = uintptr(unsafe.Pointer(p))
	} else if n >= mostEnds {
		l.mark = U(uintptr(unsafe.Pointer(mark)))
		*over = uintptr(unsafe.Pointer(p))
	}
}

// SamplePath is Sample for a path that has its estimate in a hash table.
//
//go:norace
func SamplePath(h *Hash, path U) {
	l := &logs[thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n] = ended{uintptr(unsafe.Pointer(h)) | isHash, path}
	} else if n >= mostEnds {
		l.last = path
		*over = uintptr(unsafe.Pointer(h)) | isHash
	}
}

// SamplePathMark is SamplePath with a mark.
//
//go:norace
func SamplePathMark(h *Hash, path U, mark *U) {
	l := &logs[thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n] = ended{uintptr(unsafe.Pointer(h)) | isHash, path}
	} else if n >= mostEnds {
		l.last, l.mark = path, U(uintptr(unsafe.Pointer(mark)))
		*over = uintptr(unsafe.Pointer(h)) | isHash
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

// ProbeMark is Probe with SampleMark.
func ProbeMark(p, mark *U) U {
	if Burst.On != 0 {
		SampleMark(p, mark)
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

// ProbePathMark is Probe with SamplePathMark.
func ProbePathMark(h *Hash, path U, mark *U) U {
	if Burst.On != 0 {
		SamplePathMark(h, path, mark)
	}
	return 0
}
