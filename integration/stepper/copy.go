package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A site is a place in copied code that appends to the log.
type site struct {
	fn          *function
	kind        siteKind
	block, edge int
	inst        *machine.Inst // of looks
}

type siteKind int

const (
	entered siteKind = iota + 1
	branched
	returned
	panicked
	looked    // the value of a register follows, which has two numbers
	cameBack  // from the call at the end of a block
	copyStack // three numbers follow: to, from and size
)

// following says how many numbers follow a record, two in each record more.
func (k siteKind) following() int {
	switch k {
	case looked:
		return 2
	case copyStack:
		return 3
	}
	return 0
}

// A copier writes copies of functions that append to a log where control goes. The stack and all registers are as they would be.
// A call pushes the address that the call in the original has, where a jump leads back into the copy.
type copier struct {
	base  uint64 // of code
	code  []byte
	sites []site // 0 is none
	jumps []fixup
	patch map[uint64]uint64 // addresses in the original, and where the jump there leads
	data  map[uint64]uint64 // words of jump tables
}

// A fixup is a displacement that leads to the copy of an instruction.
type fixup struct {
	at int // in code
	to uint64
}

func (c *copier) here() uint64 { return c.base + uint64(len(c.code)) }

func (c *copier) put(parts ...any) { c.code = copies.Append(c.code, parts...) }

// rel puts the displacement to an address, which ends the instruction.
func (c *copier) rel(to uint64) { c.put(uint32(to - (c.here() + 4))) }

// log puts code that appends a record to the log: the site and where the frame is. It changes no flag.
func (c *copier) log(s site, depth int) {
	c.sites = append(c.sites, s)
	c.put(0x50, 0x51) // PUSHQ AX; PUSHQ CX
	c.put(0x48, 0x8b, 0x04, 0x25, uint32(c.base))
	c.put(0xc7, 0x00, uint32(len(c.sites)-1))
	c.put(0x8d, 0x8c, 0x24, uint32(16+depth)) // LEAL 16+depth(SP), CX
	c.put(0x89, 0x48, 0x04)
	n := 8
	if s.kind == copyStack { // to, from and size are in AX, BX and CX
		n = 24
		c.put(0x8b, 0x4c, 0x24, 8, 0x89, 0x48, 8) // MOVL 8(SP), CX; MOVL CX, 8(AX)
		c.put(0x89, 0x58, 12)
		c.put(0x8b, 0x0c, 0x24, 0x89, 0x48, 16)
	}
	c.put(0x48, 0x8d, 0x40, n)
	c.put(0x48, 0x89, 0x04, 0x25, uint32(c.base))
	c.put(0x59, 0x58)
}

// lookAt puts code that appends the site and a register, by its number in instructions, or the condition of
// a conditional instruction.
func (c *copier) lookAt(s site, depth, reg, condition int) {
	c.sites = append(c.sites, s)
	c.put(0x50, 0x51)
	switch {
	case condition >= 0:
		c.put(0x0f, 0x90|condition, 0xc1, 0x0f, 0xb6, 0xc9) // SETcc CL; MOVBLZX CL, CX
	case reg == 4:
		panic("BUG: a look at the stack pointer")
	default:
		c.put(0x48|reg>>3<<2, 0x89, 0xc1|reg&7<<3) // MOVQ reg, CX
	}
	c.put(0x48, 0x8b, 0x04, 0x25, uint32(c.base))
	c.put(0xc7, 0x00, uint32(len(c.sites)-1))
	c.put(0x48, 0x89, 0x48, 0x08)
	c.put(0x8d, 0x8c, 0x24, uint32(16+depth))
	c.put(0x89, 0x48, 0x04)
	c.put(0x48, 0x8d, 0x40, 16)
	c.put(0x48, 0x89, 0x04, 0x25, uint32(c.base))
	c.put(0x59, 0x58)
}

