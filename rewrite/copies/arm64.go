package copies

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// arm64 is the architecture of that name. Displacements are in their instructions, and what they lead to is counted in
// instructions. Two registers are free between those of the program (docs/design/copies-arm64.md):
//
//   - R18 is the platform's, of which Linux makes no use.
//   - R27 is the assembler's. The compiler keeps nothing in it. Within what the assembler makes of one instruction it is in use.
//
// So a record saves nothing:
//
//	MOVD   m(g), R18
//	MOVD   next(R18), R27
//	MOVD   RSP, R18
//	MOVW   R18, 4(R27)
//	MOVD   $site, R18        two instructions
//	MOVW.P R18, 8(R27)
//	MOVD   m(g), R18
//	ADD    $next, R18
//	STLR   R27, (R18)
//
// Another thread may decode the log. So it has to find all of a record that next says is there: the last store is a release.
//
// A look stores the value at 8(R27) first, and a condition by CSET. No instruction of these sets flags. Behind a call there is
//
//	MOVD m(g), R27
//	MOVD next(R27), R27
//	CBNZ R27, 2(PC)
//	B    to the original
type arm64 struct {
	thread, next int // offsets: of the thread in a goroutine's g, and of where it has its next record; 0 if they are not known
}

// Registers with a purpose of their own, by their number in instructions.
const (
	platform    = 18
	temporary   = 27
	goroutine   = 28
	zeroOrStack = 31 // or the stack pointer
)

// A word is an instruction for arm64.
type word uint32

func wordOf(i *machine.Inst) word { return word(binary.LittleEndian.Uint32(i.Code)) }

// bits returns n bits of w, from a bit on.
func (w word) bits(from, n int) int { return int(w >> from & (1<<n - 1)) }

// signed returns n bits of w, from a bit on, as a number with a sign.
func (w word) signed(from, n int) int64 { return int64(w) << (64 - from - n) >> (64 - n) }

// Instructions without their operands.
const (
	jumpWord    = 0x14000000 // B
	callWord    = 0x94000000 // BL
	throughWord = 0xd61f0000 // BR
	linkBit     = 0x00200000 // of BLR
	pageWord    = 0x90000000 // ADRP
	addWord     = 0x91000000 // ADD $, R, R
	subWord     = 0xcb000000 // SUB R, R, R
	cmpWord     = 0xeb00001f // CMP R, R
	moveWord    = 0xaa0003e0 // MOVD R, R
	rotateWord  = 0x93c00000 // EXTR
	setWord     = 0x1a9f07e0 // CSETW
	loadWord    = 0xf9400000 // MOVD $(R), R
	storeWord   = 0xf9000000 // MOVD R, $(R)
	store32Word = 0xb9000000 // MOVW R, $(R)
	releaseWord = 0xc89ffc00 // STLR R, (R)
	postWord    = 0xb8000400 // MOVW.P R, $(R)
	lowWord     = 0x52800000 // MOVZW
	highWord    = 0x72a00000 // MOVKW $<<16
	cbzWord     = 0x34000000 // CBZW
	cbnzWord    = 0xb5000000 // CBNZ
	carryWord   = 0x54000002 // BCS
)

func (c *Copier) words(list ...int) {
	for _, w := range list {
		c.put(uint32(w))
	}
}

// constant returns the instructions that set a register to a number of 32 bits.
func constant(v uint32, register int) []int {
	return []int{lowWord | int(v&0xffff)<<5 | register, highWord | int(v>>16)<<5 | register}
}

// load and store have the words at an offset from a register.
func load(offset, from, to int) int  { return loadWord | offset/8<<10 | from<<5 | to }
func store(from, offset, to int) int { return storeWord | offset/8<<10 | to<<5 | from }

func (a arm64) check(f *machine.Function) error {
	if a.next == 0 || a.thread == 0 || a.next%8 != 0 || a.next+window >= 1<<12 {
		return errors.New("it is not known where threads have words of their own")
	}
	if f.Hi > rt.AddressMask {
		return errors.New("its address is too high")
	}
	for _, i := range f.Insts {
		w := wordOf(i)
		if i.IsCall() && keepsCaller(i.Callee) {
			return fmt.Errorf("it calls %s, which keeps the address that it returns to", i.Callee)
		}
		switch to, direct := i.Target(); {
		case direct && to > rt.AddressMask:
			return fmt.Errorf("it leads to where no function can be at %#x", i.PC)
		case direct && i.IsConditional() && (to < f.Lo || to >= f.Hi):
			return fmt.Errorf("it jumps to another function at %#x", i.PC)
		case w.setsStack():
			return fmt.Errorf("it sets the stack pointer at %#x", i.PC)
		case w.mentions(platform):
			return fmt.Errorf("it uses R18 at %#x", i.PC)
		}
	}
	return nil
}

