package machine

import (
	"encoding/binary"
	"fmt"
	"go/token"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
)

// arm64 is the architecture of that name. Package arm64asm knows neither atomic instructions nor all of the others that compiled
// code has, and does not give the numbers in operands. So what is needed is read from the words here: the names in comments are
// those of the Arm Architecture Reference Manual, section C4.1.
type arm64 struct{}

// Registers with a purpose of their own in compiled code, by their number in instructions.
const (
	temporary = 27 // the assembler's: constants and addresses that instructions have no room for
	zero      = 31 // is zero or the stack pointer, which depends on the instruction
)

// A word is an instruction.
type word uint32

// bits returns n bits of w, from a bit on.
func (w word) bits(from, n int) int { return int(w >> from & (1<<n - 1)) }

// signed returns n bits of w, from a bit on, as a number with a sign.
func (w word) signed(from, n int) int64 { return int64(w) << (64 - from - n) >> (64 - n) }

func (w word) rd() int { return w.bits(0, 5) }
func (w word) rn() int { return w.bits(5, 5) }
func (w word) rm() int { return w.bits(16, 5) }

// width returns how many bits the operands have of instructions in general registers.
func (w word) width() int { return 32 << w.bits(31, 1) }

// word returns the instruction of i on arm64.
func (i *Inst) word() word { return word(binary.LittleEndian.Uint32(i.Code)) }

// group returns the group that an instruction is of: op0 of the top level.
func (w word) group() int { return w.bits(25, 4) }

func (w word) isImmediate() bool { return w.group()>>1 == 4 }
func (w word) isControl() bool   { return w.group()>>1 == 5 }
func (w word) isMemory() bool    { return w.group()&5 == 4 }
func (w word) isRegister() bool  { return w.group()&7 == 5 }
func (w word) isFloat() bool     { return w.group()&7 == 7 }

func (a arm64) decode(i *Inst, before []*Inst, code []byte, pc uint64) bool {
	if len(code) < 4 {
		return false
	}
	i.PC, i.Code, i.condition, i.keepsFlags, i.arch = pc, code[:4], -1, true, a
	w := i.word()
	i.simple = !w.isControl()
	switch {
	case w == 0: // UDF, which the compiler puts where control does not come
		i.flow = traps
	case w.isControl():
		i.control(w)
	case w.isImmediate():
		i.immediate(w, before)
	case w.isRegister():
		i.registers(w, before)
	case w.isMemory() && !w.isLiteral(): // what is a literal is data in the code, which only assembly has
		i.memory(w, before)
	case w.isFloat():
		i.float(w)
	default:
		return false
	}
	i.pushes = int32(pushedBy(w, before))
	return true
}

// control decodes branches, exceptions and system instructions.
func (i *Inst) control(w word) {
	switch {
	case w.bits(26, 5) == 5: // B, BL
		i.flow, i.to, i.direct = jumps, i.PC+uint64(4*w.signed(0, 26)), true
		if w.bits(31, 1) == 1 {
			i.flow = calls
		}
	case w.bits(24, 8) == 0x54: // B.cond
		i.flow, i.to, i.direct = branches, i.PC+uint64(4*w.signed(5, 19)), true
		i.asksFor(w.bits(0, 4))
	case w.bits(25, 6) == 0x1a: // CBZ, CBNZ
		i.flow, i.to, i.direct = branches, i.PC+uint64(4*w.signed(5, 19)), true
		i.Compare = &Compare{Register: w.rd(), Bits: w.width(), IsConst: true}
		i.relation, i.asks = Relation{[]token.Token{token.EQL, token.NEQ}[w.bits(24, 1)], false}, true
	case w.bits(25, 6) == 0x1b: // TBZ, TBNZ
		i.flow, i.to, i.direct = branches, i.PC+uint64(4*w.signed(5, 14)), true
		i.testBit(w.rd(), w.bits(31, 1)<<5|w.bits(19, 5), w.bits(24, 1) == 1)
	case w&0xfffffc1f == 0xd61f0000: // BR
		i.flow = jumps
	case w&0xfffffc1f == 0xd63f0000: // BLR
		i.flow = calls
	case w&0xfffffc1f == 0xd65f0000: // RET
		i.flow = returns
	case w&0xffe0001f == 0xd4200000: // BRK
		i.flow = traps
	case w&0xfffff01f == 0xd503201f: // NOP and other hints
		i.noop = true
	}
}

