package machine

import "go/token"

// A place is where a value is: in a general register, or in the frame.
type place struct {
	register int // by its number; -1 in the frame
	slot     span
}

// A span is a part of the frame, by its offset from the stack pointer.
type span struct{ at, size int64 }

func (s span) overlaps(o span) bool { return s.at < o.at+o.size && o.at < s.at+s.size }

// A spill is an instruction that loads a general register from the frame, or stores it there. The value that it stores may be
// zero in place of a register, which is -1 then.
type spill struct {
	register int
	slot     span
	loads    bool
}

// skip leads edges past a test of a bool that is constant on them (XORL AX, AX; JMP; TESTB AL, AL). The bool may have been copied
// in between, or be in the frame: where values of several ways meet, the compiler may have no register for them.
func (f *Function) skip() {
	for _, b := range f.Blocks {
		if len(b.Succs) != 1 {
			continue
		}
		to := b.Succs[0]
		last := to.Last()
		if len(to.Succs) != 2 || last.Test == nil || !to.onlyTests() {
			continue
		}
		p, known := traced(to.Insts[:len(to.Insts)-1], place{register: last.Test.Compare.Register})
		if known.How != Kept {
			continue
		}
		if _, known = traced(b.Insts, p); known.How != Constant || known.Value != 0 && known.Value != 1 {
			continue
		}
		switch value := int(known.Value); last.relation.Op {
		case token.NEQ:
			b.Via, b.Skips = 1-value, true
		case token.EQL:
			b.Via, b.Skips = value, true
		}
	}
}

// onlyTests reports whether b does nothing but jump by whether a register is zero, and move values before.
func (b *Block) onlyTests() bool {
	last := b.Last()
	for _, i := range b.Insts {
		if i != last && i != last.Test && !i.noop && (!i.arch.onlyMoves(i) || i.stores) {
			return false
		}
	}
	c := last.Test.Compare
	return c != nil && c.Register >= 0 && (c.Self || last.Test == last && (c.Flag || !c.Masked && c.IsConst && c.Const == 0))
}

// traced returns where a value was in front of instructions, if they keep or move it. Else it returns what the last of them makes
// of it that does neither.
func traced(list []*Inst, p place) (place, Set) {
	for k := len(list) - 1; k >= 0; k-- {
		i := list[k]
		compares := i.setsFlags && i.Compare != nil && (p.register < 0 || i.Set(p.register).How == Kept)
		if i.flow == jumps || i.noop || compares {
			continue
		}
		if !i.arch.onlyMoves(i) {
			return p, Set{How: Computed}
		}
		s, isSpill := i.arch.spill(i)
		if p.register < 0 {
			switch {
			case isSpill && !s.loads && s.slot.at == p.slot.at && s.slot.size >= p.slot.size:
				if s.register < 0 {
					return p, Set{How: Constant}
				}
				p = place{register: s.register}
			case isSpill && !s.loads && s.slot.overlaps(p.slot), !isSpill && i.arch.writes(i):
				return p, Set{How: Computed}
			}
			continue
		}
		switch set := i.Set(p.register); {
		case set.How == Kept:
		case set.How == Copied:
			p.register = set.From
		case isSpill && s.loads:
			p = place{register: -1, slot: s.slot}
		default:
			return p, set
		}
	}
	return p, Set{}
}
