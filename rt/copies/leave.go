//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// How a thread leaves a copy, or goes on in it without a record.

// leave has a thread that a signal has interrupted in a copy go on in the original.
//
//go:norace
func leave(at unsafe.Pointer) {
	pc := runtime.GoprofinstrPC(at)
	if pc < program.from || pc >= program.to {
		return
	}
	begin, original, kind := origin(pc)
	register, record := noting(kind)
	runtime.GoprofinstrResume(at, original, register, held(at, register, begin, record))
}

// leaveFault leaves an instruction that has faulted to the original: there it faults again. It reports false where it could not be
// executed, since a jump to the copy is written over it. Then it is for package runtime to handle the fault, as one of the
// original's.
//
//go:norace
func leaveFault(at unsafe.Pointer) (again bool) {
	sys.Inc64(&program.stats.Faults)
	leave(at)
	return !underJump(runtime.GoprofinstrPC(at))
}

// pass has a thread go on behind a record that faults at an address: nothing is noted. It does not go to the original, whose entry
// may lead back to the record.
//
//go:norace
func pass(at unsafe.Pointer, pc, register uintptr) {
	runtime.GoprofinstrResume(at, behind(pc), register, 0) // which has nothing of the program's there
}
