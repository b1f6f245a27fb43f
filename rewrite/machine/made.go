package machine

// mostMeeting is how many blocks are searched for what makes a bool that they lead to.
const mostMeeting = 32

// isMade reports whether what is at a place in front of instruction k is a bool that was made of a condition, on one of the ways
// that lead there. Blocks before are searched if there is a map of those that were.
func (b *Block) isMade(k int, p place, seen map[*Block]bool) bool {
	for j := k - 1; j >= 0; j-- {
		i := b.Insts[j]
		s, isSpill := i.arch.spill(i)
		switch {
		case p.register < 0 && isSpill && !s.loads && s.slot.at == p.slot.at && s.register >= 0:
			p = place{register: s.register}
		case p.register < 0 && isSpill && !s.loads && s.slot.overlaps(p.slot), p.register >= 0 && i.IsCall():
			return false
		case p.register < 0, i.Set(p.register).How == Kept, i.arch.flips(i, p.register):
		case i.arch.makes(i):
			return true
		case isSpill && s.loads:
			p = place{register: -1, slot: s.slot}
		case i.Set(p.register).How == Copied:
			p.register = i.Set(p.register).From
		default:
			return false
		}
	}
	if seen == nil {
		return false
	}
	for _, q := range b.Preds {
		if seen[q] || len(seen) > mostMeeting {
			continue
		}
		seen[q] = true
		if q.isMade(len(q.Insts), p, seen) {
			return true
		}
	}
	return false
}
