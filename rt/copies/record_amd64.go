//go:build goprofinstr_std && goprofinstr_copies && linux && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// What records are like on amd64: see package rewrite/copies.

// The registers that records use, by their numbers.
const (
	rax = iota
	rcx
)

// firstRegister is one that threads which change over keep.
const firstRegister = rax

// stackRegister has the stack pointer where a record finds the log full.
const stackRegister = 4

// noting reports whether code is a record, and which register of it points into the log.
//
//go:norace
func noting(kind uint32) (register uintptr, yes bool) {
	if kind == NotingCX {
		return rcx, true
	}
	return rax, kind == Noting
}

// held returns what a register held in front of the record that a signal has interrupted, if it is one that begins there.
//
//go:norace
func held(at unsafe.Pointer, register, begin uintptr, record bool) U {
	if record && runtime.GoprofinstrPC(at) >= begin+Saved {
		return U(runtime.GoprofinstrWords()[savedRegister])
	}
	return runtime.GoprofinstrRegister(at, register)
}

// isRestore reports whether an instruction is the last of a record, which restores the register: MOVQ from the word for it to AX
// or CX. In front of it the log has the record.
//
//go:norace
func isRestore(pc uintptr) bool {
	code := (*[Saved]byte)(sys.Pointer(pc))
	return code[0] == 0x64 && code[2] == 0x8b && code[5] == byte(image.Words+savedOffset)
}

// savedOffset is how far the word for the register is from the first one of copies.
const savedOffset = 8

// The instructions of a record, behind those that save a register and load the cursor, and how long they are.
const (
	storeSite = 0xc7 // MOVL $site, (AX)
	toRestore = 22   // bytes from there to the instruction that restores the register

	storeRegister  = 4  // bytes of MOVQ BX, 8(AX): in front of it, where the record has a value
	storeCondition = 12 // MOVQ $0, 8(AX); SETcc 8(AX)
)

// behind returns where a record goes on that finds the log full at an instruction, if nothing is noted. The register that points
// into the log is restored there.
//
//go:norace
func behind(pc uintptr) uintptr {
	switch code := (*[2]byte)(sys.Pointer(pc)); {
	case code[0] == storeSite:
	case code[1] == storeSite:
		pc += storeCondition
	default:
		pc += storeRegister
	}
	return pc + toRestore
}

// siteAt returns the site of a record without a value that finds the log full at an instruction. Rest is the instruction behind
// what makes the record. It is false for other records.
//
//go:norace
func siteAt(pc uintptr) (site uint32, rest uintptr, ok bool) {
	code := (*[6]byte)(sys.Pointer(pc))
	if code[0] != storeSite || !isRestore(pc+toRestore) {
		return 0, 0, false
	}
	return uint32(code[2]) | uint32(code[3])<<8 | uint32(code[4])<<16 | uint32(code[5])<<24, pc + toRestore, true
}

// leadSize is how many bytes a jump to a copy has. Text may be written: a processor fetches what eight aligned bytes were or are.
const (
	leadSize     = LeadSizeAMD64
	mayBeWritten = true
)

// jumpTo returns what the first eight bytes of a function are with a jump to an address.
//
//go:norace
func jumpTo(entry U, from, to uintptr) U {
	return entry&^(1<<(8*leadSize)-1) | U(uint32(to-(from+leadSize)))<<8 | 0xe9
}

// underJump reports whether a jump to a copy is written over an instruction of an original. Other code has no such jumps. The
// answer may be out of date at once, where a function falls: what it was is as good.
//
//go:norace
func underJump(original uintptr) bool {
	for a := original; a > original-leadSize; a-- {
		code := (*[leadSize]byte)(sys.Pointer(a))
		d := int32(uint32(code[1]) | uint32(code[2])<<8 | uint32(code[3])<<16 | uint32(code[4])<<24)
		if to := a + leadSize + uintptr(d); code[0] == 0xe9 && to >= program.from && to < program.to {
			return true
		}
	}
	return false
}