// testBit decodes a jump that tests a bit. That of the sign asks whether a number is less than zero.
func (i *Inst) testBit(register, bit int, set bool) {
	c := &Compare{Register: register, Bits: 64, IsConst: true}
	i.Compare, i.asks = c, true
	switch {
	case bit == 31 || bit == 63:
		c.Bits, i.relation.Op = bit+1, token.GEQ
		if set {
			i.relation.Op = token.LSS
		}
		return
	case bit == 0:
		c.Bits, c.Flag, c.result = 1, true, true
	}
	c.Masked, i.relation.Op = true, token.EQL
	if set {
		i.relation.Op = token.NEQ
	}
}

// armRelations are those of conditions by their number, for what a compare leaves.
var armRelations = map[int]Relation{
	0: {token.EQL, false}, 1: {token.NEQ, false}, 2: {token.GEQ, true}, 3: {token.LSS, true},
	4: {token.LSS, false}, 5: {token.GEQ, false}, 8: {token.GTR, true}, 9: {token.LEQ, true},
	10: {token.GEQ, false}, 11: {token.LSS, false}, 12: {token.GTR, false}, 13: {token.LEQ, false},
}

// asksFor notes the condition of a conditional instruction. MI and PL, which ask for the sign alone, are comparisons of
// floating-point numbers. Integers were added then, and the sign is a part of the condition: x+y <= 0 takes two jumps.
func (i *Inst) asksFor(condition int) {
	i.condition = int8(condition)
	i.relation, i.asks = armRelations[condition]
	i.sign = condition == 4 || condition == 5
}

// immediate decodes instructions with a constant operand.
func (i *Inst) immediate(w word, before []*Inst) {
	switch {
	case w.bits(24, 5) == 0x10: // ADR, ADRP
		if w.bits(31, 1) == 1 {
			i.page = i.PC&^0xfff + uint64(w.signed(5, 19)<<2|int64(w.bits(29, 2)))<<12
		}
	case w.bits(23, 6) == 0x22: // ADD, SUB
		v := int64(w.bits(10, 12)) << (12 * w.bits(22, 1))
		if w.bits(29, 1) == 1 {
			i.setsFlags, i.keepsFlags = true, false
			if w.rd() == zero {
				i.Compare = &Compare{Register: w.rn(), Bits: w.width(), Const: v, IsConst: true}
				if w.bits(30, 1) == 0 {
					i.Compare.Const = -v
				}
			}
		} else if page, ok := pageIn(before, w.rn()); ok && w.bits(30, 1) == 0 {
			i.address = page + uint64(v)
		}
	case w.bits(23, 6) == 0x24 && w.bits(29, 2) == 3: // ANDS
		i.setsFlags, i.keepsFlags = true, false
		if w.rd() == zero {
			i.Compare = &Compare{Register: w.rn(), Bits: w.width(), IsConst: true, Masked: true}
			i.Compare.Flag = w.mask() == 1 // for a conditional move
			i.Compare.result = i.Compare.Flag
		}
	}
}

