package machine

import "golang.org/x/arch/x86/x86asm"

// Depths returns how far the stack pointer is below the return address, in bytes, before each instruction, by address. Frames of
// compiled functions have one size but for prologue and epilogue. What no edge leads to is where functions go on that have
// recovered: there it is that size.
func (f *Function) Depths() map[uint64]int {
	at := make([]int, len(f.Blocks))
	seen := make([]bool, len(f.Blocks))
	depths := make(map[uint64]int, len(f.Insts))
	frame := 0
	run := func(start *Block, depth int) {
		at[start.Index], seen[start.Index] = depth, true
		work := []*Block{start}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			d := at[b.Index]
			for _, i := range b.Insts {
				depths[i.PC] = d
				if i.Op == x86asm.CALL {
					frame = max(frame, d)
				}
				d += i.pushes()
			}
			for _, s := range b.Succs {
				if !seen[s.Index] {
					at[s.Index], seen[s.Index] = d, true
					work = append(work, s)
				}
			}
		}
	}
	run(f.Blocks[0], 0)
	for _, b := range f.Blocks {
		if !seen[b.Index] {
			run(b, frame)
		}
	}
	return depths
}

// pushes returns by how much i lowers the stack pointer.
func (i *Inst) pushes() int {
	switch i.Op {
	case x86asm.PUSH, x86asm.PUSHFQ:
		return 8
	case x86asm.POP, x86asm.POPFQ:
		return -8
	}
	if i.Args[0] != x86asm.RSP {
		return 0
	}
	if v, ok := i.Args[1].(x86asm.Imm); ok {
		switch i.Op {
		case x86asm.SUB:
			return int(v)
		case x86asm.ADD:
			return -int(v)
		}
	}
	if m, ok := i.Args[1].(x86asm.Mem); ok && i.Op == x86asm.LEA && m.Base == x86asm.RSP && m.Index == 0 {
		return -int(m.Disp)
	}
	return 0
}
