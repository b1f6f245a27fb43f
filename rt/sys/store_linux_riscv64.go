package sys

import "unsafe"

// DecodeStore returns the number of the register that an instruction at p stores, SD or C.SD, and its length. The length is 0
// for other instructions.
//
//go:norace
func DecodeStore(p unsafe.Pointer) (register, length uintptr) {
	code := uint32(*(*uint16)(p)) // instructions are at even addresses
	if code&0xe003 == 0xe000 {    // C.SD, of the registers from x8 on
		return uintptr(code>>2&7 + 8), 2
	}
	code |= uint32(*(*uint16)(unsafe.Add(p, 2))) << 16
	if code&0x707f != 0x3023 {
		return 0, 0
	}
	return uintptr(code >> 20 & 31), 4
}
