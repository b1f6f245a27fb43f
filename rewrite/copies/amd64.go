package copies

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// amd64 is the architecture of that name. Displacements have 4 bytes, which end their instructions.
type amd64 struct{}

// check returns why a function cannot be copied, nil if it can.
func (a amd64) check(f *machine.Function) error {
	if f.Hi > rt.AddressMask {
		return errors.New("its address is too high")
	}
	for _, i := range f.Insts {
		if i.Vex {
			continue
		}
		if i.Op == x86asm.CALL && keepsCaller(i.Callee) {
			return fmt.Errorf("it calls %s, which keeps the address that it returns to", i.Callee)
		}
		if m, ok := i.Args[0].(x86asm.Mem); ok && i.Op == x86asm.CALL && m.Base == x86asm.RSP {
			return fmt.Errorf("it calls through the frame at %#x", i.PC)
		}
		switch to, direct := i.Target(); {
		case direct && i.PCRel == 2: // processors do not agree on what it is
			return fmt.Errorf("it has an address of 16 bits at %#x", i.PC)
		case direct && to > rt.AddressMask:
			return fmt.Errorf("it leads to where no function can be at %#x", i.PC)
		case direct && i.IsConditional() && (to < f.Lo || to >= f.Hi):
			return fmt.Errorf("it jumps to another function at %#x", i.PC)
		}
		if i.Args[0] == x86asm.RSP && (i.Op == x86asm.MOV || i.Op == x86asm.AND || i.Op == x86asm.XCHG) {
			return fmt.Errorf("it sets the stack pointer at %#x", i.PC)
		}
	}
	return a.checkFlags(f)
}

// checkFlags returns an error if flags are used behind a call where the copy tests whether the burst is over.
func (a amd64) checkFlags(f *machine.Function) error {
	for _, b := range f.Blocks {
		for k, i := range b.Insts {
			if i.Vex || i.Op != x86asm.CALL || i.Kind == machine.Panics {
				continue
			}
			if _, direct := i.Target(); direct && a.keepsFlags(i.Callee) {
				continue
			}
			if by := flagsUsed(b, k+1); by != nil {
				return fmt.Errorf("flags are of use behind the call at %#x", i.PC)
			}
		}
	}
	return nil
}

func (amd64) align(c *Copier) {
	for len(c.code)%16 != 0 {
		c.put(0xcc)
	}
}

func (amd64) end(c *Copier) { c.put(0x0f, 0x0b) } // UD2

func (amd64) funcAlign() uint64 { return 32 } // cmd/link/internal/amd64

func (amd64) busy(*machine.Function) map[uint64]bool { return nil }

func (amd64) canLook(v value) bool {
	return v.condition >= 0 || v.register >= 0 && v.register != stackPointer && v.register <= 15
}

func (amd64) lead(c *Copier, displacement int, to uint64) error {
	d := int64(to) - int64(c.base+uint64(displacement)+4)
	if d != int64(int32(d)) {
		return fmt.Errorf("%#x is too far away from its copies", to)
	}
	binary.LittleEndian.PutUint32(c.code[displacement:], uint32(d))
	return nil
}

// reach puts the displacement to an address, which ends the instruction.
func (c *Copier) reach(to uint64) error {
	d := int64(to) - int64(c.here()+4)
	if d != int64(int32(d)) {
		return fmt.Errorf("%#x is too far away", to)
	}
	c.put(uint32(d))
	return nil
}

// displacement puts one that is not known yet.
func (c *Copier) displacement() int {
	c.put(uint32(0))
	return len(c.code) - 4
}

func (amd64) leave(c *Copier, to uint64) error {
	c.put(0xe9)
	return c.reach(to)
}

func (amd64) jump(c *Copier) (displacement int) {
	c.put(0xe9)
	return c.displacement()
}

func (amd64) branch(c *Copier, i *machine.Inst) (displacement int, err error) {
	cc, ok := i.Condition()
	if !ok {
		return 0, fmt.Errorf("%v at %#x", i.Op, i.PC)
	}
	c.put(0x0f, 0x80|cc)
	return c.displacement(), nil
}

func (amd64) table(w *writer, b *machine.Block, i *machine.Inst) error {
	if w.tables[b.Table] != 0 {
		return fmt.Errorf("two jumps go through one table at %#x", b.Table)
	}
	w.put(i.Code)
	for len(w.code)%8 != 0 {
		w.put(0xcc)
	}
	w.tables[b.Table] = len(w.code)
	return nil
}

func (amd64) call(w *writer, i *machine.Inst) error {
	to, direct := i.Target()
	if !direct {
		return w.indirect(i)
	}
	code := 0xe8
	if i.Op == x86asm.JMP {
		code = 0xe9
	}
	w.put(code)
	w.calls = append(w.calls, fixup{w.displacement(), to})
	return nil
}

func (amd64) test(c *Copier, to uint64) error {
	c.test(next)
	c.put(0x0f, 0x84)
	return c.reach(to)
}

// keepsFlags reports whether flags may be of use behind a call of a function, "" if it is called in its middle.
func (amd64) keepsFlags(callee string) bool {
	return callee == "" || strings.HasPrefix(callee, "runtime.duff") || strings.Contains(callee, "gcWriteBarrier")
}

// plain puts an instruction that is no jump. What it has relative to itself stays where it is.
func (amd64) plain(w *writer, i *machine.Inst) error {
	begin := len(w.code)
	if i.PCRel != 0 && i.PCRel != 4 {
		return fmt.Errorf("%s at %#x", i.Text(), i.PC)
	}
	at := -1
	switch {
	case i.Vex:
		at = vexDisplacement(i.Code)
	case i.PCRel == 4:
		at = int(i.PCRelOff)
	}
	w.put(i.Code)
	if at < 0 {
		return nil
	}
	code := w.code[begin+at:]
	to := i.End() + uint64(int64(int32(binary.LittleEndian.Uint32(code))))
	if _, ok := w.tables[to]; ok && i.Op == x86asm.LEA {
		w.loads = append(w.loads, fixup{begin + at, to})
		return nil
	}
	d := int64(to) - int64(w.here())
	if d != int64(int32(d)) {
		return fmt.Errorf("%#x is too far away", to)
	}
	binary.LittleEndian.PutUint32(code, uint32(d))
	return nil
}

// vexDisplacement returns where an instruction with a VEX prefix has a displacement from itself, -1 if there is none.
func vexDisplacement(code []byte) int {
	n := 2 // the opcode
	if code[0] == 0xc4 {
		n = 3
	}
	if code[n] == 0x77 || n+1 >= len(code) || code[n+1]&0xc7 != 5 { // VZEROUPPER has no operand
		return -1
	}
	return n + 2
}

func (amd64) reach() int64 { return math.MaxInt32 - 64<<10 } // from where the displacement ends, and a little less

func (amd64) putRelay(*Copier, uint64) {
	panic("BUG: a relay on amd64, where all that has a copy is reached")
}
