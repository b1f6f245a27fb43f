package difffuzz

import (
	"maps"
	"slices"
)

// The bounds within which it is tried to choose among walks. Of 335 random functions 275 are within them; a
// hundred times as much is too little for most others.
const (
	maxWalks   = 1000    // of one activation
	maxChoices = 100_000 // tried for a function
)

// choose looks for one walk of each activation, where traces fit several, so that together they give the counts
// of the profile. That none do is a failure, that some do proves less than if there were no choice.
func (w *walker) choose(acts [][]event) {
	w.strict, w.counted = true, true
	found, ok := w.findChoice(acts)
	if ok && !found {
		w.strict = false
		found, ok = w.findChoice(acts)
	}
	if ok && !found && w.operandsUnsure() && !w.statements {
		w.leaveOutOperands()
		w.counted = true
		found, ok = w.findChoice(acts)
	}
	switch {
	case !ok:
		w.j.figures.Undecided++
	case !found:
		w.j.fail("paths", w.f, "no choice among the walks that fit the %d activations gives the counts of the profile", len(acts))
	default:
		w.j.figures.Chosen++
	}
}

// findChoice reports whether there is a choice; ok is false if it is not known.
func (w *walker) findChoice(acts [][]event) (found, ok bool) {
	options, ok := w.options(acts)
	if !ok {
		return false, false
	}
	left := make(map[uint64]int64)
	for _, p := range w.f.Paths {
		left[p.ID] += p.Count
	}
	c := &chooser{options: options, left: left}
	found = c.from(0)
	return found, c.tried <= maxChoices
}

// options returns the counts of the paths of each activation's walks, the activations with fewest walks first.
func (w *walker) options(acts [][]event) (options [][]map[uint64]int64, ok bool) {
	for _, events := range acts {
		walks, ok := w.walks(w.kept(events))
		if !ok {
			return nil, false
		}
		var list []map[uint64]int64
		for _, edges := range walks {
			counts := make(map[uint64]int64)
			if err := w.add(counts, edges); err != nil {
				w.j.fail("paths", w.f, "%v", err)
				return nil, false
			}
			if !slices.ContainsFunc(list, func(c map[uint64]int64) bool { return maps.Equal(c, counts) }) {
				list = append(list, counts)
			}
		}
		options = append(options, list)
	}
	slices.SortStableFunc(options, func(a, b []map[uint64]int64) int { return len(a) - len(b) })
	return options, true
}

// walks returns all walks that emit the events, false if they are too many.
func (w *walker) walks(events []event) (walks [][]int, ok bool) {
	memo, _, _ := w.search(events)
	ok = true
	var edges []int
	on := make(map[state]bool)
	var visit func(s state)
	visit = func(s state) {
		if on[s] || len(walks) > maxWalks {
			ok = false // a cycle that emits nothing can be taken any number of times
			return
		}
		if s.block == w.f.Table.Exit {
			walks = append(walks, slices.Clone(edges))
			return
		}
		on[s] = true
		at, _ := w.emit(s, events)
		for _, e := range w.out[s.block] {
			next := state{w.f.Table.Edges[e].To, at}
			if k := memo[next]; w.allowed(e, s, at, events) && k != nil && k.ways > 0 {
				edges = append(edges, e)
				visit(next)
				edges = edges[:len(edges)-1]
			}
		}
		on[s] = false
	}
	visit(state{w.f.Table.Entry, 0})
	return walks, ok
}

// chooser searches for a choice by trying all.
type chooser struct {
	options [][]map[uint64]int64 // by activation
	left    map[uint64]int64     // what those chosen leave of the profile's counts
	tried   int
}

// from reports whether the activations from i on can be chosen so that nothing is left.
func (c *chooser) from(i int) bool {
	if i == len(c.options) {
		for _, n := range c.left {
			if n != 0 {
				return false
			}
		}
		return true
	}
	for _, counts := range c.options[i] {
		if c.tried++; c.tried > maxChoices {
			return false
		}
		if c.take(counts) && c.from(i+1) {
			return true
		}
		c.giveBack(counts)
	}
	return false
}

// take subtracts counts from what is left and reports whether there was so much.
func (c *chooser) take(counts map[uint64]int64) bool {
	enough := true
	for id, n := range counts {
		c.left[id] -= n
		enough = enough && c.left[id] >= 0
	}
	return enough
}

func (c *chooser) giveBack(counts map[uint64]int64) {
	for id, n := range counts {
		c.left[id] += n
	}
}
