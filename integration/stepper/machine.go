//go:build linux

package main

import (
	"debug/elf"
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// What a tracer has to know of the architecture of a program.

func (p *program) isARM64() bool { return p.image.File.Machine == elf.EM_AARCH64 }

// goroutine returns the address of the goroutine that a thread has.
func (p *program) goroutine(of *tracer.Program, t *tracer.Thread) (uint64, error) {
	const g = 28
	if p.isARM64() {
		return t.General[g], nil
	}
	return of.Word(t.Local - 8)
}

// instruction returns the size of the instruction that code begins with, and whether control never goes on behind it.
func (p *program) instruction(code []byte) (size int, leaves bool) {
	if !p.isARM64() {
		i, err := x86asm.Decode(code, 64)
		return i.Len, err != nil || i.Op == x86asm.JMP || i.Op == x86asm.UD2 || i.Op == x86asm.RET
	}
	const b, br, ret = 0x14000000, 0xd61f0000, 0xd65f0000
	w := binary.LittleEndian.Uint32(code)
	return 4, w == 0 || w&0xfc000000 == b || w&0xfffffc1f == br || w&0xfffffc1f == ret
}

// leadSize is how many bytes a jump has that is written over the beginning of a function which begins cold.
func (p *program) leadSize() uint64 {
	if p.isARM64() {
		return rtcopies.LeadSizeARM64
	}
	return rtcopies.LeadSizeAMD64
}
