package machine

import (
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"
)

// leads looks at the instructions that are frequent without decoding them, since all code of a program is asked for.
func (amd64) leads(code []byte, pc uint64) (n int, l lead) {
	if n, l, ok := leadsFast(code, pc); ok {
		return n, l
	}
	in, vex, ok := decode(code)
	if !ok {
		return 0, l
	}
	return leadsOf(in, vex, pc)
}

// leadsOf is leads for an instruction that is decoded.
func leadsOf(in x86asm.Inst, vex bool, pc uint64) (n int, l lead) {
	if vex || in.Op != x86asm.CALL && in.Op != x86asm.JMP {
		return in.Len, l
	}
	switch arg := in.Args[0].(type) {
	case x86asm.Rel:
		l.to, l.direct = pc+uint64(in.Len)+uint64(int64(arg)), true
	case x86asm.Reg:
		l.register = true
	}
	return in.Len, l
}

// A form is what follows an opcode: ModR/M with what it asks for, and a constant of so many bytes.
type form byte

const (
	unknown form = 0
	plain   form = 1 << 6
	modRM   form = 1 << 7
)

// oneByte and twoBytes are the forms of frequent opcodes, those with one byte and those behind 0x0f, if operands have 32 or 64
// bits. (Intel's manual, volume 2, appendix A.)
var oneByte, twoBytes = forms()

func forms() (one, two [256]form) {
	fill := func(list *[256]form, f form, from, to int) {
		for k := from; k <= to; k++ {
			list[k] = f
		}
	}
	for k := 0; k < 0x40; k += 8 { // ADD, OR, ADC, SBB, AND, SUB, XOR, CMP
		fill(&one, modRM, k, k+3)
		one[k+4], one[k+5] = plain+1, plain+4
	}
	fill(&one, plain, 0x50, 0x5f) // PUSH, POP
	one[0x63] = modRM
	one[0x69], one[0x6b] = modRM+4, modRM+1
	fill(&one, plain+1, 0x70, 0x7f) // conditional jumps
	one[0x81], one[0x83] = modRM+4, modRM+1
	fill(&one, modRM, 0x84, 0x8b) // TEST, XCHG, MOV
	one[0x80], one[0x8d] = modRM+1, modRM
	one[0x98], one[0x99], one[0xc3], one[0xcc] = plain, plain, plain, plain
	one[0xa8], one[0xa9] = plain+1, plain+4
	fill(&one, plain+1, 0xb0, 0xb7)
	fill(&one, plain+4, 0xb8, 0xbf)
	one[0xc0], one[0xc1], one[0xc6], one[0xc7] = modRM+1, modRM+1, modRM+1, modRM+4
	fill(&one, modRM, 0xd0, 0xd3) // shifts
	one[0xe8], one[0xe9], one[0xeb] = plain+4, plain+4, plain+1
	one[0xff] = modRM

	fill(&two, modRM, 0x10, 0x11) // MOVUPS
	fill(&two, modRM, 0x40, 0x4f) // conditional moves
	fill(&two, plain+4, 0x80, 0x8f)
	fill(&two, modRM, 0x90, 0x9f) // bools of conditions
	two[0x1f], two[0x28], two[0x29], two[0x2e], two[0x57] = modRM, modRM, modRM, modRM, modRM
	two[0xa3], two[0xaf], two[0xba] = modRM, modRM, modRM+1
	two[0xb6], two[0xb7], two[0xbe], two[0xbf] = modRM, modRM, modRM, modRM
	return one, two
}

// leadsFast is leads for frequent instructions; it is not ok for others.
func leadsFast(code []byte, pc uint64) (n int, l lead, ok bool) {
	if len(code) < 16 { // more than any instruction has
		return 0, l, false
	}
	wide := false
	if code[0]&0xf0 == 0x40 {
		wide = code[0]&8 != 0
		n = 1
	}
	opcode, f := code[n], oneByte[code[n]]
	two := opcode == 0x0f
	if two {
		n++
		opcode, f = code[n], twoBytes[code[n]]
	}
	n++
	switch {
	case f == unknown || wide && f == plain+4 && opcode >= 0xb8 && !two: // the constant may have 64 bits
		return 0, l, false
	case opcode == 0xff && !two:
		if kind := code[n] >> 3 & 7; kind == 3 || kind == 5 || kind == 7 {
			return 0, l, false
		} else if kind != 6 && kind >= 2 {
			l.register = code[n]>>6 == 3
		}
	}
	if f&modRM != 0 {
		n += operandLength(code[n], code[n+1])
	}
	constant := n
	n += int(f & 7)
	switch {
	case two:
	case opcode == 0xeb:
		l.to, l.direct = pc+uint64(n)+uint64(int64(int8(code[constant]))), true
	case opcode == 0xe8, opcode == 0xe9:
		l.to, l.direct = pc+uint64(n)+uint64(int64(int32(binary.LittleEndian.Uint32(code[constant:])))), true
	}
	return n, l, true
}

// operandLength returns the length of ModR/M, with the byte behind it and a displacement if it asks for them.
func operandLength(modRM, next byte) int {
	mod, rm, n := modRM>>6, modRM&7, 1
	if mod == 3 {
		return n
	}
	base := rm
	if rm == 4 {
		n, base = 2, next&7
	}
	switch {
	case mod == 1:
		n++
	case mod == 2 || base == 5:
		n += 4
	}
	return n
}