// registers decodes instructions whose operands are registers.
func (i *Inst) registers(w word, before []*Inst) {
	flags := w.bits(29, 1) == 1
	switch {
	case w.bits(24, 5) == 0x0b: // ADD, SUB
		if !flags {
			break
		}
		i.setsFlags, i.keepsFlags = true, false
		if w.rd() != zero {
			break
		}
		i.Compare = &Compare{Register: w.rn(), Bits: w.width()}
		if w.rn() == zero {
			i.Compare.Register = -1
		}
		if w.rm() == zero || w.rm() == temporary {
			i.comparesWith(last(before))
		}
	case w.bits(24, 5) == 0x0a && w.bits(29, 2) == 3: // ANDS, BICS
		i.setsFlags, i.keepsFlags = true, false
		if w.rd() == zero && w.bits(21, 1) == 0 {
			i.Compare = &Compare{Register: w.rn(), Bits: w.width(), IsConst: true, Masked: true}
		}
	case w.bits(21, 8) == 0xd0 && flags, w.bits(21, 8) == 0xd2: // ADCS, SBCS; CCMP, CCMN
		i.setsFlags, i.keepsFlags = true, false
		i.chooses = w.bits(21, 8) == 0xd2
	case w.bits(21, 8) == 0xd4: // CSEL, CSINC, CSINV, CSNEG
		isSet := w.rn() == zero && w.rm() == zero && w.bits(30, 1) == 0 && w.bits(10, 2) == 1 // CSET
		i.moves, i.chooses = !isSet, !isSet
		i.asksFor(w.bits(12, 4))
	}
}

// comparesWith has a compare of registers be one with a constant, if the instructions before put one into the register on the
// right. Those that have no room in instructions are in registers.
func (i *Inst) comparesWith(before []*Inst) {
	w, c := i.word(), i.Compare
	if c.IsConst || !w.isRegister() || w.bits(24, 5) != 0x0b || w.bits(21, 1) == 1 || w.bits(10, 6) != 0 {
		return // it is extended or shifted
	}
	v, ok := constantIn(before, w.rm())
	if c.Bits == 32 {
		v = int64(int32(v)) // as for other architectures
	}
	if w.bits(30, 1) == 0 {
		v = -v
	}
	c.Const, c.IsConst = v, ok
}

// float decodes instructions of floating-point numbers and vectors.
func (i *Inst) float(w word) {
	switch {
	case w&0xff20fc07 == 0x1e202000: // FCMP, FCMPE
		i.setsFlags, i.keepsFlags = true, false
		i.Compare = &Compare{Register: -1, Bits: 64, Float: true}
	case w&0xff200c00 == 0x1e200400: // FCCMP
		i.setsFlags, i.keepsFlags, i.chooses = true, false, true
	case w&0xff200c00 == 0x1e200c00: // FCSEL
		i.moves, i.chooses = true, true
		i.asksFor(w.bits(12, 4))
	}
}

// memory decodes loads and stores.
func (i *Inst) memory(w word, before []*Inst) {
	if page, ok := pageIn(before, w.rn()); ok && w.bits(24, 2) == 1 && w.bits(27, 3) == 7 {
		i.loads = page + uint64(w.bits(10, 12))<<w.bits(30, 2)
	}
	i.stores = w.writes() && !isFrame(before, w.rn())
}

// writes reports whether a load or store writes memory.
func (w word) writes() bool {
	load := w.bits(22, 1) == 1
	switch {
	case w.bits(24, 6) == 0x08: // exclusive, ordered; CAS and CASP
		cas := w.bits(21, 1) == 1 && (w.bits(23, 1) == 1 || w.bits(31, 1) == 0)
		return !load || cas
	case w.bits(24, 6) == 0x0c, w.bits(24, 6) == 0x0d, w.bits(27, 3) == 5: // of vectors; pairs
		return !load
	case w.bits(27, 3) != 7: // LDAPUR and others of the kind
		return w.bits(22, 2) == 0
	case w.isAtomic():
		return w.bits(12, 4) != 12 // LDAPR
	case w.bits(26, 1) == 1:
		return !load
	}
	return w.bits(22, 2) == 0
}

// isLiteral reports whether w is LDR of a constant behind the code.
func (w word) isLiteral() bool { return w.bits(27, 3) == 3 && w.bits(24, 2) == 0 }

// isPrefetch reports whether w is PRFM, which is encoded as a load.
func (w word) isPrefetch() bool { return w.bits(26, 6) == 0x3e && w.bits(22, 2) == 2 }

// isAtomic reports whether w is an atomic operation as LDADD and SWP.
func (w word) isAtomic() bool {
	return w.bits(27, 3) == 7 && w.bits(24, 3) == 0 && w.bits(21, 1) == 1 && w.bits(10, 2) == 0
}

