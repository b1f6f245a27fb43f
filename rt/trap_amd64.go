//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package rt

import "unsafe"

// storeLength returns the length of an instruction at p that stores a constant of 32 bits through a pointer: MOVL $0, (R). It returns 0 for others.
//
//go:norace
func storeLength(p unsafe.Pointer) uintptr {
	code := (*[8]byte)(p)
	n := uintptr(0)
	if code[0]&0xf0 == 0x40 { // REX
		n++
	}
	if code[n] != 0xc7 { // MOV r/m32, imm32
		return 0
	}
	modrm := code[n+1]
	n += 2 + 4
	if modrm&7 == 4 { // SIB
		n++
	}
	switch modrm >> 6 {
	case 0:
		if modrm&7 == 5 { // relative to the program counter
			return 0
		}
		return n
	case 1:
		return n + 1
	}
	return 0
}
