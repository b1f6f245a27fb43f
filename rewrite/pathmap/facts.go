package pathmap

import (
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Two conditions of a path may be about the same variable. The machine asks both times, and the jump that asks first is
// evidence. For the second there is a conditional move, or what is a jump leads where the others do. So how the path went
// before tells which way it takes: the other one contradicts it (table.Function.Facts).

// facts are those that decide between ways of a target's doubts. A condition has two bits, for being false and for being true.
type facts struct {
	of   [][]table.Fact // by edge of the source; nil if none decides anything
	bits map[int]uint   // by condition: the first of its bits
}

// mostFacts is how many conditions have bits.
const mostFacts = 16

// findFacts finds the conditions that tell ways apart which looks do not.
func (t *Target) findFacts() {
	f := facts{bits: make(map[int]uint)}
	for _, key := range slices.Sorted(maps.Keys(t.Doubts)) { // in order, so that a program always gets the same copies
		d := t.Doubts[key]
		for _, pair := range t.Untold(d) {
			if f.of == nil {
				if f.of = t.F.facts(); f.of == nil {
					return
				}
			}
			f.decide(d.Ways[pair[0]], d.Ways[pair[1]])
		}
	}
	if len(f.bits) > 0 {
		t.facts = f
	}
}

// decide gives bits to conditions that are to be true on one way, and false on another.
func (f *facts) decide(v, w []int) {
	one, other := f.needs(v), f.needs(w)
	for _, c := range slices.Sorted(maps.Keys(one)) {
		is, ok := other[c]
		if _, known := f.bits[c]; ok && is != one[c] && !known && len(f.bits) < mostFacts {
			f.bits[c] = 2 * uint(len(f.bits))
		}
	}
}

// needs returns what has to be so of conditions before a way is taken.
func (f *facts) needs(way []int) map[int]bool {
	before, set := make(map[int]bool), make(map[int]bool)
	for _, e := range way {
		for _, fact := range f.of[e] {
			c := fact.Condition()
			if !set[c] && !fact.Forgets() {
				before[c] = fact == table.NewFact(c, true)
			}
			set[c] = true
		}
	}
	return before
}

// tells returns which bits are known anew behind an edge, and what they are.
func (f *facts) tells(edge int) (mask, told uint64) {
	if f.bits == nil {
		return 0, 0
	}
	for _, fact := range f.of[edge] {
		at, ok := f.bits[fact.Condition()]
		if !ok {
			continue
		}
		mask |= 3 << at
		told &^= 3 << at
		if !fact.Forgets() {
			told |= bit(at, fact == table.NewFact(fact.Condition(), true))
		}
	}
	return mask, told
}

// excludes returns the bits none of which is known where a way is taken.
func (f *facts) excludes(way []int) (not uint64) {
	if f.bits == nil {
		return 0
	}
	for c, is := range f.needs(way) {
		if at, ok := f.bits[c]; ok {
			not |= bit(at, !is)
		}
	}
	return not
}

// apart reports whether two ways exclude each other, if it is known what comes before.
func (f *facts) apart(v, w []int) bool {
	if f.bits == nil {
		return false
	}
	one, other := f.needs(v), f.needs(w)
	for c := range f.bits {
		is, ok := one[c]
		if was, too := other[c]; ok && too && was != is {
			return true
		}
	}
	return false
}

func bit(at uint, is bool) uint64 {
	if is {
		return 2 << at
	}
	return 1 << at
}
