package machine

import (
	"go/token"

	"golang.org/x/arch/x86/x86asm"
)

// An Inst is an instruction. Programs have many, so its fields are small, and those of one size are together.
type Inst struct {
	Op       x86asm.Op // on amd64, as the fields that follow
	MemBytes int16     // of an operand in memory
	Len      int16
	PCRel    int16 // bytes that an address relative to the instruction has in it, 0 for none
	PCRelOff int16 // where they are
	pushes   int32 // on all, by how much it lowers the stack pointer, in bytes
	Args     [4]x86asm.Arg

	PC      uint64
	Code    []byte
	File    string // in the line table
	Line    int
	Chain   []*Scope // inlined calls that it is of, the outermost first
	Callee  string   // of a direct call
	Compare *Compare // what it compares, if it is a compare; on arm64 jumps may be, too
	Test    *Inst    // of a conditional jump, move or set: what sets its flags, if that is near; the jump itself, if that compares
	Call    *Inst    // of a compare: the call whose result it is about, if that is just before

	arch     arch
	to       uint64   // of a direct jump or call
	address  uint64   // that it makes, if it is constant; 0 if it makes none
	page     uint64   // the upper bits of an address that it makes
	loads    uint64   // the address that it loads from, if it is constant
	relation Relation // that the condition asks for

	Kind      Kind
	flow      flow
	condition int8 // of a conditional instruction, by its number in instructions; -1 if it has none

	Bool  bool // of a conditional jump: it tests a byte, as those of variables do
	Check bool // of a conditional jump: on one side of it the runtime panics
	Moved bool // of a conditional jump: there is a conditional move before it, which may have been a branch
	Vex   bool // of which nothing but the length is known

	direct     bool // it leads to an address
	asks       bool // there is a relation
	sign       bool // which is so of floating-point numbers; of others it asks for the sign of a sum
	part       bool // of a conditional jump: another one in front asks for the rest of the condition
	moves      bool // it is a conditional move
	sets       bool // it makes a bool of a condition
	chooses    bool // it may be what has become of a branch
	testsBit   bool // it leaves a bit in the flag that is set where a number is less
	setsFlags  bool // it is a compare
	keepsFlags bool // what it does does not change flags
	simple     bool // it changes no register but those that set tells
	noop       bool
	stores     bool // it writes memory other than the frame
}

// An arch decodes instructions of an architecture. What is known of them after that is the same for all.
type arch interface {
	// decode decodes the instruction that code begins with, behind others of the function. I is empty before.
	decode(i *Inst, before []*Inst, code []byte, pc uint64) bool

	// set returns what an instruction makes of a register.
	set(i *Inst, register int) Set

	// table returns the addresses of tables that an indirect jump may go through, and the register that is the index. It is not
	// ok if the jump goes elsewhere.
	table(before []*Inst, i *Inst) (tables []uint64, index int, ok bool)

	// classify adds what the conditional jump that is instruction k of b is evidence of, once its Test is known.
	classify(im *Image, b *Block, k int)

	text(i *Inst) string

	// second returns the register of a call's second result.
	second() int

	// makes reports whether an instruction makes a bool of a condition.
	makes(i *Inst) bool

	// flips reports whether an instruction turns a bool in a register into its contrary.
	flips(i *Inst, register int) bool

	// onlyMoves reports whether an instruction does nothing but move values, and make constants.
	onlyMoves(i *Inst) bool

	// writes reports whether an instruction writes memory.
	writes(i *Inst) bool

	// spill returns what an instruction loads from the frame, or stores in it. It is not ok if that is not all it does.
	spill(i *Inst) (s spill, ok bool)

	// leads returns where the instruction leads that code begins with, and its length, 0 if there is none.
	leads(code []byte, pc uint64) (n int, l lead)
}

// Kind says what an instruction is evidence of.
type Kind int8

// The kinds.
const (
	Weak   Kind = iota // moves, spills, constants and computations: their positions prove nothing
	Branch             // a conditional jump
	Strict             // a store, call or return
	Panics             // a call that never returns
	Other              // made by the compiler: prologues, write barriers
)

// A flow is where control goes from an instruction.
type flow int8

const (
	goesOn   flow = iota // to the next
	jumps                // elsewhere
	branches             // to either
	calls
	returns
	traps
)

// A Compare is what an instruction compares.
type Compare struct {
	Register int   // on the left, a general register by its number in instructions; -1 for none
	Memory   bool  // what is on the left is in memory
	Bits     int   // as many are compared
	Const    int64 // on the right
	IsConst  bool
	Address  bool  // what is on the right is an address that the linker knows, as those of types are
	Self     bool  // it is a test of the register against itself, so of whether it is zero
	Made     bool  // the register has a bool that was made of a condition
	Masked   bool  // some bits of the register, by a mask, are compared with zero
	Mask     int64 // if it is constant, 0 otherwise
	Flag     bool  // it is of a byte or its lowest bit, as tests of variables are
	Float    bool

	result    bool // it may be of a bool that a call returns
	exchanged bool // what is on the right here is on the left in the instruction
}

// A Relation is what a conditional instruction asks of the two numbers that a compare compares.
type Relation struct {
	Op       token.Token
	Unsigned bool
}

// A Set is what an instruction makes of a register.
type Set struct {
	How   How
	From  int   // Copied and Added: the register that it is made of, by its number
	Value int64 // Added: what is added to it; Constant
}

