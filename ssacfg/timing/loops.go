package timing

import "slices"

// A loop is a natural loop: what its header dominates and comes back to it.
type loop struct {
	header int
	blocks []int // sorted, the header among them
	back   []int // sources of the edges back to the header
}

// loops returns the loops of g in depth-first order. A loop comes before those in it; loops side by side are in the order of
// their headers.
func (d *distances) loops() []loop {
	var all []loop
	for header := range d.g.Blocks {
		var avoiding []bool // the blocks that control can come to but not through the header
		var back []int
		for _, e := range d.in[header] {
			if avoiding == nil {
				avoiding = d.avoiding(header)
			}
			if !avoiding[e.From] {
				back = append(back, e.From)
			}
		}
		if len(back) > 0 {
			all = append(all, d.body(header, back))
		}
	}
	return depthFirst(all)
}

// avoiding returns the blocks that control can come to from the entry, but not through a block.
func (d *distances) avoiding(block int) []bool {
	seen := make([]bool, len(d.g.Blocks))
	if d.g.Entry == block {
		return seen
	}
	seen[d.g.Entry] = true
	for work := []int{d.g.Entry}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range d.out[b] {
			if e.To != block && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return seen
}

// body returns the loop of a header and the sources of the edges back to it.
func (d *distances) body(header int, back []int) loop {
	in := map[int]bool{header: true}
	for work := slices.Clone(back); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if in[b] {
			continue
		}
		in[b] = true
		for _, e := range d.in[b] {
			work = append(work, e.From)
		}
	}
	l := loop{header: header, back: back}
	for b := range in {
		l.blocks = append(l.blocks, b)
	}
	slices.Sort(l.blocks)
	return l
}

// avoidable reports whether a pass through a loop can get around a block of it.
func (d *distances) avoidable(l loop, block int) bool {
	if block == l.header {
		return false
	}
	seen := map[int]bool{l.header: true}
	for work := []int{l.header}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if slices.Contains(l.back, b) {
			return true
		}
		for _, e := range d.out[b] {
			if e.To != block && l.contains(e.To) && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return false
}

// depthFirst puts each loop behind the one that it is in, and before what is not in that. It gets them in the order of their
// headers, of which outer ones come first, for they dominate the inner ones.
func depthFirst(all []loop) (order []loop) {
	done := make([]bool, len(all))
	var visit func(i int)
	visit = func(i int) {
		done[i] = true
		order = append(order, all[i])
		for j := i + 1; j < len(all); j++ {
			if !done[j] && all[i].contains(all[j].header) {
				visit(j)
			}
		}
	}
	for i := range all {
		if !done[i] {
			visit(i)
		}
	}
	return order
}

func (l loop) contains(block int) bool {
	_, found := slices.BinarySearch(l.blocks, block)
	return found
}
