package machine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// amd64 is the architecture of that name.
type amd64 struct{}

func (a amd64) decode(i *Inst, _ []*Inst, code []byte, pc uint64) bool {
	in, vex, ok := decode(code)
	if !ok {
		return false
	}
	if in.Args[len(i.Args)] != nil { // none has so many
		return false
	}
	i.Op, i.Args, i.MemBytes, i.Len = in.Op, [4]x86asm.Arg(in.Args[:4]), int16(in.MemBytes), int16(in.Len)
	i.PCRel, i.PCRelOff = int16(in.PCRel), int16(in.PCRelOff)
	i.PC, i.Code, i.Vex, i.condition, i.arch = pc, code[:in.Len], vex, -1, a
	if vex {
		i.keepsFlags, i.simple = true, true
		return true
	}
	is := operationOf(in.Op)
	i.flow = is.flow
	if to, ok := in.Args[0].(x86asm.Rel); ok {
		i.to, i.direct = i.End()+uint64(int64(to)), true
	}
	i.condition = int8(conditionOf(i.Code))
	if i.condition >= 0 {
		i.relation, i.asks = relations[int(i.condition)]
	}
	i.part = i.condition|1 == 0xb
	i.moves, i.sets, i.setsFlags, i.keepsFlags = is.moves, is.sets, is.setsFlags, is.keepsFlags
	i.chooses = i.moves || in.Op == x86asm.SBB && in.Args[0] != in.Args[1] || in.Op == x86asm.ADC // SBBL R, R is part of a shift
	i.testsBit = in.Op == x86asm.BT
	i.simple = in.Op == x86asm.MOV || in.Op == x86asm.NOP
	i.noop = in.Op == x86asm.NOP
	i.stores = i.storesMemory()
	i.Compare = i.compare()
	i.pushes = int32(i.pushed())
	if m, ok := in.Args[1].(x86asm.Mem); ok && in.Op == x86asm.LEA && m.Base == x86asm.RIP {
		i.address = i.End() + uint64(m.Disp)
	}
	return true
}

// An operation has the properties that all instructions with an opcode share. Their names tell them, which takes long to ask.
type operation struct {
	flow                               flow
	moves, sets, setsFlags, keepsFlags bool
}

// properties are those of operations, by opcode.
var properties = func() (list [mostOps]operation) {
	for k := range list {
		op := x86asm.Op(k)
		if k == 0 || strings.HasPrefix(op.String(), "Op(") {
			continue
		}
		has := func(prefix string) bool { return strings.HasPrefix(op.String(), prefix) }
		o := operation{flow: flowOf(op), moves: has("CMOV"), sets: has("SET")}
		o.setsFlags = has("CMP") && !has("CMPXCHG") || has("TEST") || has("UCOMI") || has("BT")
		o.keepsFlags = op == x86asm.LEA || op == x86asm.NOP || o.moves || o.sets || has("MOV")
		list[k] = o
	}
	return list
}()

// mostOps is above all opcodes of package x86asm but those of AVX, whose names begin with V: they have none of the properties.
const mostOps = x86asm.XTEST + 1

func operationOf(op x86asm.Op) operation {
	if op >= mostOps {
		return operation{}
	}
	return properties[op]
}

func flowOf(op x86asm.Op) flow {
	switch {
	case op == x86asm.CALL:
		return calls
	case op == x86asm.RET:
		return returns
	case op == x86asm.UD2:
		return traps
	case op == x86asm.JMP:
		return jumps
	case op.String()[0] == 'J':
		return branches
	}
	return goesOn
}

// relations are those of conditions by their number in instructions, for what a compare leaves.
var relations = map[int]Relation{
	0x2: {token.LSS, true}, 0x3: {token.GEQ, true}, 0x6: {token.LEQ, true}, 0x7: {token.GTR, true},
	0x4: {token.EQL, false}, 0x5: {token.NEQ, false},
	0xc: {token.LSS, false}, 0xd: {token.GEQ, false}, 0xe: {token.LEQ, false}, 0xf: {token.GTR, false},
}

// conditionOf returns the number that the condition of a jump, a move or a SETcc has in instructions, -1 if it has none.
func conditionOf(code []byte) int {
	for len(code) > 1 && (code[0]&0xf0 == 0x40 || code[0] == 0x66) {
		code = code[1:]
	}
	switch {
	case code[0]&0xf0 == 0x70:
		return int(code[0] & 15)
	case len(code) > 1 && code[0] == 0x0f && (code[1]&0xf0 == 0x80 || code[1]&0xf0 == 0x40 || code[1]&0xf0 == 0x90):
		return int(code[1] & 15)
	}
	return -1
}

