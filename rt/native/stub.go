package native

// The first byte of a stub, and the one that traps it.
const (
	StubBegin = 0x50 // PUSHQ AX
	StubTrap  = 0xf4 // HLT, which programs may not: it faults
)

// StubPath tells what the stub of a site notes, given its code. It is the path's number that is in the code, or, if
// register is not -1, the register that has the number.
//
//go:norace
func StubPath(code *[16]byte, hash bool) (register int, number U) {
	const load, store, lea, rexX = 0xc7, 0x89, 0x8d, 2
	switch {
	case hash && code[3] == load: // PUSHQ AX; PUSHQ SI; MOVQ $number, SI
		return -1, U(code[5]) | U(code[6])<<8 | U(code[7])<<16 | U(code[8])<<24
	case hash && code[3] == store: // PUSHQ AX; PUSHQ SI; MOVQ register, SI
		return int(code[4]>>3&7 | code[2]&4<<1), 0
	case !hash && code[2] == lea: // PUSHQ AX; LEAQ (register*2), AX
		return int(code[4]>>3&7 | code[1]&rexX<<2), 0
	}
	return -1, 0 // the site alone is the path
}
