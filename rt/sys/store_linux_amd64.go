package sys

import "unsafe"

// DecodeStore returns the number of the register that an instruction at p stores through a pointer without offset, MOVQ R1,
// (R2), and its length. The length is 0 for other instructions.
//
//go:norace
func DecodeStore(p unsafe.Pointer) (register, length uintptr) {
	code := (*[5]byte)(p)
	rex, modrm := code[0], code[2]
	if rex&0xf8 != 0x48 || code[1] != 0x89 { // REX.W, MOV r/m64, r64
		return 0, 0
	}
	register, length = uintptr(modrm>>3&7|rex<<1&8), 3
	if modrm&7 == 4 { // SIB
		length++
	}
	switch {
	case modrm>>6 == 1: // offset of 8 bits, which is 0
		length++
	case modrm>>6 != 0 || modrm&7 == 5: // other offsets
		return 0, 0
	}
	return register, length
}