// storesMemory reports whether i writes memory other than the frame.
func (i *Inst) storesMemory() bool {
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

// compare returns what i compares, nil if it is no compare.
func (i *Inst) compare() *Compare {
	switch i.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.BT, x86asm.UCOMISD, x86asm.UCOMISS:
	default:
		return nil
	}
	c := &Compare{Register: -1, Bits: 64}
	switch a := i.Args[0].(type) {
	case x86asm.Reg:
		c.Register = Register(a) - 1
		switch {
		case a <= x86asm.R15B:
			c.Bits = 8
		case a <= x86asm.R15W:
			c.Bits = 16
		case a <= x86asm.R15L:
			c.Bits = 32
		}
	case x86asm.Mem:
		c.Memory, c.Bits = true, 8*int(i.MemBytes)
	}
	imm, isConst := i.Args[1].(x86asm.Imm)
	switch {
	case i.Op == x86asm.CMP:
		c.Const, c.IsConst = int64(imm), isConst
	case i.Op == x86asm.TEST && i.Args[0] == i.Args[1]:
		c.IsConst, c.Self = true, true
		c.Flag, c.result = c.Register >= 0 && c.Bits < 64, c.Bits == 8
	case i.Op == x86asm.TEST && isConst:
		c.IsConst, c.Masked, c.Mask = true, true, int64(imm)
	case i.Op == x86asm.BT && c.Register >= 0: // a bit, as the flag that compares use for less than
		c.IsConst, c.Masked = true, true
		if isConst {
			c.Mask = 1 << (uint(imm) % uint(c.Bits))
		}
	case i.Op == x86asm.UCOMISD || i.Op == x86asm.UCOMISS:
		c.Float = true
	default:
		return nil
	}
	return c
}

// pushed returns by how much i lowers the stack pointer.
func (i *Inst) pushed() int {
	switch i.Op {
	case x86asm.PUSH, x86asm.PUSHFQ:
		return 8
	case x86asm.POP, x86asm.POPFQ:
		return -8
	}
	if i.Args[0] != x86asm.RSP {
		return 0
	}
	if v, ok := i.Args[1].(x86asm.Imm); ok {
		switch i.Op {
		case x86asm.SUB:
			return int(v)
		case x86asm.ADD:
			return -int(v)
		}
	}
	if m, ok := i.Args[1].(x86asm.Mem); ok && i.Op == x86asm.LEA && m.Base == x86asm.RSP && m.Index == 0 {
		return -int(m.Disp)
	}
	return 0
}

func (amd64) set(i *Inst, register int) Set {
	r, isReg := i.Args[0].(x86asm.Reg)
	if !isReg || Register(r)-1 != register || i.Op == x86asm.CMP || i.Op == x86asm.TEST {
		return Set{}
	}
	imm, isConst := i.Args[1].(x86asm.Imm)
	switch i.Op {
	case x86asm.LEA:
		from, _ := i.Args[1].(x86asm.Mem)
		if from.Index == 0 && from.Base != x86asm.RIP && from.Base != x86asm.RSP {
			return Set{How: Added, From: Register(from.Base) - 1, Value: int64(int32(from.Disp))}
		}
	case x86asm.SUB:
		if isConst {
			return Set{How: Added, From: register, Value: -int64(imm)}
		}
	case x86asm.ADD:
		if isConst {
			return Set{How: Added, From: register, Value: int64(imm)}
		}
	case x86asm.DEC:
		return Set{How: Added, From: register, Value: -1}
	case x86asm.INC:
		return Set{How: Added, From: register, Value: 1}
	case x86asm.XOR:
		if i.Args[1] == i.Args[0] {
			return Set{How: Constant}
		}
	case x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.MOV:
		if from, ok := i.Args[1].(x86asm.Reg); ok {
			return Set{How: Copied, From: Register(from) - 1}
		}
		if isConst {
			return Set{How: Constant, Value: int64(imm)}
		}
		return Set{How: Loaded}
	}
	return Set{How: Computed}
}

func (amd64) onlyMoves(i *Inst) bool {
	switch i.Op {
	case x86asm.XOR:
		return i.Args[0] == i.Args[1]
	case x86asm.MOV, x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.LEA, x86asm.MOVUPS, x86asm.MOVSD_XMM, x86asm.MOVSS:
		return true
	}
	return false
}

// writes is for instructions that move values.
func (amd64) writes(i *Inst) bool {
	_, ok := i.Args[0].(x86asm.Mem)
	return ok
}

func (amd64) spill(i *Inst) (s spill, ok bool) {
	r, m := i.Args[0], i.Args[1]
	if s.loads = i.Op == x86asm.MOVZX || i.Op == x86asm.MOV; !s.loads {
		return s, false
	}
	if _, stores := r.(x86asm.Mem); stores {
		r, m, s.loads = m, r, false
	}
	reg, isReg := r.(x86asm.Reg)
	mem, isMem := m.(x86asm.Mem)
	s.register, s.slot = Register(reg)-1, span{mem.Disp, int64(i.MemBytes)}
	return s, isReg && s.register >= 0 && isMem && mem.Base == x86asm.RSP && mem.Index == 0 && mem.Segment == 0
}