// isExclusive reports whether w is STXR or STLXR, which set a register to whether they have stored.
func (w word) isExclusive() bool {
	return w.bits(24, 6) == 0x08 && w.bits(23, 1) == 0 && w.bits(21, 2) == 0
}

// isFrame reports whether a register is the stack pointer, or is made of it for lack of room in the instruction.
func isFrame(before []*Inst, register int) bool {
	if register == zero {
		return true
	}
	for k := len(before) - 1; k >= max(0, len(before)-4); k-- {
		w := before[k].word()
		if before[k].Set(register).How == Kept {
			continue
		}
		return (w.bits(23, 6) == 0x22 || w.bits(24, 5) == 0x0b && w.bits(21, 1) == 1) && w.rn() == zero &&
			(register == temporary || w.bits(30, 1) == 1)
	}
	return false
}

// pageIn returns the address that the instruction before has put into a register, if it is one for the upper bits.
func pageIn(before []*Inst, register int) (page uint64, ok bool) {
	if len(before) == 0 {
		return 0, false
	}
	i := before[len(before)-1]
	w := i.word()
	return i.page, i.page != 0 && w.rd() == register
}

// constantIn returns the constant that the instructions before have put into a register, or that is zero. Control must come from
// the first of them. That is so for the assembler's register, which it sets just before.
func constantIn(before []*Inst, register int) (v int64, ok bool) {
	if register == zero {
		return 0, true
	}
	var parts []word // the last first
	for k := len(before) - 1; k >= 0; k-- {
		i := before[k]
		if w := i.word(); w.isPart(register) {
			parts = append(parts, w)
			continue
		}
		s := i.Set(register)
		if s.How == Kept && !i.IsCall() {
			continue
		}
		for _, w := range slices.Backward(parts) {
			shift := 16 * w.bits(21, 2)
			s.Value = s.Value&^(0xffff<<shift) | int64(w.bits(5, 16))<<shift
			if w.width() == 32 {
				s.Value = int64(uint32(s.Value))
			}
		}
		return s.Value, s.How == Constant
	}
	return 0, false
}

// last returns the last few of a list.
func last(list []*Inst) []*Inst { return list[max(0, len(list)-5):] }

// isPart reports whether w is MOVK, which sets a part of a register.
func (w word) isPart(register int) bool {
	return w.bits(23, 6) == 0x25 && w.bits(29, 2) == 3 && w.rd() == register
}

// pushedBy returns by how much an instruction lowers the stack pointer.
func pushedBy(w word, before []*Inst) int {
	switch {
	case w.isMemory() && w.rn() == zero && w.bits(27, 3) == 7 && w.bits(24, 3) == 0 && w.bits(21, 1) == 0 && w.bits(10, 1) == 1:
		return -int(w.signed(12, 9)) // before or after, of one register
	case w.isMemory() && w.rn() == zero && w.bits(27, 3) == 5 && w.bits(23, 1) == 1 && w.bits(26, 1) == 0:
		return -int(w.signed(15, 7)) << (2 + w.bits(31, 1)) // of a pair
	case w.rd() != zero || w.bits(29, 1) == 1:
		return 0
	case w.bits(23, 6) == 0x22: // ADD, SUB
		v := w.bits(10, 12) << (12 * w.bits(22, 1))
		if w.bits(30, 1) == 0 {
			v = -v
		}
		if w.rn() != zero {
			return lowered(before, w.rn())
		}
		return v
	case w.bits(24, 5) == 0x0b && w.bits(21, 1) == 1 && w.rn() == zero: // with a register
		v, _ := constantIn(last(before), w.rm())
		if w.bits(30, 1) == 0 {
			v = -v
		}
		return int(v)
	}
	return 0
}

// lowered returns how far a register is below the stack pointer, which is about to be set to it.
func lowered(before []*Inst, register int) int {
	for k := len(before) - 1; k >= max(0, len(before)-6); k-- {
		w := before[k].word()
		if before[k].Set(register).How == Kept {
			continue
		}
		return pushedBy(w|zero, before[:k]) // as if it set the stack pointer
	}
	return 0
}