// prologue is the register that the assembler makes the stack pointer of where a frame is large. It is scratch at calls.
const prologue = 20

// setsStack reports whether an instruction sets the stack pointer to something else than a sum of it.
func (w word) setsStack() bool {
	if w.bits(0, 5) != zeroOrStack || w.bits(26, 3) != 4 { // with a constant operand
		return false
	}
	switch w.bits(23, 3) {
	case 2: // ADD, SUB
		return w.bits(29, 1) == 0 && w.bits(5, 5) != zeroOrStack && w.bits(5, 5) != prologue
	case 4: // AND, ORR, EOR
		return w.bits(29, 2) != 3
	}
	return false
}

// align and end put words that are no instructions.
func (arm64) align(c *Copier) {
	for len(c.code)%16 != 0 {
		c.words(0)
	}
}

func (arm64) end(c *Copier) { c.words(0) }

func (arm64) noting(*value) uint32 { return rt.Noting }

func (a arm64) record(c *Copier, site uint32, v *value) {
	size := pathlog.RecordSize
	c.words(load(a.thread, goroutine, platform), load(a.next, platform, temporary))
	if v != nil {
		size = 2 * pathlog.RecordSize
		from := v.register
		if v.condition >= 0 {
			c.words(setWord | (v.condition^1)<<12 | platform)
			from = platform
		}
		c.words(store(from, pathlog.RecordSize, temporary))
	}
	c.words(addWord|zeroOrStack<<5|platform, store32Word|1<<10|temporary<<5|platform)
	c.words(constant(site, platform)...)
	c.words(postWord|size<<12|temporary<<5|platform, load(a.thread, goroutine, platform), addWord|a.next<<10|platform<<5|platform,
		releaseWord|platform<<5|temporary)
}

// canLook does not know the conditions AL and NV.
func (arm64) canLook(v value) bool {
	r := v.register
	return v.condition >= 0 && v.condition < 14 || v.condition < 0 && r >= 0 && r != platform && r != temporary && r < zeroOrStack
}

func (arm64) plain(w *writer, i *machine.Inst) error {
	code := wordOf(i)
	if code.bits(24, 5) != 0x10 {
		w.put(i.Code)
		return nil
	}
	distance := code.signed(5, 19)<<2 | int64(code.bits(29, 2))
	if code.bits(31, 1) == 0 { // ADR
		return fmt.Errorf("an address near itself at %#x", i.PC)
	}
	page := int64(i.PC&^0xfff) + distance<<12
	return w.page(uint64(page), code.bits(0, 5))
}

// page puts ADRP.
func (c *Copier) page(to uint64, register int) error {
	d := (int64(to&^0xfff) - int64(c.here()&^0xfff)) >> 12
	if d != d<<43>>43 {
		return fmt.Errorf("%#x is too far away from its copies", to)
	}
	c.words(pageWord | int(d&3)<<29 | int(d>>2&(1<<19-1))<<5 | register)
	return nil
}

func (arm64) jump(c *Copier) (displacement int) {
	c.words(jumpWord)
	return len(c.code) - 4
}

// branch puts the contrary jump, around one that reaches far enough.
func (a arm64) branch(c *Copier, i *machine.Inst) (displacement int, err error) {
	const over = 2 << 5 // instructions
	w := wordOf(i)
	switch {
	case w.bits(24, 8) == 0x54 && w.bits(1, 4) < 7: // B.cond, but for AL and what is like it
		c.words(int(w&0xff00000f) ^ 1 | over)
	case w.bits(25, 6) == 0x1a: // CBZ, CBNZ
		c.words(int(w&0xff00001f) ^ 1<<24 | over)
	case w.bits(25, 6) == 0x1b: // TBZ, TBNZ
		c.words(int(w&0xfff8001f) ^ 1<<24 | over)
	default:
		return 0, fmt.Errorf("%s at %#x", i.Text(), i.PC)
	}
	return a.jump(c), nil
}

// table loads from the copy of a table in place of the original, in which all that it needs is still there when a thread leaves:
// the load in front of the jump is repeated then.
func (arm64) table(w *writer, b *machine.Block, i *machine.Inst) error {
	if len(b.Insts) < 2 {
		return fmt.Errorf("a jump through a table at %#x", i.PC)
	}
	from := b.Insts[len(b.Insts)-2]
	code := wordOf(from)
	index := code.bits(16, 5)
	if code&0xffe0fc1f != 0xf8607800|temporary || code.bits(5, 5) == temporary || index == temporary { // MOVD (R)(R<<3), R27
		return fmt.Errorf("a jump through a table at %#x", i.PC)
	}
	w.origin(from.PC, rt.Instruction)
	table := (w.here() + 4*4 + 7) &^ 7
	if err := w.page(table, temporary); err != nil {
		return err
	}
	w.words(addWord|int(table&0xfff)<<10|temporary<<5|temporary, 0xf8607800|index<<16|temporary<<5|temporary,
		throughWord|temporary<<5)
	for w.here() < table {
		w.words(0)
	}
	return nil
}