// How says how an instruction makes the value of a register.
type How int

// The ways.
const (
	Kept     How = iota // it does not
	Constant            // it has a constant
	Copied              // from another register, whose value may be extended
	Added               // to another register, a constant
	Loaded              // from memory
	Computed            // otherwise
)

// Set returns what i makes of a general register, by its number in instructions. Calls are not taken into account.
func (i *Inst) Set(register int) Set { return i.arch.set(i, register) }

// SetsBits returns the bits that i sets in a general register, if it does nothing else. That is known on amd64.
func (i *Inst) SetsBits(register int) (bits int64, ok bool) {
	r, isReg := i.Args[0].(x86asm.Reg)
	imm, isConst := i.Args[1].(x86asm.Imm)
	return int64(imm), i.Op == x86asm.OR && isReg && isConst && Register(r)-1 == register
}

// Extends reports whether i extends a byte of a register with zeros to a number. That is known on amd64.
func (i *Inst) Extends() bool {
	_, to := i.Args[0].(x86asm.Reg)
	from, ok := i.Args[1].(x86asm.Reg)
	return i.Op == x86asm.MOVZX && to && ok && (from >= x86asm.AL && from <= x86asm.BL || from >= x86asm.SPB && from <= x86asm.R15B)
}

// ExtendsByte returns the register in which i makes a number of a byte, which is in memory or in a register. That is known on
// amd64.
func (i *Inst) ExtendsByte() (to int, ok bool) {
	r, isReg := i.Args[0].(x86asm.Reg)
	_, isMem := i.Args[1].(x86asm.Mem)
	return Register(r) - 1, isReg && (i.Extends() || i.Op == x86asm.MOVZX && isMem && i.MemBytes == 1)
}

// Registers returns the two general registers that i has as operands, by their numbers. That is known on amd64.
func (i *Inst) Registers() (to, from int, ok bool) {
	a, _ := i.Args[0].(x86asm.Reg)
	b, _ := i.Args[1].(x86asm.Reg)
	to, from = Register(a)-1, Register(b)-1
	return to, from, to >= 0 && from >= 0
}

// Adds reports whether i adds a general register to another one. That is known on amd64.
func (i *Inst) Adds(register int) bool {
	to, from, ok := i.Registers()
	return ok && i.Op == x86asm.ADD && from == register && to != register
}

// Computes reports whether i makes a number of registers. Constants and addresses are made again where they are needed, which is
// not among it. That is known on amd64.
func (i *Inst) Computes() bool {
	if _, isReg := i.Args[0].(x86asm.Reg); !isReg || i.Args[0] == x86asm.RSP {
		return false
	}
	switch i.Op {
	case x86asm.LEA:
		m, _ := i.Args[1].(x86asm.Mem)
		return m.Base != x86asm.RIP && m.Base != x86asm.RSP && m.Base != 0
	case x86asm.XOR:
		return i.Args[0] != i.Args[1]
	case x86asm.ADD, x86asm.SUB, x86asm.INC, x86asm.DEC, x86asm.IMUL, x86asm.AND, x86asm.OR, x86asm.SHL, x86asm.SHR, x86asm.SAR:
		return true
	}
	return false
}

// Text returns i in the assembler's syntax.
func (i *Inst) Text() string { return i.arch.text(i) }

// IsJump reports whether i is a jump.
func (i *Inst) IsJump() bool { return i.flow == jumps || i.flow == branches }

// IsConditional reports whether i is a conditional jump.
func (i *Inst) IsConditional() bool { return i.flow == branches }

// IsCall reports whether i is a call.
func (i *Inst) IsCall() bool { return i.flow == calls }

// IsReturn reports whether i is a return.
func (i *Inst) IsReturn() bool { return i.flow == returns }

// IsMove reports whether i is a conditional move.
func (i *Inst) IsMove() bool { return i.moves }

// IsSet reports whether i makes a bool of a condition.
func (i *Inst) IsSet() bool { return i.sets }

// IsPart reports whether i is a conditional jump that asks for a part of a condition, whose other part the jump in front asks for
// by the same compare. For floating-point numbers on amd64 that is whether one of them is a NaN.
func (i *Inst) IsPart() bool { return i.part || i.sign && !i.isOfFloats() }

func (i *Inst) isOfFloats() bool {
	return i.Test != nil && i.Test.Compare != nil && i.Test.Compare.Float
}

// End returns the address behind i.
func (i *Inst) End() uint64 { return i.PC + uint64(len(i.Code)) }

// Target returns where a direct jump or call leads.
func (i *Inst) Target() (uint64, bool) { return i.to, i.direct }

// Condition returns the number that the condition of a jump or move has in instructions.
func (i *Inst) Condition() (int, bool) { return int(max(0, i.condition)), i.condition >= 0 }

// Relation returns what a conditional jump or move asks of what Test compares.
func (i *Inst) Relation() (Relation, bool) {
	if i.sign && !i.isOfFloats() {
		return Relation{}, false
	}
	r := i.relation
	if i.Test != nil && i.Test.Compare != nil && i.Test.Compare.exchanged {
		r.Op = turned(r.Op)
	}
	return r, i.asks
}

// turned returns the operator that asks for the same with both sides exchanged.
func turned(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.GTR:
		return token.LSS
	case token.LEQ:
		return token.GEQ
	case token.GEQ:
		return token.LEQ
	}
	return op
}