// copyFunction writes the copy of a function.
func (c *copier) copyFunction(fn *function) error {
	f := functionCopy{copier: c, fn: fn, at: make(map[uint64]uint64), words: make(map[uint64]uint64)}
	begin, jumps := len(c.code), len(c.jumps)
	entry := c.here()
	c.log(site{fn: fn, kind: entered}, 0)
	if err := f.blocks(); err != nil {
		return err
	}
	c.put(0x0f, 0x0b)
	f.putStubs()
	for _, j := range c.jumps[jumps:] {
		to, ok := f.at[j.to]
		if !ok {
			return fmt.Errorf("jump to %#x", j.to)
		}
		binary.LittleEndian.PutUint32(c.code[j.at:], uint32(to-(c.base+uint64(j.at)+4)))
	}
	if err := c.lead(fn, entry, f.at); err != nil {
		c.code = c.code[:begin]
		return err
	}
	maps.Copy(c.data, f.words)
	return nil
}

// A functionCopy is the copy of a function while it is written.
type functionCopy struct {
	*copier
	fn    *function
	at    map[uint64]uint64 // of copies, by the address of the original
	words map[uint64]uint64 // of jump tables
	stubs []stub
}

// A stub appends a record for an edge that is jumped, and goes on where the edge leads.
type stub struct {
	fix   int    // displacement of the jump to it; -1: a word of a table has its address
	word  uint64 // the address of the word
	site  site
	to    uint64
	depth int
}

// blocks writes all instructions, with what records the edges behind them.
func (f *functionCopy) blocks() error {
	m := f.fn.machine
	depths := m.Depths()
	for _, b := range m.Blocks {
		for k, i := range b.Insts {
			f.at[i.PC] = f.here()
			d := depths[i.PC]
			if from := f.fn.returns[b]; from != nil && k == 0 {
				f.log(site{fn: f.fn, kind: cameBack, block: from.Index}, d)
			}
			for _, l := range f.fn.looks[i] {
				l.site.fn, l.site.kind, l.site.block, l.site.inst = f.fn, looked, b.Index, i
				f.lookAt(l.site, d, l.reg, l.condition)
			}
			last := k == len(b.Insts)-1
			if err := f.instruction(b, i, last, d); err != nil {
				return err
			}
			if last && b.Cond && i.Op == x86asm.JMP {
				for k, to := range b.Succs {
					s := site{fn: f.fn, kind: branched, block: b.Index, edge: k}
					f.stubs = append(f.stubs, stub{-1, b.Table + 8*uint64(k), s, to.Insts[0].PC, d})
				}
			}
		}
	}
	return nil
}

// instruction writes an instruction, with a record where control may go elsewhere from it.
func (f *functionCopy) instruction(b *machine.Block, i *machine.Inst, last bool, depth int) error {
	m := f.fn.machine
	here := func(kind siteKind) site { return site{fn: f.fn, kind: kind, block: b.Index} }
	switch to, direct := i.Target(); {
	case i.Op == x86asm.RET && !i.Vex:
		f.log(here(returned), depth)
		f.put(i.Code)
	case i.Op == x86asm.JMP && direct && !(m.Lo <= to && to < m.Hi):
		f.log(here(returned), depth)
		f.put(0xe9)
		f.rel(to)
	case i.Op == x86asm.JMP && direct:
		f.jump(to)
	case i.Op == x86asm.JMP: // through a table
		if b.Ret {
			f.log(here(returned), depth)
		}
		f.put(i.Code)
	case i.IsConditional():
		cc, ok := i.Condition()
		if !ok {
			return fmt.Errorf("%v at %#x", i.Op, i.PC)
		}
		f.put(0x0f, 0x80|cc)
		f.stubs = append(f.stubs, stub{fix: len(f.code), site: here(branched), to: to, depth: depth})
		f.put(uint32(0))
		passed := here(branched)
		passed.edge = 1
		f.log(passed, depth)
	case i.Op == x86asm.CALL:
		if f.fn.stacks && i.Callee == "runtime.memmove" {
			f.log(site{fn: f.fn, kind: copyStack}, depth)
		}
		if i.Callee == "runtime.gopanic" {
			f.log(here(panicked), depth)
		}
		if last && b.Calls() { // it may never return
			f.log(here(branched), depth)
		}
		return f.call(i)
	default:
		return f.plain(i)
	}
	return nil
}

