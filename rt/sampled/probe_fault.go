//go:build !goprofinstr_std || !goprofinstr_sampler || (linux && (amd64 || arm64 || riscv64) && !goprofinstr_basic)

package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// over is where probes store after mostEnds. It leads to nothing where there are signals, and the fault is handled: see
// trap_fault.go.
var over = new(uintptr)

// Sample notes that a path has ended, of which p is the counter, and counts it if its function is counted.
//
// It must cost no more than it does (TestInlined). As long as it leaves room for them, small functions that have been
// instrumented are inlined as others are. With ten more sort's StableInt1K took 1.56 times the instructions of plain.
// So a path end that there is no room for is noted, too, in an entry that nobody looks at, where a test costs more.
// Which function it is comes last. If it were read together with On it would be in a register from there on. Where
// probes are passed by there would be an instruction more. What Sample has in common with the others is no function
// of its own for the same reason.
//
//go:norace
func Sample(of *Switch, p *U) {
	l := &logs[sys.Slot()]
	l.path[min(l.ends, sampler.MaxReach)].at = uintptr(unsafe.Pointer(p))
	if l.ends++; l.ends > mostEnds {
		*over = uintptr(unsafe.Pointer(p))
	}
	if of.counted {
		sys.Inc64(p)
	}
}

// SampleMark is Sample in a function whose activations have an activation word. This is a variable that holds what contexts.Fresh
// says when they begin, and which nobody else writes. See package contexts.
//
//go:norace
func SampleMark(of *Switch, p, word *U) {
	l := &logs[sys.Slot()]
	l.path[min(l.ends, sampler.MaxReach)].at = uintptr(unsafe.Pointer(p))
	if l.ends++; l.ends > mostEnds {
		l.word = U(uintptr(unsafe.Pointer(word)))
		*over = uintptr(unsafe.Pointer(p))
	}
	if of.counted {
		sys.Inc64(p)
	}
}

// SamplePath is Sample for a path that is in a hash table, and does not count it.
//
//go:norace
func SamplePath(h *rt.Hash, path U) {
	l := &logs[sys.Thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n] = ended{uintptr(unsafe.Pointer(h)) | isHash, path}
	} else if n >= mostEnds {
		l.last = path
		*over = uintptr(unsafe.Pointer(h)) | isHash
	}
}

// SamplePathMark is SamplePath with an activation word.
//
//go:norace
func SamplePathMark(h *rt.Hash, path U, word *U) {
	l := &logs[sys.Thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n] = ended{uintptr(unsafe.Pointer(h)) | isHash, path}
	} else if n >= mostEnds {
		l.last, l.word = path, U(uintptr(unsafe.Pointer(word)))
		*over = uintptr(unsafe.Pointer(h)) | isHash
	}
}
