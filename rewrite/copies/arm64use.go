package copies

import "github.com/goprofinstr/goprofinstr/rewrite/machine"

// What is in use in front of an instruction: R27, or the mark that an exclusive load has left, which other stores may take away.
const (
	temporaryUsed = 1 << iota
	markUsed
)

// busy returns in front of which instructions something is in use that records change. Compiled code has that within what the
// assembler makes of one instruction.
func (arm64) busy(f *machine.Function) map[uint64]bool {
	busy := make(map[uint64]bool)
	in := make([]int, len(f.Blocks)) // what is in use in front of blocks
	preds := make([][]*machine.Block, len(f.Blocks))
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			preds[s.Index] = append(preds[s.Index], b)
		}
	}
	work := append([]*machine.Block(nil), f.Blocks...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		used := 0
		for _, s := range b.Succs {
			used |= in[s.Index]
		}
		for k := len(b.Insts) - 1; k >= 0; k-- {
			i := b.Insts[k]
			used = usedBefore(i, used)
			if used != 0 {
				busy[i.PC] = true
			}
		}
		if used&^in[b.Index] != 0 {
			in[b.Index] |= used
			work = append(work, preds[b.Index]...)
		}
	}
	return busy
}

// usedBefore returns what is in use in front of an instruction, for what is behind it.
func usedBefore(i *machine.Inst, used int) int {
	w := wordOf(i)
	if i.IsCall() || i.IsReturn() {
		used = 0
	}
	if i.Set(temporary).How != machine.Kept {
		used &^= temporaryUsed
	}
	if w.reads(temporary) {
		used |= temporaryUsed
	}
	if w.bits(24, 6) == 0x08 && w.bits(23, 1) == 0 { // exclusive
		used &^= markUsed
		if w.bits(22, 1) == 0 {
			used |= markUsed
		}
	}
	return used
}

// group returns the group that an instruction is of: op0 of the top level in section C4.1 of the manual.
func (w word) group() int { return w.bits(25, 4) }

func (w word) isImmediate() bool { return w.group()>>1 == 4 }
func (w word) isControl() bool   { return w.group()>>1 == 5 }
func (w word) isMemory() bool    { return w.group()&5 == 4 }

// mentions reports whether an instruction may have a general register as an operand.
func (w word) mentions(register int) bool {
	return w.reads(register) || w.bits(0, 5) == register && (w.isImmediate() || w.group()&7 == 5) ||
		w.isMemory() && w.bits(26, 1) == 0 && (w.bits(0, 5) == register || w.bits(27, 3) == 5 && w.bits(10, 5) == register)
}

// reads reports whether an instruction may read a general register. If in doubt it does.
func (w word) reads(register int) bool {
	d, n, m, a := w.bits(0, 5) == register, w.bits(5, 5) == register, w.bits(16, 5) == register, w.bits(10, 5) == register
	switch {
	case w.isImmediate():
		switch w.bits(23, 3) {
		case 0, 1: // ADR, ADRP
			return false
		case 5: // MOVZ and MOVN do not, and MOVK does
			return d && w.bits(29, 2) == 3
		case 6: // BFM does
			return n || d && w.bits(29, 2) == 1
		case 7: // EXTR
			return n || m
		}
		return n
	case w.isControl():
		switch {
		case w.bits(26, 5) == 5, w.bits(24, 8) == 0x54: // B, BL, B.cond
			return false
		case w.bits(25, 6) == 0x1a, w.bits(25, 6) == 0x1b: // CBZ, TBZ
			return d
		case w.bits(25, 7) == 0x6b: // BR, BLR, RET
			return n
		}
		return d // MSR, MRS, SYS
	case w.isMemory():
		return w.memoryReads(d, n, m, a)
	case w.group()&7 == 5: // registers
		constant := w.bits(21, 8) == 0xd2 && w.bits(11, 1) == 1 // of CCMP
		return n || m && !constant || a && w.bits(24, 5) == 0x1b
	}
	return n // numbers of general registers become floating-point ones
}

// memoryReads is reads for loads and stores.
func (w word) memoryReads(d, n, m, a bool) bool {
	general, store := w.bits(26, 1) == 0, w.bits(22, 1) == 0
	switch w.bits(27, 3) {
	case 1: // exclusive, ordered, CAS; vectors of several registers
		if !general {
			return n || m
		}
		status := w.bits(23, 1) == 0 && w.bits(21, 1) == 0 && store // of an exclusive store
		return n || m && !status && w.bits(21, 1) == 1 || d && (store || w.bits(21, 1) == 1) || a && store && w.bits(21, 1) == 1
	case 5: // pairs
		return n || general && store && (d || a)
	case 7:
		if w.bits(24, 1) == 0 && w.bits(21, 1) == 1 { // with a register, or atomic
			return n || m || d && general && w.bits(22, 2) == 0
		}
		return n || d && general && w.bits(22, 2) == 0
	}
	return n || m || d
}

// setsTemporary reports whether an instruction sets R27 and nothing else: to a constant, an address, or a word from memory.
func setsTemporary(i *machine.Inst) bool {
	w := wordOf(i)
	if w.bits(0, 5) != temporary {
		return false
	}
	if w.isMemory() {
		advances := w.bits(24, 1) == 0 && w.bits(21, 1) == 0 && w.bits(10, 1) == 1
		return w.bits(26, 4) == 14 && w.bits(22, 2) == 1 && !advances // MOVD of any size
	}
	if !w.isImmediate() {
		return false
	}
	flags := w.bits(29, 1) == 1
	switch w.bits(23, 3) {
	case 2: // ADDS, SUBS
		return !flags
	case 4: // ANDS
		return w.bits(29, 2) != 3
	}
	return true
}
