package copies

import (
	"encoding/binary"
	"fmt"
	"math"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// Function values and tables of methods have addresses of originals. So an indirect call in a copy looks up whether what it
// calls has a copy, in a table behind the code: a word of 4 bytes for each 32 bytes of the text. It has the address of a copy,
// or 0.
//
//	MOVQ R, R12
//	LEAQ -lo(R), R13
//	RORQ $5, R13              what is not at a multiple of 32 becomes large
//	CMPQ $words, R13
//	JAE  call
//	MOVL table(R13*4), R13
//	TESTL R13, R13
//	CMOVQNE R13, R12
//	call: CALL R12
//
// At calls of compiled code flags are dead, and R12 and R13 are scratch registers (Go's ABIInternal). If R is R13, the two change
// places. A thread may leave anywhere in it: R is R12 or untouched, and R12 has the original or its copy.

// The registers, by their numbers.
const (
	callee = 12
	index  = 13
)

// A lookup has displacements in code that are known when all entries are.
type lookup struct{ low, words, table int }

// indirect puts a call or jump through a register that leads to a copy if there is one.
func (w *writer) indirect(i *machine.Inst) error {
	arg, ok := i.Args[0].(x86asm.Reg)
	if !ok || arg < x86asm.RAX || arg > x86asm.R15 || arg == x86asm.RSP {
		return fmt.Errorf("%s at %#x", i.Text(), i.PC)
	}
	r, to, by := int(arg-x86asm.RAX), callee, index
	if r == by {
		to, by = by, to
	}
	if r != to {
		w.put(0x49|r>>3<<2, 0x89, 0xc0|r&7<<3|to&7)
	}
	w.put(0x4c|r>>3, 0x8d, 0x80|by&7<<3|r&7)
	if r&7 == stackPointer { // R12, which takes a byte more
		w.put(0x24)
	}
	l := lookup{low: len(w.code)}
	w.put(uint32(0))
	w.put(0x49, 0xc1, 0xc8|by&7, 5)
	w.put(0x49, 0x81, 0xf8|by&7)
	l.words = len(w.code)
	w.put(uint32(0), 0x73, 8+3+4)
	w.put(0x46, 0x8b, 0x04|by&7<<3, 0x85|by&7<<3)
	l.table = len(w.code)
	w.put(uint32(0))
	w.put(0x45, 0x85, 0xc0|by&7<<3|by&7)
	w.put(0x4d, 0x0f, 0x45, 0xc0|to&7<<3|by&7)
	code := 0xd0 // CALL
	if i.Op == x86asm.JMP {
		code = 0xe0
	}
	w.put(0x41, 0xff, code|to&7)
	w.lookups = append(w.lookups, l)
	return nil
}

// putTable puts the table for indirect calls behind all code.
func (c *Copier) putTable() error {
	if len(c.lookups) == 0 {
		return nil
	}
	low, high := uint64(math.MaxUint64), uint64(0)
	for a := range c.entries {
		low, high = min(low, a), max(high, a)
	}
	align := c.arch.funcAlign()
	words := make([]uint32, (high-low)/align+1)
	for a, to := range c.entries {
		if low%align != a%align {
			return fmt.Errorf("a function at %#x, which is no multiple of %d", a, align)
		}
		words[(a-low)/align] = uint32(to)
	}
	for len(c.code)%4 != 0 {
		c.put(0xcc)
	}
	table := c.here()
	for _, l := range c.lookups {
		c.arch.index(c, l, low, table, len(words))
	}
	for _, word := range words {
		c.put(word)
	}
	if c.here() > math.MaxInt32 {
		return fmt.Errorf("copies end at %#x, and calls reach up to %#x", c.here(), math.MaxInt32)
	}
	return nil
}

func (amd64) index(c *Copier, l lookup, low, table uint64, words int) {
	binary.LittleEndian.PutUint32(c.code[l.low:], uint32(-low))
	binary.LittleEndian.PutUint32(c.code[l.words:], uint32(words))
	binary.LittleEndian.PutUint32(c.code[l.table:], uint32(table))
}
