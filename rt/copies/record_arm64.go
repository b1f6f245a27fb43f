//go:build goprofinstr_std && goprofinstr_copies && linux && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// What records are like on arm64: see package rewrite/copies. The registers that they use hold nothing of the program's.

// firstRegister is the one that points into the log, and stackRegister has the stack pointer where a record finds the log full.
const (
	firstRegister = 27
	stackRegister = 18
)

// noting reports whether code is a record, and which register of it points into the log.
//
//go:norace
func noting(kind uint32) (register uintptr, yes bool) { return firstRegister, kind == Noting }

// held returns what a register is to hold in front of a record: whatever it is.
//
//go:norace
func held(at unsafe.Pointer, register, _ uintptr, _ bool) U {
	return runtime.GoprofinstrRegister(at, register)
}

// isRestore reports whether the log has a record in front of one of its instructions. The last makes it part of the log.
//
//go:norace
func isRestore(uintptr) bool { return false }

// The instructions of a record that store to the log, and how many bytes are from the second to its end.
const (
	storeFrame = 0xb9000772 // MOVW R18, 4(R27)
	toEnd      = 7 * 4
)

// behind returns where a record goes on that finds the log full at an instruction, if nothing is noted.
//
//go:norace
func behind(pc uintptr) uintptr {
	if *(*uint32)(sys.Pointer(pc)) == storeFrame {
		return pc + toEnd
	}
	return pc + 2*4 + toEnd // at the value, behind which there is MOVD RSP, R18
}

// siteAt returns the site of a record without a value that finds the log full at an instruction. Rest is the instruction behind
// what makes the record. It is false for other records.
//
//go:norace
func siteAt(pc uintptr) (site uint32, rest uintptr, ok bool) {
	const low, high, constant = 0x52800012, 0x72a00012, 0xffff << 5 // MOVW $, R18; MOVKW $<<16, R18
	code := (*[3]uint32)(sys.Pointer(pc))
	if code[0] != storeFrame || code[1]&^constant != low || code[2]&^constant != high {
		return 0, 0, false
	}
	begin, _, _ := origin(pc)
	if *(*uint32)(sys.Pointer(begin + 2*4)) != frameToRegister {
		return 0, 0, false // a value is in front
	}
	return code[1]>>5&0xffff | code[2]>>5&0xffff<<16, pc + toEnd, true
}

// frameToRegister is MOVD RSP, R18, the third instruction of records without a value.
const frameToRegister = 0x910003f2

// leadSize is how many bytes a jump to a copy has. Text may not be written: caches do not agree with what is.
const (
	leadSize     = LeadSizeARM64
	mayBeWritten = false
)

// jumpTo returns what the first eight bytes of a function are with a jump to an address.
//
//go:norace
func jumpTo(entry U, from, to uintptr) U {
	const jump = 5 << 26 // B
	return entry&^(1<<(8*leadSize)-1) | jump | U(to-from)>>2&(1<<26-1)
}

// underJump reports whether a jump to a copy is written over an instruction of an original. Other code has no such jumps.
//
//go:norace
func underJump(original uintptr) bool {
	w := *(*uint32)(sys.Pointer(original))
	to := original + uintptr(int64(int32(w<<6)>>6)*4)
	return w>>26 == 5 && to >= program.from && to < program.to
}