// moved returns what a move sets its register to: a constant, or a copy of another register.
func (w word) moved() Set {
	switch {
	case w.bits(23, 6) == 0x25 && w.bits(29, 2) != 3: // MOVZ, MOVN
		v := uint64(w.bits(5, 16)) << (16 * w.bits(21, 2))
		if w.bits(29, 2) == 0 {
			v = ^v
		}
		if w.width() == 32 {
			v = uint64(uint32(v))
		}
		return Set{How: Constant, Value: int64(v)}
	case w.bits(23, 6) == 0x24 && w.bits(29, 2) == 1 && w.rn() == zero: // ORR of a constant
		return Set{How: Constant, Value: int64(w.mask())}
	case w.bits(23, 6) == 0x24 && w.bits(29, 2) == 0 && isLow(w.mask()): // AND, which extends
		return Set{How: Copied, From: w.rn()}
	case w.bits(23, 6) == 0x26 && w.bits(29, 2) != 1 && w.bits(16, 6) == 0 && isLow(1<<(w.bits(10, 6)+1)-1): // UBFM, SBFM
		return Set{How: Copied, From: w.rn()}
	case w.bits(21, 8) == 0x50 && w.bits(29, 2) == 1 && w.rn() == zero && w.bits(10, 6) == 0: // ORR
		if w.rm() == zero {
			return Set{How: Constant}
		}
		return Set{How: Copied, From: w.rm()}
	}
	return Set{How: Computed}
}

// isLow reports whether a mask leaves the bits of a smaller type.
func isLow(mask uint64) bool { return mask == 1<<8-1 || mask == 1<<16-1 || mask == 1<<32-1 }

// mask returns the constant of a logical instruction (DecodeBitMasks in the manual).
func (w word) mask() uint64 {
	n, r, s := w.bits(22, 1), w.bits(16, 6), w.bits(10, 6)
	length := bits.Len(uint(n<<6|^s&63)) - 1
	if length < 1 {
		return 0
	}
	size := 1 << length
	s, r = s&(size-1), r&(size-1)
	element := uint64(1)<<(s+1) - 1
	element = element>>r | element<<(size-r)
	if size < 64 {
		element &= 1<<size - 1
	}
	for ; size < 64; size *= 2 {
		element |= element << size
	}
	if w.width() == 32 {
		element = uint64(uint32(element))
	}
	return element
}

func (arm64) set(i *Inst, register int) Set {
	w := i.word()
	switch {
	case w.isMemory():
		return w.loaded(register)
	case !w.isImmediate() && !w.isRegister() && !w.isFloat(), w.rd() != register:
		return Set{}
	case w.bits(23, 6) == 0x22 && w.bits(29, 1) == 0: // ADD, SUB
		v := int64(w.bits(10, 12)) << (12 * w.bits(22, 1))
		if w.bits(30, 1) == 1 {
			v = -v
		}
		if w.rn() != zero {
			return Set{How: Added, From: w.rn(), Value: v}
		}
	}
	return w.moved()
}

func (arm64) onlyMoves(i *Inst) bool {
	w := i.word()
	return w.isMemory() && !w.isAtomic() && !w.isExclusive() || i.arch.set(i, w.rd()).How == Constant ||
		i.arch.set(i, w.rd()).How == Copied
}

// writes is for instructions that move values.
func (arm64) writes(i *Inst) bool { return i.word().isMemory() && i.word().writes() }

// spill has loads and stores with an offset in the instruction.
func (arm64) spill(i *Inst) (s spill, ok bool) {
	w := i.word()
	if w.bits(27, 3) != 7 || w.bits(24, 2) != 1 || w.bits(26, 1) != 0 || w.rn() != zero || w.isPrefetch() {
		return s, false
	}
	size := w.bits(30, 2)
	s.register, s.loads = w.rd(), w.bits(22, 2) != 0
	s.slot = span{int64(w.bits(10, 12)) << size, 1 << size}
	if s.register == zero {
		s.register = -1
	}
	return s, !s.loads || s.register >= 0
}

