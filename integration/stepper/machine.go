//go:build linux

package main

import (
	"debug/elf"
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
	"github.com/goprofinstr/goprofinstr/integration/stepper/reads"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// What a tracer has to know of the architecture of a program.

func (p *program) isARM64() bool { return p.image.File.Machine == elf.EM_AARCH64 }

func (p *program) arch() reads.Arch { return reads.Arch(p.image.GOARCH()) }

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

// standstill is what the time is, in seconds since the year 1: the beginning of 2026 in UTC.
const standstill uint64 = 63902822400

// Returning is code of functions that do nothing, and return false, or the time at which time stands still.
type returning struct{ nothing, no, now []byte }

func (p *program) returning() returning {
	if !p.isARM64() {
		now := binary.LittleEndian.AppendUint64([]byte{0x31, 0xc0, 0x48, 0xbb}, standstill) // XORL AX, AX; MOVQ $seconds, BX
		return returning{
			nothing: []byte{0xc3},                  // RET
			no:      []byte{0x31, 0xc0, 0xc3},      // XORL AX, AX; RET
			now:     append(now, 0x31, 0xc9, 0xc3), // XORL CX, CX; RET
		}
	}
	const zero, more, ret = 0xd2800000, 0xf2800000, 0xd65f03c0 // MOVZ $0, R0; MOVK $0, R0; RET
	code := func(list ...uint32) (b []byte) {
		for _, w := range append(list, ret) {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	const of = 1 // the register R1, with 16 bits of the seconds in each instruction
	seconds := func(word uint32, at int) uint32 {
		return word | uint32(at)<<21 | uint32(standstill>>(16*at)&0xffff)<<5 | of
	}
	return returning{
		nothing: code(),
		no:      code(zero),
		now:     code(zero, seconds(zero, 0), seconds(more, 1), seconds(more, 2), zero+2),
	}
}
