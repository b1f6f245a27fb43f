package main

import (
	"encoding/binary"
	"fmt"
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
	m := fn.machine
	depths := m.Depths()
	begin, jumps := len(c.code), len(c.jumps)
	at := make(map[uint64]uint64) // of copies, by the address of the original
	type stub struct {
		fix  int // displacement of the jump to it; -1: a word of a table has its address
		word uint64
		s    site
		to   uint64
		d    int
	}
	var stubs []stub
	words := make(map[uint64]uint64)
	entry := c.here()
	c.log(site{fn: fn, kind: entered}, 0)
	for _, b := range m.Blocks {
		for k, i := range b.Insts {
			at[i.PC] = c.here()
			d := depths[i.PC]
			if from := fn.returns[b]; from != nil && k == 0 {
				c.log(site{fn: fn, kind: cameBack, block: from.Index}, d)
			}
			for _, l := range fn.looks[i] {
				l.site.fn, l.site.kind, l.site.block, l.site.inst = fn, looked, b.Index, i
				c.lookAt(l.site, d, l.reg, l.condition)
			}
			last := k == len(b.Insts)-1
			switch to, direct := i.Target(); {
			case i.Op == x86asm.RET && !i.Vex:
				c.log(site{fn: fn, kind: returned, block: b.Index}, d)
				c.put(i.Code)
			case i.Op == x86asm.JMP && direct && !(m.Lo <= to && to < m.Hi):
				c.log(site{fn: fn, kind: returned, block: b.Index}, d)
				c.put(0xe9)
				c.rel(to)
			case i.Op == x86asm.JMP && direct:
				c.put(0xe9)
				c.jumps = append(c.jumps, fixup{len(c.code), to})
				c.put(uint32(0))
			case i.Op == x86asm.JMP: // through a table
				if b.Ret {
					c.log(site{fn: fn, kind: returned, block: b.Index}, d)
				}
				c.put(i.Code)
			case i.IsConditional():
				cc, ok := i.Condition()
				if !ok {
					return fmt.Errorf("%v at %#x", i.Op, i.PC)
				}
				c.put(0x0f, 0x80|cc)
				stubs = append(stubs, stub{fix: len(c.code), s: site{fn: fn, kind: branched, block: b.Index}, to: to, d: d})
				c.put(uint32(0))
				c.log(site{fn: fn, kind: branched, block: b.Index, edge: 1}, d)
			case i.Op == x86asm.CALL:
				if fn.stacks && i.Callee == "runtime.memmove" {
					c.log(site{fn: fn, kind: copyStack}, d)
				}
				if i.Callee == "runtime.gopanic" {
					c.log(site{fn: fn, kind: panicked, block: b.Index}, d)
				}
				if last && b.Calls() { // it may never return
					c.log(site{fn: fn, kind: branched, block: b.Index}, d)
				}
				if err := c.call(i); err != nil {
					return err
				}
			default:
				if err := c.plain(i); err != nil {
					return err
				}
			}
			if last && b.Cond && i.Op == x86asm.JMP {
				for k, to := range b.Succs {
					stubs = append(stubs, stub{-1, b.Table + 8*uint64(k), site{fn: fn, kind: branched, block: b.Index, edge: k}, to.Insts[0].PC, d})
				}
			}
		}
	}
	c.put(0x0f, 0x0b)
	for _, s := range stubs {
		if s.fix >= 0 {
			binary.LittleEndian.PutUint32(c.code[s.fix:], uint32(c.here()-(c.base+uint64(s.fix)+4)))
		} else {
			words[s.word] = c.here()
		}
		c.log(s.s, s.d)
		c.put(0xe9)
		c.jumps = append(c.jumps, fixup{len(c.code), s.to})
		c.put(uint32(0))
	}
	for _, j := range c.jumps[jumps:] {
		to, ok := at[j.to]
		if !ok {
			return fmt.Errorf("jump to %#x", j.to)
		}
		binary.LittleEndian.PutUint32(c.code[j.at:], uint32(to-(c.base+uint64(j.at)+4)))
	}
	if err := c.lead(fn, entry, at); err != nil {
		c.code = c.code[:begin]
		return err
	}
	for a, v := range words {
		c.data[a] = v
	}
	return nil
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
