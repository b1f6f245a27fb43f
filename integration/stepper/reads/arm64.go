package reads

import (
	"encoding/binary"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// What instructions read on arm64. The names in comments are those of the Arm Architecture Reference Manual, section C4.1.

// An armWord is an instruction.
type armWord uint32

func armWordOf(i *machine.Inst) armWord { return armWord(binary.LittleEndian.Uint32(i.Code)) }

// bits returns n bits of w, from a bit on.
func (w armWord) bits(from, n int) int { return int(w >> from & (1<<n - 1)) }

// Fields of most instructions, with the numbers of registers.
func (w armWord) rd() int { return w.bits(0, 5) }
func (w armWord) rn() int { return w.bits(5, 5) }
func (w armWord) ra() int { return w.bits(10, 5) }
func (w armWord) rm() int { return w.bits(16, 5) }

// width returns how many bits an operand in a general register has.
func (w armWord) width() int { return 32 << w.bits(31, 1) }

// low is a mask of n bits.
func low(n int) uint64 { return 1<<n - 1 } // all bits if n is 64

// armReads is a list of what an instruction reads. Register 31 is zero there, or the stack pointer.
type armReads []Read

const armStack = 31

// general adds a general register, of which a mask is read.
func (l *armReads) general(register int, mask uint64) {
	if register != armStack {
		*l = append(*l, Read{Register: register, Mask: mask})
	}
}

// address adds one that may be the stack pointer.
func (l *armReads) address(register int) { *l = append(*l, Read{Register: register, Mask: low(64)}) }

// vector adds a vector register, of which so many bits are read.
func (l *armReads) vector(register, bits int) {
	*l = append(*l, Read{Register: register, Vector: true, Mask: low(min(bits, 64)), Wide: bits > 64})
}

// arm64 returns what an instruction reads for certain.
func arm64(i *machine.Inst) []Read {
	w, l := armWordOf(i), new(armReads)
	switch group := w.bits(25, 4); {
	case w == 0:
	case group>>1 == 4:
		l.immediate(w)
	case group>>1 == 5:
		l.control(w)
	case group&5 == 4:
		l.memory(w)
	case group&7 == 5:
		l.registers(w)
	case group&7 == 7:
		l.float(w)
	}
	return *l
}

// immediate is for data processing with immediates.
func (l *armReads) immediate(w armWord) {
	width := w.width()
	switch w.bits(23, 3) {
	case 2: // ADD, SUB
		l.address(w.rn())
		(*l)[len(*l)-1].Mask = low(width)
	case 4: // AND, ORR, EOR, ANDS
		l.general(w.rn(), low(width))
	case 5:
		if w.bits(29, 2) == 3 { // MOVK
			l.general(w.rd(), low(width)&^(low(16)<<(16*w.bits(21, 2))))
		}
	case 6: // SBFM, BFM, UBFM
		right, last := w.bits(16, 6), w.bits(10, 6)
		taken, field := low(last+1), low(last+1)<<((width-right)%width)
		if last >= right {
			taken, field = taken&^low(right), low(last-right+1)
		}
		l.general(w.rn(), taken)
		if w.bits(29, 2) == 1 {
			l.general(w.rd(), low(width)&^field)
		}
	case 7: // EXTR
		n := w.bits(10, 6)
		l.general(w.rm(), low(width)&^low(n))
		l.general(w.rn(), low(n))
	}
}

// control is for branches.
func (l *armReads) control(w armWord) {
	switch {
	case w.bits(25, 6) == 0x1a: // CBZ, CBNZ
		l.general(w.rd(), low(w.width()))
	case w.bits(25, 6) == 0x1b: // TBZ, TBNZ
		l.general(w.rd(), 1<<(w.bits(31, 1)<<5|w.bits(19, 5)))
	case w.bits(25, 7) == 0x6b: // BR, BLR, RET
		l.general(w.rn(), low(64))
	}
}

// memory is for loads and stores. What atomic operations read of memory is not known.
func (l *armReads) memory(w armWord) {
	isVector, size := w.bits(26, 1) == 1, 8<<w.bits(30, 2)
	stored := func(register, bits int) {
		if isVector {
			l.vector(register, bits)
		} else {
			l.general(register, low(bits))
		}
	}
	switch {
	case w.bits(24, 6) == 0x08: // ordered, exclusive
		l.address(w.rn())
		if w.bits(21, 3) == 4 && w.bits(22, 1) == 0 { // STLR
			l.general(w.rd(), low(size))
		}
	case w.bits(27, 3) == 5: // pairs
		l.address(w.rn())
		if size = 32 << w.bits(31, 1); isVector {
			size = 32 << w.bits(30, 2)
		}
		if w.bits(22, 1) == 0 {
			stored(w.rd(), size)
			stored(w.ra(), size)
		}
	case w.bits(27, 3) == 7:
		l.address(w.rn())
		operation, offset := w.bits(22, 2), w.bits(24, 1) == 0 && w.bits(21, 1) == 1
		switch {
		case offset && w.bits(10, 2) == 0: // LDADD, SWP
			l.general(w.rm(), low(size))
			return
		case offset:
			l.extended(w)
		}
		if isVector && operation == 2 {
			size = 128
		}
		if operation == 0 || isVector && operation == 2 {
			stored(w.rd(), size)
		}
	}
}

// extended adds the second operand of an instruction that extends it.
func (l *armReads) extended(w armWord) { l.general(w.rm(), low(8<<w.bits(13, 2))) }

// registers is for data processing with registers.
func (l *armReads) registers(w armWord) {
	width := w.width()
	all := low(width)
	shifted := all // what is left of the second operand
	switch n := w.bits(10, 6); w.bits(22, 2) {
	case 0:
		shifted = low(max(width-n, 0))
	case 1, 2:
		shifted = all &^ low(n)
	}
	same := w.rn() == w.rm() && w.bits(10, 6) == 0
	switch kind := w.bits(21, 4); {
	case w.bits(28, 1) == 0 && w.bits(24, 1) == 0: // AND, ORR, EOR, ANDS
		switch operation := w.bits(29, 2); {
		case operation == 2 && same:
		case operation == 1 && w.rn() == armStack && w.bits(21, 1) == 0 && w.bits(10, 6) == 0:
			l.general(w.rm(), low(8)) // what else is moved is looked at where it is used
		default:
			l.general(w.rn(), all)
			l.general(w.rm(), shifted)
		}
	case w.bits(28, 1) == 0 && w.bits(21, 1) == 1: // ADD, SUB, extended
		l.address(w.rn())
		(*l)[len(*l)-1].Mask = all
		l.extended(w)
	case w.bits(28, 1) == 0: // ADD, SUB
		if w.bits(30, 1) == 0 || !same {
			l.general(w.rn(), all)
			l.general(w.rm(), shifted)
		}
	case kind == 0: // ADC, SBC
		l.general(w.rn(), all)
		l.general(w.rm(), all)
	case kind == 6 && w.bits(30, 1) == 0: // UDIV, SDIV, LSL, LSR, ASR, ROR
		l.general(w.rn(), all)
		if w.bits(12, 4) == 2 {
			all = uint64(width - 1)
		}
		l.general(w.rm(), all)
	case kind == 6: // REV, CLZ
		l.general(w.rn(), all)
	case kind >= 8:
		if w.bits(21, 2) == 1 { // SMADDL, UMADDL
			all = low(32)
		}
		l.general(w.rn(), all)
		l.general(w.rm(), all)
		l.general(w.ra(), low(width))
	}
}

// float is for floating-point numbers that are not in vectors of several.
func (l *armReads) float(w armWord) {
	bits, ok := map[int]int{0: 32, 1: 64}[w.bits(22, 2)]
	switch scalar := w.bits(24, 5) == 0x1e && w.bits(29, 1) == 0 && w.bits(21, 1) == 1; {
	case !ok:
	case w.bits(24, 8) == 0x1f: // FMADD, FMSUB
		l.vector(w.rn(), bits)
		l.vector(w.rm(), bits)
		l.vector(w.ra(), bits)
	case !scalar:
	case w.bits(10, 2) == 2: // FADD, FMUL
		l.vector(w.rn(), bits)
		l.vector(w.rm(), bits)
	case w.bits(10, 6) == 0: // FCVTZS, SCVTF, FMOV from and to general registers
		if operation := w.bits(16, 3); operation == 2 || operation == 3 || operation == 7 {
			l.general(w.rn(), low(w.width()))
		} else {
			l.vector(w.rn(), bits)
		}
	case w.bits(10, 4) == 8: // FCMP
		l.vector(w.rn(), bits)
		if w.bits(3, 1) == 0 {
			l.vector(w.rm(), bits)
		}
	case w.bits(10, 5) == 16: // FMOV, FABS, FNEG, FSQRT, FCVT
		l.vector(w.rn(), bits)
	}
}

// flagsARM64 returns which flags a condition is about, as bits of the flags register.
func flagsARM64(i *machine.Inst) uint64 {
	const overflow, carry, zero, negative = 1 << 28, 1 << 29, 1 << 30, 1 << 31
	w := armWordOf(i)
	var condition int
	switch {
	case w.bits(24, 8) == 0x54: // B.cond
		condition = w.bits(0, 4)
	case w.bits(21, 8) == 0xd2, w.bits(21, 8) == 0xd4: // CCMP, CSEL, CSET
		condition = w.bits(12, 4)
	case w.bits(24, 8) == 0x1e && w.bits(21, 1) == 1 && w.bits(10, 1) == 1 && w.bits(10, 2) != 2: // FCCMP, FCSEL
		condition = w.bits(12, 4)
	case w.bits(21, 8) == 0xd0: // ADC, SBC
		return carry
	default:
		return 0
	}
	return [8]uint64{zero, carry, negative, overflow, carry | zero, negative | overflow, negative | overflow | zero, 0}[condition>>1]
}
