//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// How a thread leaves a copy, or goes on in it without a record.

// leave has a thread that a signal has interrupted in a copy go on in the original. Where a jump to a counter is written over the
// instruction there, it goes on at this instruction in the counter.
//
//go:norace
func leave(at unsafe.Pointer) {
	if pc := runtime.GoprofinstrPC(at); pc >= program.from && pc < program.to {
		_, original, _ := origin(pc)
		goOnAt(at, pc, displaced(pc, original))
	}
}

// goOnAt has a thread go on at another address than the one in a copy where a signal has interrupted it. If that is in a record,
// registers are what they were in front of the record.
//
//go:norace
func goOnAt(at unsafe.Pointer, pc, to uintptr) {
	begin, _, kind := origin(pc)
	register, record := noting(kind)
	runtime.GoprofinstrResume(at, to, register, held(at, register, begin, record))
}

// displaced returns where the counter of a function has the instruction that is at an address in the original, given an address
// in the copy. It returns the address in the original if no jump may be written over the instruction, or if there is no
// counter. The first instruction is there: the jump leads on.
//
//go:norace
func displaced(pc, original uintptr) uintptr {
	k := -1
	if cold.on {
		k = coldAt(pc)
	}
	if k < 0 {
		return original
	}
	f := &cold.functions[k]
	if first := uintptr(f.At); f.Counter == 0 || original <= first || original >= first+leadSize {
		return original
	}
	for a, to := program.from+uintptr(f.Counter), program.from+uintptr(f.Copy+f.Size); a < to; a++ {
		if _, is, _ := origin(a); is == original {
			return a
		}
	}
	return original
}

// leaveFault leaves an instruction that has faulted to the original: there it faults again. It reports false where it could not
// be executed, since a jump to the copy is written over it. Then it is for package runtime to handle the fault, as one of the
// original's.
//
//go:norace
func leaveFault(at unsafe.Pointer) (again bool) {
	sys.Inc64(&program.stats.Faults)
	pc := runtime.GoprofinstrPC(at)
	_, original, _ := origin(pc)
	goOnAt(at, pc, original)
	return !underJump(original)
}

// pass has a thread go on behind a record that faults at an address: nothing is noted. It does not go to the original, whose
// entry may lead back to the record.
//
//go:norace
func pass(at unsafe.Pointer, pc, register uintptr) {
	runtime.GoprofinstrResume(at, behind(pc), register, 0) // which has nothing of the program's there
}
