//go:build goprofinstr_std && goprofinstr_sampler && (!linux || !(amd64 || arm64 || riscv64) || goprofinstr_basic)

package sampled

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// guard and guarded tell, as in trap_fault.go, whether path ends can be trapped.
func guard() bool   { return true }
func guarded() bool { return true }

// fault is never called.
func fault(uintptr, unsafe.Pointer) bool { return false }

// end notes that a path has ended. It is a function of its own: with a call in them its callers could not be inlined
// otherwise. The stack does not grow here, for what calls it may hold addresses of it.
//
//go:norace
//go:nosplit
//go:noinline
func end(counted bool, at uintptr, path U, word uintptr) {
	l := &logs[sys.Thread()%threads]
	n := l.ends
	l.ends++
	if n < sampler.MaxReach {
		l.path[n] = ended{at, path}
	} else if n >= mostEnds {
		runtime.GoprofinstrHere(fullHere, at, path, word)
	}
	if counted {
		sys.Add64((*U)(sys.Pointer(at)), 1)
	}
}

//go:norace
func fullHere(at unsafe.Pointer, p uintptr, path U, word uintptr) {
	full(at, ended{p, path}, U(word), true)
}