// jump puts a jump to the copy of an instruction of the function.
func (c *copier) jump(to uint64) {
	c.put(0xe9)
	c.jumps = append(c.jumps, fixup{len(c.code), to})
	c.put(uint32(0))
}

// putStubs writes the stubs, and has jumps and words of tables lead to them.
func (f *functionCopy) putStubs() {
	for _, s := range f.stubs {
		if s.fix >= 0 {
			binary.LittleEndian.PutUint32(f.code[s.fix:], uint32(f.here()-(f.base+uint64(s.fix)+4)))
		} else {
			f.words[s.word] = f.here()
		}
		f.log(s.site, s.depth)
		f.jump(s.to)
	}
}

// funcAlign is what the linker aligns functions to (cmd/link/internal/amd64). Nothing is between.
const funcAlign = 32

// lead has the original lead into the copy: at its entry, and where calls return to.
func (c *copier) lead(fn *function, entry uint64, at map[uint64]uint64) error {
	m := fn.machine
	patch := map[uint64]uint64{m.Lo: entry}
	for k, i := range m.Insts {
		if i.Op != x86asm.CALL || i.Vex || i.Kind == machine.Panics || k+1 == len(m.Insts) {
			continue
		}
		n := k + 1
		for n+1 < len(m.Insts) && m.Insts[n].Op == x86asm.NOP && !m.Insts[n].Vex {
			n++ // what is left of them does nothing
		}
		next := m.Insts[n]
		if to, direct := next.Target(); direct && next.Op == x86asm.JMP && to == m.Lo {
			continue
		}
		patch[next.PC] = at[next.PC]
	}
	var list []uint64
	for a := range patch {
		list = append(list, a)
	}
	slices.Sort(list)
	for k, a := range list {
		end := (m.Hi + funcAlign - 1) &^ (funcAlign - 1)
		if k+1 < len(list) {
			end = list[k+1]
		}
		if a+5 > end {
			return fmt.Errorf("no room for a jump at %#x", a)
		}
	}
	for a, to := range patch {
		c.patch[a] = to
	}
	return nil
}

// call puts a call that pushes the address that the original has.
func (c *copier) call(i *machine.Inst) error {
	c.put(0x68, uint32(i.End()))
	if to, direct := i.Target(); direct {
		c.put(0xe9)
		c.rel(to)
		return nil
	}
	if m, ok := i.Args[0].(x86asm.Mem); ok && m.Base == x86asm.RSP {
		return fmt.Errorf("call through the frame at %#x", i.PC)
	}
	at := slices.Index(i.Code, 0xff)
	if at < 0 || at+1 >= len(i.Code) || i.Code[at+1]>>3&7 != 2 {
		return fmt.Errorf("call %x at %#x", i.Code, i.PC)
	}
	begin := len(c.code)
	if err := c.plain(i); err != nil {
		return err
	}
	c.code[begin+at+1] += 2 << 3 // JMP
	return nil
}

// plain puts an instruction that is no jump.
func (c *copier) plain(i *machine.Inst) error {
	begin := len(c.code)
	c.put(i.Code)
	off := -1
	switch {
	case i.Vex:
		if n := 2 + int(i.Code[0]&1^1); i.Code[n+1]>>6 == 0 && i.Code[n+1]&7 == 5 && i.Code[n] != 0x77 {
			off = n + 2
		}
	case i.PCRel == 4:
		off = int(i.PCRelOff)
	case i.PCRel != 0:
		return fmt.Errorf("%s at %#x", i.Text(), i.PC)
	}
	if off >= 0 {
		d := binary.LittleEndian.Uint32(c.code[begin+off:])
		binary.LittleEndian.PutUint32(c.code[begin+off:], d+uint32(i.PC)-uint32(c.base+uint64(begin)))
	}
	return nil
}