// advances reports whether a load or store sets its base, before or after.
func (w word) advances() bool {
	if w.bits(27, 3) == 5 {
		return w.bits(23, 1) == 1
	}
	return w.bits(27, 3) == 7 && w.bits(24, 1) == 0 && w.bits(21, 1) == 0 && w.bits(10, 1) == 1
}

// loaded returns what a load or store makes of a register.
func (w word) loaded(register int) Set {
	general, load := w.bits(26, 1) == 0, !w.writes() || w.isAtomic()
	pair := w.bits(27, 3) == 5
	switch {
	case w.isExclusive() && w.rm() == register, w.bits(24, 6) == 0x08 && w.bits(21, 1) == 1 && w.rm() == register: // CAS
		return Set{How: Computed}
	case w.rn() == register && w.rn() != zero && w.advances():
		return Set{How: Computed}
	case general && load && !w.isPrefetch() && (w.rd() == register || pair && w.bits(10, 5) == register):
		return Set{How: Loaded}
	}
	return Set{}
}

// table finds the table of BR R27, by the load of R27 in front and what has made its base.
func (arm64) table(before []*Inst, i *Inst) (tables []uint64, index int, ok bool) {
	n := len(before)
	if n == 0 {
		return nil, -1, false
	}
	load := before[n-1].word()
	if i.word().rn() != temporary || load.rd() != temporary || load&0xffe00c00 != 0xf8600800 { // LDR with an index
		return nil, -1, false
	}
	base, index := load.rn(), load.rm()
	for k := n - 2; k >= 0; k-- {
		if before[k].Set(base).How != Kept {
			if before[k].address != 0 {
				tables = append(tables, before[k].address)
			}
			break
		}
	}
	return tables, index, true
}

// classify finds jumps within what is one operation to the compiler. The register for those is the assembler's (atomic
// operations), or is counted down (loops that clear and copy). What follows on a flag of the runtime is another's.
func (arm64) classify(im *Image, b *Block, k int) {
	i := b.Insts[k]
	for _, s := range b.Succs {
		for _, x := range s.Insts {
			if strings.HasPrefix(x.Callee, "runtime.morestack") {
				i.Kind = Other
			}
		}
	}
	if i.Test == nil || i.Test.Compare == nil {
		return
	}
	c := i.Test.Compare
	if at := slices.Index(b.Insts, i.Test); at >= 0 {
		i.Test.comparesWith(b.Insts[:at])
	}
	if c.Register < 0 {
		return
	}
	for j := k - 1; j >= 0; j-- {
		m := b.Insts[j]
		s := m.Set(c.Register)
		switch {
		case s.How == Kept:
			continue
		case i.Test == i && s == (Set{How: Added, From: c.Register, Value: -1}) && b.Succs[0] == b:
			i.Test = nil
		case m.loads != 0 && (m.loads == im.Barrier || m.loads == im.atomics):
			i.Kind = Other
		case c.Flag && s.How == Loaded && m.word().rn() != zero && m.word().bits(27, 5) == 7: // LDRB
			c.Memory, c.Bits = true, 8
		}
		break
	}
	if c.Register == temporary {
		i.Kind = Other
	}
}

func (arm64) second() int { return 1 }

func (arm64) makes(i *Inst) bool {
	w := i.word()
	return w.bits(21, 8) == 0xd4 && w.bits(29, 2) == 0 && w.bits(10, 2) == 1 && w.rn() == zero && w.rm() == zero // CSET
}

func (arm64) flips(i *Inst, register int) bool {
	w := i.word()
	return w.bits(23, 6) == 0x24 && w.bits(29, 2) == 2 && w.mask() == 1 && w.rn() == register && w.rd() == register // EOR
}

func (arm64) text(i *Inst) string {
	in, err := arm64asm.Decode(i.Code)
	if err != nil {
		return fmt.Sprintf("WORD $%#08x", uint32(i.word()))
	}
	return arm64asm.GoSyntax(in, i.PC, nil, nil)
}
