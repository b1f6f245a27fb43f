package main

import (
	"debug/elf"
	"encoding/binary"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// Where no burst ends originals lead into their copies, by a jump that is written over their beginning.

// jumpSize is the size of a jump that leads anywhere, and shortJump that of one which leads at most mostShort bytes away.
const (
	jumpSize  = 5
	shortJump = 2
	mostShort = 127
)

// size returns how many bytes of a function's beginning such a jump is written over.
func (l *leader) size() uint64 {
	if l.arch == elf.EM_AARCH64 {
		return 4
	}
	return jumpSize
}

// A leader knows the text of a program, as it is before jumps are written.
type leader struct {
	text []byte
	base uint64
	arch elf.Machine
}

func newLeader(f *elf.File) (l leader, err error) {
	s := f.Section(".text")
	l.base, l.arch = s.Addr, f.Machine
	l.text, err = s.Data()
	return l, err
}

// may reports whether a jump can be written over the beginning of a function. Functions begin at multiples of 32 bytes. So
// there may be room behind a short one, which nothing else leads into, and in front of any.
func (l *leader) may(f *machine.Function) bool { return l.directly(f) || l.behind(f) || l.inFront(f) }

func (l *leader) directly(f *machine.Function) bool {
	return copies.MayLead(f) || len(f.Blocks) == 1 && f.Lo%32 == 0 && f.Hi-f.Lo < 8
}

// behind reports whether a short jump can lead to a long one behind the function.
func (l *leader) behind(f *machine.Function) bool {
	return l.shortly(f) && f.Hi-f.Lo-shortJump <= mostShort && l.isFree(f.Hi, f.Hi+jumpSize)
}

// inFront reports whether a short jump can lead to a long one in front of the function. The function before may have one there, too.
func (l *leader) inFront(f *machine.Function) bool {
	return l.shortly(f) && l.isFree(f.Lo-2*jumpSize, f.Lo)
}

// shortly reports whether a short jump can be written over the beginning of a function.
func (l *leader) shortly(f *machine.Function) bool {
	return l.arch == elf.EM_X86_64 && !leadsWithin(f, shortJump)
}

// isFree reports whether nothing but the linker's padding is between two addresses.
func (l *leader) isFree(from, to uint64) bool {
	if from < l.base || to > l.base+uint64(len(l.text)) {
		return false
	}
	return !slices.ContainsFunc(l.text[from-l.base:to-l.base], func(b byte) bool { return b != 0xcc })
}

// lead writes a jump to a copy over the beginning of a function which may have one, into text.
func (l *leader) lead(text []byte, f *machine.Function, to uint64) {
	code := text[f.Lo-l.base:]
	switch {
	case l.arch == elf.EM_AARCH64:
		binary.LittleEndian.PutUint32(code, 0x14000000|uint32(to-f.Lo)>>2&(1<<26-1)) // B
	case l.directly(f):
		jump(code, f.Lo, to)
	case l.behind(f):
		code[0], code[1] = 0xeb, byte(f.Hi-f.Lo-shortJump)
		jump(code[f.Hi-f.Lo:], f.Hi, to)
	default:
		code[0], code[1] = 0xeb, 256-shortJump-jumpSize
		jump(text[f.Lo-l.base-jumpSize:], f.Lo-jumpSize, to)
	}
}

// jump writes a jump.
func jump(code []byte, from, to uint64) {
	code[0] = 0xe9
	binary.LittleEndian.PutUint32(code[1:], uint32(to-(from+jumpSize)))
}

// leadsWithin reports whether anything leads to the first bytes of a function, but to its beginning.
func leadsWithin(f *machine.Function, size uint64) bool {
	within := func(a uint64) bool { return a > f.Lo && a < f.Lo+size }
	return slices.ContainsFunc(f.Blocks, func(b *machine.Block) bool { return within(b.Insts[0].PC) }) ||
		slices.ContainsFunc(f.Insts, func(i *machine.Inst) bool { return i.IsCall() && (within(i.End()) || within(i.PC) || i.PC == f.Lo) })
}
