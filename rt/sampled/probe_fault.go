//go:build !goprofinstr_std || !goprofinstr_sampler || (linux && (amd64 || arm64 || riscv64))

package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// over is where probes store after mostEnds. It leads to nothing where there are signals, and the fault is handled: see trap_fault.go.
var over = new(uintptr)

// Sample notes that a path has ended, of which p is the counter, and counts it if its function is counted.
//
// It costs too much (59 in package inline's measure, and 46 before it counted): what small functions that have been instrumented are
// inlined into depends on it. With 66 sort's StableInt1K took 1.57 times the instructions of plain, with 46 it takes 1.13. What it has in common with the
// others is no function of its own for the same reason.
//
//go:norace
func Sample(on *Byte, p *U) {
	if *on == counted {
		sys.Add64(p, 1)
	}
	l := &logs[sys.Thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n].at = uintptr(unsafe.Pointer(p))
	} else if n >= mostEnds {
		*over = uintptr(unsafe.Pointer(p))
	}
}

// SampleMark is Sample in a function whose activations have an activation word: a variable that holds what contexts.Fresh says when they begin, and which
// nobody else writes. See package contexts.
//
//go:norace
func SampleMark(on *Byte, p, word *U) {
	if *on == counted {
		sys.Add64(p, 1)
	}
	l := &logs[sys.Thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n].at = uintptr(unsafe.Pointer(p))
	} else if n >= mostEnds {
		l.word = U(uintptr(unsafe.Pointer(word)))
		*over = uintptr(unsafe.Pointer(p))
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
