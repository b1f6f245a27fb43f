package sys

import "unsafe"

// DecodeStore returns the number of the register that an instruction at p stores, STR Xt, [Xn, #offset], and its length. The
// length is 0 for other instructions.
//
//go:norace
func DecodeStore(p unsafe.Pointer) (register, length uintptr) {
	code := *(*uint32)(p)
	if code>>22 != 0x3e4 {
		return 0, 0
	}
	return uintptr(code & 31), 4
}
