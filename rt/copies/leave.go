//go:build goprofinstr_std && goprofinstr_copies && linux && amd64 && !goprofinstr_basic

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
	value := runtime.GoprofinstrRegister(at, register)
	if record && pc >= begin+Saved {
		value = U(runtime.GoprofinstrWords()[savedRegister])
	}
	runtime.GoprofinstrResume(at, original, register, value)
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

// underJump reports whether a jump to a copy is written over an instruction of an original. Other code has no such jumps. The answer
// may be out of date at once, where a function falls: what it was is as good.
//
//go:norace
func underJump(original uintptr) bool {
	for a := original; a > original-LeadSize; a-- {
		code := (*[LeadSize]byte)(sys.Pointer(a))
		d := int32(uint32(code[1]) | uint32(code[2])<<8 | uint32(code[3])<<16 | uint32(code[4])<<24)
		if to := a + LeadSize + uintptr(d); code[0] == 0xe9 && to >= program.from && to < program.to {
			return true
		}
	}
	return false
}

// The instructions of a record, behind those that save a register and load the cursor, and how long they are.
const (
	storeSite = 0xc7 // MOVL $site, (AX)
	toRestore = 22   // bytes from there to the instruction that restores the register

	storeRegister  = 4  // bytes of MOVQ BX, 8(AX): in front of it, where the record has a value
	storeCondition = 12 // MOVQ $0, 8(AX); SETcc 8(AX)
)

// pass has a thread go on behind a record that faults at an address: nothing is noted. It does not go to the original, whose entry
// may lead back to the record.
//
//go:norace
func pass(at unsafe.Pointer, pc, register uintptr) {
	switch code := (*[2]byte)(sys.Pointer(pc)); {
	case code[0] == storeSite:
	case code[1] == storeSite:
		pc += storeCondition
	default:
		pc += storeRegister
	}
	runtime.GoprofinstrResume(at, pc+toRestore, register, 0) // which is restored there
}