func (a arm64) call(w *writer, i *machine.Inst) error {
	to, direct := i.Target()
	switch {
	case !direct:
		return a.indirect(w, i)
	case i.IsCall():
		w.words(callWord)
	default:
		w.words(jumpWord)
	}
	w.calls = append(w.calls, fixup{len(w.code) - 4, to})
	return nil
}

func (arm64) keepsFlags(string) bool { return false } // the test leaves them alone

func (a arm64) test(c *Copier, to uint64) error {
	c.words(load(a.thread, goroutine, temporary), load(a.next, temporary, temporary), cbnzWord|2<<5|temporary)
	return a.leave(c, to)
}

func (a arm64) leave(c *Copier, to uint64) error {
	c.goes(a.jump(c), to)
	return nil
}

func (arm64) lead(c *Copier, displacement int, to uint64) error {
	from := c.base + uint64(displacement)
	d := (int64(to) - int64(from)) / 4
	if !c.reaches(from, to) {
		return fmt.Errorf("%#x is too far away from its copies", to)
	}
	code := c.code[displacement:]
	w := binary.LittleEndian.Uint32(code)
	if w&0x7e000000 == cbzWord {
		if d != d<<45>>45 {
			return errors.New("it is too long")
		}
		binary.LittleEndian.PutUint32(code, w&^(1<<19-1<<5)|uint32(d)&(1<<19-1)<<5)
		return nil
	}
	binary.LittleEndian.PutUint32(code, w&^(1<<26-1)|uint32(d)&(1<<26-1))
	return nil
}

func (arm64) funcAlign() uint64 { return 16 } // cmd/link/internal/arm64

// The registers of indirect calls, which are scratch there. R27 is another, or R20 if the call goes through R27.
const (
	calleeRegister = 17
	indexRegister  = 16
)

// indirect puts a call or jump through a register, as on amd64:
//
//	MOVD R, R17
//	MOVD $lo, R16                 two instructions
//	SUB  R16, R, R16
//	ROR  $4, R16, R16             what is not at a multiple of 16 becomes large
//	MOVD $words, R27              two instructions
//	CMP  R27, R16; BHS call
//	MOVD $table, R27              two instructions
//	MOVW (R27)(R16<<2), R16
//	CBZ  R16, call
//	MOVD R16, R17
//	call: CALL (R17)
func (a arm64) indirect(w *writer, i *machine.Inst) error {
	r, to, by, third := wordOf(i).bits(5, 5), calleeRegister, indexRegister, temporary
	switch r {
	case platform, goroutine, zeroOrStack:
		return fmt.Errorf("%s at %#x", i.Text(), i.PC)
	case by:
		to, by = by, to
	case third:
		third = prologue
	}
	if r != to {
		w.words(moveWord | r<<16 | to)
	}
	l := lookup{low: len(w.code)}
	w.words(constant(0, by)...)
	w.words(subWord|by<<16|r<<5|by, rotateWord|by<<16|4<<10|by<<5|by)
	l.words = len(w.code)
	w.words(constant(0, third)...)
	w.words(cmpWord|third<<16|by<<5, carryWord|6<<5)
	l.table = len(w.code)
	w.words(constant(0, third)...)
	w.words(0xb8607800|by<<16|third<<5|by, cbzWord|2<<5|by, moveWord|by<<16|to)
	code := throughWord | to<<5
	if i.IsCall() {
		code |= linkBit
	}
	w.words(code)
	w.lookups = append(w.lookups, l)
	return nil
}

func (arm64) index(c *Copier, l lookup, low, table uint64, words int) {
	for at, v := range map[int]uint64{l.low: low, l.words: uint64(words), l.table: table} {
		code := c.code[at:]
		register := int(code[0] & 31)
		for k, w := range constant(uint32(v), register) {
			binary.LittleEndian.PutUint32(code[4*k:], uint32(w))
		}
	}
}

func (arm64) reach() int64 { return 1 << 27 }

// putRelay uses R18, which is free behind jumps and calls of the program's.
func (arm64) putRelay(c *Copier, to uint64) {
	c.words(constant(uint32(to), platform)...)
	c.words(throughWord | platform<<5)
}
