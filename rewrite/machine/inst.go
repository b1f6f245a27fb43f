package machine

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// An Inst is an instruction.
type Inst struct {
	x86asm.Inst
	PC     uint64
	Code   []byte
	File   string // in the line table
	Line   int
	Chain  []*Scope // inlined calls that it is of, the outermost first
	Kind   Kind
	Callee string // of a direct call

	Test  *Inst // of a conditional jump: what sets its flags, if that is near
	Bool  bool  // of a conditional jump: it tests a byte, as those of variables do
	Check bool  // of a conditional jump: on one side of it the runtime panics
	Moved bool  // of a conditional jump: there is a conditional move in its block, which may have been a branch before it
	Call  *Inst // of a compare: the call whose result it is about, if that is just before
	Vex   bool  // of which nothing but the length is known
}

// Kind says what an instruction is evidence of.
type Kind int

// The kinds.
const (
	Weak   Kind = iota // moves, spills, constants and computations: their positions prove nothing
	Branch             // a conditional jump
	Strict             // a store, call or return
	Panics             // a call that never returns
	Other              // made by the compiler: prologues, write barriers
)

// decode decodes the instruction that code begins with.
func decode(code []byte) (in x86asm.Inst, vex, ok bool) {
	if len(code) > 3 && (code[0] == 0xc4 || code[0] == 0xc5) {
		n := vexLength(code)
		return x86asm.Inst{Op: x86asm.NOP, Len: n}, true, n <= len(code)
	}
	in, err := x86asm.Decode(code, 64)
	return in, false, err == nil && in.Op != 0
}

// vexLength returns the length of an instruction with a VEX prefix, of which package x86asm knows none. Compiled code has
// VZEROUPPER, FMA and BMI.
func vexLength(code []byte) int {
	n, opcodes := 2, byte(1)
	if code[0] == 0xc4 {
		n, opcodes = 3, code[1]&0x1f
	}
	opcode := code[n]
	n++
	if opcode == 0x77 && opcodes == 1 {
		return n
	}
	if n >= len(code) {
		return n + 1
	}
	mod, rm := code[n]>>6, code[n]&7
	n++
	if mod != 3 && rm == 4 {
		if n < len(code) && mod == 0 && code[n]&7 == 5 {
			n += 4
		}
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2 || mod == 0 && rm == 5:
		n += 4
	}
	if opcodes == 3 || opcodes == 1 && hasImmediate(opcode) {
		n++
	}
	return n
}

// hasImmediate reports whether an opcode of the first map with a VEX prefix is followed by a byte. These are shuffles,
// shifts by a constant, compares, inserts and extracts. In the third map all are.
func hasImmediate(opcode byte) bool {
	return opcode >= 0x70 && opcode <= 0x73 || opcode == 0xc2 || opcode >= 0xc4 && opcode <= 0xc6
}

// IsJump reports whether i is a jump.
func (i *Inst) IsJump() bool { return !i.Vex && i.Op.String()[0] == 'J' }

// IsConditional reports whether i is a conditional jump.
func (i *Inst) IsConditional() bool { return i.IsJump() && i.Op != x86asm.JMP }

// End returns the address behind i.
func (i *Inst) End() uint64 { return i.PC + uint64(i.Len) }

// Target returns where a direct jump or call leads.
func (i *Inst) Target() (uint64, bool) {
	if r, ok := i.Args[0].(x86asm.Rel); ok {
		return i.End() + uint64(int64(r)), true
	}
	return 0, false
}

// address returns the address that a LEAQ makes, if it is constant.
func (i *Inst) address() (uint64, bool) {
	if i.Op != x86asm.LEA {
		return 0, false
	}
	m, ok := i.Args[1].(x86asm.Mem)
	if !ok || m.Base != x86asm.RIP {
		return 0, false
	}
	return i.End() + uint64(m.Disp), true
}

// stores reports whether i writes memory other than the frame.
func (i *Inst) stores() bool {
	m, ok := i.Args[0].(x86asm.Mem)
	if !ok || m.Base == x86asm.RSP || m.Base == x86asm.RBP && m.Index == 0 {
		return false
	}
	switch i.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.JMP, x86asm.CALL, x86asm.PUSH, x86asm.NOP, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.BT,
		x86asm.PREFETCHT0, x86asm.PREFETCHNTA:
		return false
	}
	return true
}

// IsMove reports whether i is a conditional move.
func (i *Inst) IsMove() bool { return strings.HasPrefix(i.Op.String(), "CMOV") }

// chooses reports whether i may be what has become of a branch. SBBL R, R is part of a shift.
func (i *Inst) chooses() bool {
	return i.IsMove() || i.Op == x86asm.SBB && i.Args[0] != i.Args[1] || i.Op == x86asm.ADC
}

// setsFlags reports whether i is a compare.
func (i *Inst) setsFlags() bool {
	s := i.Op.String()
	return strings.HasPrefix(s, "CMP") && !strings.HasPrefix(s, "CMPXCHG") || strings.HasPrefix(s, "TEST") ||
		strings.HasPrefix(s, "UCOMI") || strings.HasPrefix(s, "BT")
}

// Register returns a number for the general register that r is a part of, from 1; 0 for others.
func Register(r x86asm.Reg) int {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return 1 + int(r-x86asm.AL)
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return 5 + int(r-x86asm.SPB)
	case r >= x86asm.AX && r <= x86asm.R15W:
		return 1 + int(r-x86asm.AX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return 1 + int(r-x86asm.EAX)
	case r >= x86asm.RAX && r <= x86asm.R15:
		return 1 + int(r-x86asm.RAX)
	}
	return 0
}

// Condition returns the number that the condition of a jump or move has in instructions.
func (i *Inst) Condition() (int, bool) {
	code := i.Code
	for len(code) > 1 && (code[0]&0xf0 == 0x40 || code[0] == 0x66) {
		code = code[1:]
	}
	switch {
	case code[0]&0xf0 == 0x70:
		return int(code[0] & 15), true
	case len(code) > 1 && code[0] == 0x0f && (code[1]&0xf0 == 0x80 || code[1]&0xf0 == 0x40):
		return int(code[1] & 15), true
	}
	return 0, false
}
