package copies

import (
	"encoding/binary"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// A flow follows the copy of a function from each instruction to the next. Between them there are records, jumps, and tests
// whether the burst is over.
type flow struct {
	*checker
	f      *machine.Function
	copies map[uint64][]int // origins that are instructions, by address of the original
	blocks map[uint64]*machine.Block
	skips  map[*machine.Block][]*machine.Block // where control goes on from a block whose test is left out
}

// follow makes sure that control goes on in the copies as it does in the originals, and that flags are dead where they are changed.
func (k *checker) follow(functions []*machine.Function) {
	copies := make(map[uint64][]int)
	for n, p := range k.c.Origins {
		if p.At>>rt.KindShift == rt.Instruction {
			at := uint64(p.At & rt.AddressMask)
			copies[at] = append(copies[at], n)
		}
	}
	for _, f := range functions {
		w := &flow{checker: k, f: f, copies: copies, blocks: make(map[uint64]*machine.Block),
			skips: make(map[*machine.Block][]*machine.Block)}
		for _, b := range f.Blocks {
			for _, i := range b.Insts {
				w.blocks[i.PC] = b
			}
			if b.Skips {
				w.skips[b.Succs[0]] = append(w.skips[b.Succs[0]], b.Next()[0])
			}
		}
		for _, b := range f.Blocks {
			for _, i := range b.Insts {
				w.instruction(b, i)
			}
		}
		if k.Failed() {
			k.Fatalf("%s at %#x", f.Name, f.Lo)
		}
	}
}

// instruction checks where control goes from all copies of an instruction.
func (w *flow) instruction(b *machine.Block, i *machine.Inst) {
	if i.Kind == machine.Panics {
		return // the original's
	}
	for _, n := range w.copies[i.PC] {
		at := uint64(w.c.Origins[n].Copy)
		end := at + uint64(i.Len)
		switch {
		case i.IsConditional():
			end = at + 6 // they are long in copies
			to, _ := i.Target()
			rel := int64(int32(binary.LittleEndian.Uint32(w.c.Code[end-4:])))
			w.goesTo(b, i, w.c.Base+end+uint64(rel), to)
			w.goesTo(b, i, w.c.Base+end, i.End())
		case i.IsJump() && !i.Vex:
			if b.Table != 0 {
				w.table(b)
			}
		case i.Op == x86asm.RET && !i.Vex || i.Op == x86asm.UD2:
		default:
			if i.Op == x86asm.CALL && !i.Vex {
				w.returns(b, i, at)
			} else {
				w.goesTo(b, i, w.c.Base+end, i.End())
			}
		}
	}
}

// returns checks what is behind a call.
func (w *flow) returns(b *machine.Block, i *machine.Inst, at uint64) {
	_, n := w.origin(at)
	if n+1 == len(w.c.Origins) {
		w.Errorf("nothing behind the call at %#x", i.PC)
		return
	}
	end := w.c.Origins[n+1] // nothing may be between the call and what belongs to the next instruction
	if at := uint64(end.At & rt.AddressMask); w.skipJumps(at) != w.skipJumps(i.End()) {
		w.Errorf("a call at %#x returns to what is called %#x", i.PC, at)
	}
	w.goesTo(b, i, w.c.Base+uint64(end.Copy), i.End())
	if tests := end.At>>rt.KindShift == rt.Leading && w.c.Code[end.Copy] == 0x64; tests {
		if by := w.flagsUsed(i.End()); by != nil {
			w.Errorf("%#x %v uses flags that the test behind the call at %#x changes", by.PC, by.Inst, i.PC)
		}
	}
}

// goesTo checks that control goes from a place in the copy to an instruction of the original, or to its copy.
func (w *flow) goesTo(b *machine.Block, i *machine.Inst, from, to uint64) {
	is, ok := w.reached(from)
	if !ok {
		w.Errorf("%#x %v: nobody knows where its copy goes", i.PC, i.Inst)
		return
	}
	if is = w.skipJumps(is); is == w.skipJumps(to) {
		return
	}
	for _, next := range w.skips[b] { // the test is left out where control comes from another block
		if is == w.skipJumps(next.Insts[0].PC) {
			return
		}
	}
	w.Errorf("%#x %v goes to %#x, its copy to %#x", i.PC, i.Inst, to, is)
}

// reached returns the first original instruction that is executed from an address on.
func (w *flow) reached(at uint64) (original uint64, ok bool) {
	for seen := make(map[uint64]bool); ; seen[at] = true {
		if !w.within(at) {
			return at, true
		}
		p, n := w.origin(at - w.c.Base)
		if seen[at] { // an endless loop
			return uint64(p.At & rt.AddressMask), true
		}
		begins := uint64(p.Copy) == at-w.c.Base
		switch p.At >> rt.KindShift {
		case rt.Instruction:
			return uint64(p.At & rt.AddressMask), begins
		case rt.Noting, rt.NotingCX:
			if !begins || n+1 == len(w.c.Origins) {
				return 0, false
			}
			at = w.c.Base + uint64(w.c.Origins[n+1].Copy)
		case rt.Leading:
			if at, ok = w.led(p, at); !ok {
				return 0, false
			}
		}
	}
}

// led returns where the code leads to that is of no instruction: one jump, or a test and a jump to the original.
func (w *flow) led(p rt.Origin, at uint64) (uint64, bool) {
	code := w.c.Code[at-w.c.Base:]
	rel := func(k int) uint64 {
		return at + uint64(k+4) + uint64(int64(int32(binary.LittleEndian.Uint32(code[k:]))))
	}
	const test = 10 // bytes
	switch {
	case code[0] == 0xe9:
		return rel(1), true
	case code[0] == 0x0f && code[1] == 0x0b: // UD2
		return w.f.Hi, true // nothing gets behind the function
	case code[0] == 0x64 && code[test] == 0x0f && code[test+1] == 0x84:
		over := uint64(p.At & rt.AddressMask)
		return at + test + 6, rel(test+2) == over
	}
	return 0, false
}

// skipJumps returns where control gets by unconditional jumps of the function.
func (w *flow) skipJumps(at uint64) uint64 {
	for range 1000 {
		i := w.insts[at]
		if i == nil || i.Vex || i.Op != x86asm.JMP {
			return at
		}
		to, direct := i.Target()
		if !direct || to < w.f.Lo || to >= w.f.Hi {
			return at
		}
		at = to
	}
	return at
}

// table checks the copy of a jump table, which the copy of its load leads to.
func (w *flow) table(b *machine.Block) {
	loads := 0
	for _, i := range w.f.Insts {
		m, ok := i.Args[1].(x86asm.Mem)
		if i.Vex || i.Op != x86asm.LEA || !ok || m.Base != x86asm.RIP || i.End()+uint64(m.Disp) != b.Table {
			continue
		}
		for _, n := range w.copies[i.PC] {
			end := uint64(w.c.Origins[n].Copy) + uint64(i.Len)
			to := w.c.Base + end + uint64(int64(int32(binary.LittleEndian.Uint32(w.c.Code[end-4:]))))
			if loads++; !w.within(to) {
				w.Errorf("%#x %v loads a table that has no copy", i.PC, i.Inst)
				return
			}
			for k, s := range b.Succs {
				w.goesTo(b, b.Last(), binary.LittleEndian.Uint64(w.c.Code[to-w.c.Base+8*uint64(k):]), s.Insts[0].PC)
			}
		}
	}
	if loads == 0 {
		w.Errorf("nothing loads the table of the jump at %#x", b.Last().PC)
	}
}

// flagsUsed returns an instruction that uses flags which have been set before an address, nil if there is none.
func (w *flow) flagsUsed(at uint64) *machine.Inst {
	type entry struct {
		b    *machine.Block
		from uint64 // in the block
	}
	b := w.blocks[at]
	if b == nil {
		return nil
	}
	left := map[entry]int{{b, at}: allFlags} // those that may be of before the address
	for work := []entry{{b, at}}; len(work) > 0; {
		e := work[len(work)-1]
		work = work[:len(work)-1]
		flags := left[e]
		for _, i := range e.b.Insts {
			if i.PC < e.from || i.Vex {
				continue
			}
			if usesFlags(i)&flags != 0 {
				return i
			}
			flags &^= setsFlags(i)
		}
		for _, s := range e.b.Succs {
			next := entry{s, s.Insts[0].PC}
			if left[next]|flags != left[next] {
				left[next] |= flags
				work = append(work, next)
			}
		}
	}
	return nil
}

// The flags of the processor that conditions are about.
const (
	carry = 1 << iota
	parity
	zero
	sign
	overflow

	allFlags = 1<<iota - 1
)

// ofCondition has the flags of conditions, by half their numbers.
var ofCondition = [8]int{overflow, carry, zero, carry | zero, sign, parity, sign | overflow, sign | overflow | zero}

// usesFlags returns which flags make a difference to an instruction.
func usesFlags(i *machine.Inst) int {
	op := i.Op.String()
	switch {
	case i.Op == x86asm.JCXZ || i.Op == x86asm.JECXZ || i.Op == x86asm.JRCXZ:
		return 0
	case i.IsConditional() || i.IsMove() || strings.HasPrefix(op, "SET"):
		code := i.Code
		for code[0]&0xf0 == 0x40 || code[0] == 0x66 {
			code = code[1:]
		}
		if code[0] == 0x0f {
			code = code[1:]
		}
		return ofCondition[code[0]&15>>1]
	case strings.HasPrefix(op, "ADC") || strings.HasPrefix(op, "SBB") || strings.HasPrefix(op, "RC") || op == "CMC":
		return carry
	case strings.HasPrefix(op, "ADO"):
		return overflow
	case strings.HasPrefix(op, "PUSHF") || op == "LAHF":
		return allFlags
	}
	return 0
}

// setsFlags returns which flags are of no use in front of an instruction, as far as that does not use them.
func setsFlags(i *machine.Inst) int {
	switch i.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.ADD, x86asm.ADC, x86asm.SUB, x86asm.SBB, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.NEG,
		x86asm.MUL, x86asm.IMUL, x86asm.DIV, x86asm.IDIV, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.COMISD, x86asm.COMISS, x86asm.PTEST,
		x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC, x86asm.BSF, x86asm.BSR, x86asm.POPCNT, x86asm.LZCNT, x86asm.TZCNT,
		x86asm.XADD, x86asm.CMPXCHG, x86asm.CALL, x86asm.RET, x86asm.POPFQ, x86asm.SYSCALL, x86asm.UD2:
		return allFlags
	case x86asm.INC, x86asm.DEC:
		return allFlags &^ carry
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		if n, ok := i.Args[1].(x86asm.Imm); ok && n != 0 {
			return allFlags
		}
	}
	return 0 // shifts by a register may leave all as they were
}