// table finds the tables that a jump may go through, by the LEAQ before: the nearest first.
func (amd64) table(before []*Inst, i *Inst) (tables []uint64, index int, ok bool) {
	if _, isReg := i.Args[0].(x86asm.Reg); isReg {
		return nil, -1, false
	}
	for k := len(before) - 1; k >= 0 && k > len(before)-12; k-- {
		if to := before[k].address; to != 0 {
			tables = append(tables, to)
		}
	}
	m, _ := i.Args[0].(x86asm.Mem)
	return tables, Register(m.Index) - 1, true
}

func (amd64) classify(im *Image, b *Block, k int) {
	i := b.Insts[k]
	if i.Test == nil {
		return
	}
	if at := slices.Index(b.Insts, i.Test); at >= 0 {
		i.Test.comparesRegister(b, at)
	}
	m, isMem := i.Test.Args[0].(x86asm.Mem)
	n, isMem1 := i.Test.Args[1].(x86asm.Mem)
	if isMem && m.Base == x86asm.R14 || isMem1 && n.Base == x86asm.R14 { // the stack's limit
		i.Kind = Other
	}
	if isMem && m.Base == x86asm.RIP && im.Barrier != 0 && i.Test.End()+uint64(m.Disp) == im.Barrier {
		i.Kind = Other
	}
}

// comparesRegister has instruction k of b, a compare of registers, be one with a constant or an address, if an instruction before
// puts one into the register on the right. Constants of more than 32 bits have no room in a compare. A constant on the left is
// taken to be on the right, and what is asked for is turned round.
func (i *Inst) comparesRegister(b *Block, k int) {
	c := i.Compare
	left, isLeft := i.Args[0].(x86asm.Reg)
	right, isReg := i.Args[1].(x86asm.Reg)
	if c == nil || c.IsConst || !isReg || i.Op != x86asm.CMP || c.Bits < 32 {
		return
	}
	if by := b.setter(k, Register(right)-1); by != nil {
		c.Address = by.address != 0
		c.Const, c.IsConst = by.constantOf(right, c.Bits)
	}
	if by := b.setter(k, Register(left)-1); !c.IsConst && !c.Address && isLeft && by != nil && Register(right) > 0 {
		if c.Const, c.IsConst = by.constantOf(left, c.Bits); c.IsConst {
			c.Register, c.exchanged = Register(right)-1, true
		}
	}
}

// constantOf returns the constant that i puts into a register, of so many bits.
func (i *Inst) constantOf(r x86asm.Reg, bits int) (v int64, ok bool) {
	to, _ := i.Args[0].(x86asm.Reg)
	s := i.Set(Register(r) - 1)
	if s.How != Constant || to < x86asm.EAX || to > x86asm.R15 {
		return 0, false
	}
	if v = s.Value; to <= x86asm.R15L {
		v = int64(uint32(v)) // the upper half is zero
	}
	if bits == 32 {
		v = int64(int32(v))
	}
	return v, true
}

// setter returns the instruction before instruction k of b that has set a register. It is nil if that is not known. Control comes
// by one way from there.
func (b *Block) setter(k, register int) *Inst {
	for range mostBlocks {
		for _, by := range slices.Backward(b.Insts[:k]) {
			if by.Set(register).How != Kept {
				return by
			}
			if !by.writesItsFirst() {
				return nil
			}
		}
		if len(b.Preds) != 1 {
			return nil
		}
		b = b.Preds[0]
		k = len(b.Insts)
	}
	return nil
}

// mostBlocks is how many blocks back what sets a register is looked for.
const mostBlocks = 8

// writesItsFirst reports whether i writes no general register but its first operand, if that is one (a division writes others).
func (i *Inst) writesItsFirst() bool {
	switch i.Op {
	case x86asm.MOV, x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.LEA, x86asm.NOP, x86asm.CMP, x86asm.TEST, x86asm.ADD,
		x86asm.SUB, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.SHL, x86asm.SHR, x86asm.SAR, x86asm.MOVUPS, x86asm.INC,
		x86asm.DEC, x86asm.NEG:
		return !i.Vex
	}
	return i.IsJump()
}

func (amd64) second() int { return 3 }

func (amd64) makes(i *Inst) bool { return i.IsSet() }

// flips is for no instruction: the condition itself is the contrary.
func (amd64) flips(*Inst, int) bool { return false }

func (amd64) text(i *Inst) string {
	in := x86asm.Inst{Op: i.Op}
	if !i.Vex {
		in, _, _ = decode(i.Code)
	}
	return x86asm.GoSyntax(in, i.PC, nil)
}

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
