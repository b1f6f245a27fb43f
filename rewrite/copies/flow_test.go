package copies

import (
	"encoding/binary"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// A flow follows the copy of a function from each instruction to the next. Between them there are records, jumps, and tests
// whether the burst is over.
type flow struct {
	*checker
	f      *machine.Function
	copies map[uint64][]int                    // origins that are instructions, by address of the original
	skips  map[*machine.Block][]*machine.Block // where control goes on from a block whose test is left out
}

// follow makes sure that control goes on in the copies as it does in the originals, and that flags are dead where they are
// changed.
func (k *checker) follow(functions []*machine.Function) {
	copies := make(map[uint64][]int)
	for n, p := range k.c.Origins {
		if p.At>>rt.KindShift == rt.Instruction {
			at := uint64(p.At & rt.AddressMask)
			copies[at] = append(copies[at], n)
		}
	}
	for _, f := range functions {
		w := &flow{checker: k, f: f, copies: copies, skips: make(map[*machine.Block][]*machine.Block)}
		for _, b := range f.Blocks {
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
		if w.arm64 {
			w.instruction64(b, i, at)
			continue
		}
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
	if i.End() == w.f.Hi {  // nothing gets there
		return
	}
	if at := uint64(end.At & rt.AddressMask); w.skipJumps(at) != w.skipJumps(i.End()) {
		w.Errorf("a call at %#x returns to what is called %#x", i.PC, at)
	}
	w.goesTo(b, i, w.c.Base+uint64(end.Copy), i.End())
	if tests := end.At>>rt.KindShift == rt.Leading && w.c.Code[end.Copy] == 0x64; tests && !w.arm64 {
		if by := flagsUsed(b, slices.Index(b.Insts, i)+1); by != nil {
			w.Errorf("%#x %v uses flags that the test behind the call at %#x changes", by.PC, by.Text(), i.PC)
		}
	}
}

// goesTo checks that control goes from a place in the copy to an instruction of the original, or to its copy.
func (w *flow) goesTo(b *machine.Block, i *machine.Inst, from, to uint64) {
	is, ok := w.reached(from)
	if !ok {
		w.Errorf("%#x %s: nobody knows where its copy goes", i.PC, i.Text())
		return
	}
	if is = w.skipJumps(is); is == w.skipJumps(to) {
		return
	}
	if b.Skips && len(b.Succs[0].Insts) == 1 && w.skipJumps(to) == b.Succs[0].Insts[0].PC &&
		is == w.skipJumps(b.Next()[0].Insts[0].PC) { // nothing else is in the block of the test
		return
	}
	for _, next := range w.skips[b] { // the test is left out where control comes from another block
		if is == w.skipJumps(next.Insts[0].PC) {
			return
		}
	}
	w.Errorf("%#x %s (% x) goes to %#x, its copy to %#x; the function is at %#x to %#x", i.PC, i.Text(), i.Code, to, is, w.f.Lo, w.f.Hi)
}

// reached returns the first original instruction that is executed from an address on.
func (w *flow) reached(at uint64) (original uint64, ok bool) {
	for seen := make(map[uint64]bool); ; {
		if !w.within(at) {
			return at, true
		}
		p, n := w.origin(at - w.c.Base)
		if seen[at] { // an endless loop
			return uint64(p.At & rt.AddressMask), true
		}
		seen[at] = true
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
	if w.arm64 {
		return w.led64(p, at)
	}
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
		return at + test + 6, rel(test+2) == over || w.behind(rel(test+2), over, at+test+6)
	case code[0] == 0x80 && code[1] == 0x3d:
		return at + flagTest + 6, rel(flagTest+2) == uint64(p.At&rt.AddressMask)
	}
	return 0, false
}

// skipJumps returns where control gets by unconditional jumps of the function. Of jumps that lead round and round it is the one
// with the lowest address.
func (w *flow) skipJumps(at uint64) uint64 {
	first := at
	for n, lowest := 0, at; ; n++ {
		i := w.insts[at]
		if i == nil || !i.IsJump() || i.IsConditional() {
			return at
		}
		to, direct := i.Target()
		if !direct || to < w.f.Lo || to >= w.f.Hi {
			return at
		}
		at = to
		switch {
		case n < len(w.f.Insts): // it may not be in the round yet
			first, lowest = at, at
		case at == first:
			return lowest
		default:
			lowest = min(lowest, at)
		}
	}
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
				w.Errorf("%#x %v loads a table that has no copy", i.PC, i.Text())
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
