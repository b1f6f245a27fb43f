package difffuzz

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/progen"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Which block of a function a site is in.

// blocksAt returns the block of a statement, which the table tells. For an operand it returns
// the blocks whose extent has the site in it, the innermost first. A block may have a place
// of no length at the operator or parenthesis of a condition. It is the block of a loop's
// condition, or of a condition behind another logical operation.
func (w *walker) blocksAt(s *progen.Site) []int {
	if s.Func != "B" {
		if i := statementBefore(w.f, s); i >= 0 && w.f.Table.Statements[i].Block >= 0 {
			return []int{w.f.Table.Statements[i].Block}
		}
		return nil // dead, as the table has it
	}
	var list []int
	for id, b := range w.f.Table.Blocks {
		from, to := [2]int{b.Line, b.Col}, [2]int{b.EndLine, b.EndCol}
		at, end := [2]int{s.Line, s.Col}, [2]int{s.Line, s.End + len(" ")}
		switch {
		case from == to && compare(at, from) <= 0 && compare(from, end) <= 0,
			from != to && compare(from, at) <= 0 && compare(at, to) < 0:
			list = append(list, id)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := w.f.Table.Blocks[a], w.f.Table.Blocks[b]
		return cmp.Or(cmp.Compare(y.Line, x.Line), cmp.Compare(y.Col, x.Col), cmp.Compare(x.EndLine, y.EndLine))
	})
	// A loop's condition becomes part of another block if no iteration follows the first. The extent of that block
	// does not reach as far as the condition.
	if i := statementBefore(w.f, s); s.Loop && i >= 0 {
		st := w.f.Table.Statements[i]
		if st.Block >= 0 && (len(list) == 0 || compare([2]int{st.Line, st.Col}, start(w.f.Table.Blocks[list[0]])) > 0) {
			list = append([]int{st.Block}, list...)
		}
	}
	if s.Loop && (len(list) == 0 || w.f.Table.Blocks[list[0]].Line < s.Line) {
		w.guessed = true
	}
	return list
}

func start(b table.Block) [2]int { return [2]int{b.Line, b.Col} }

// held reports whether the extent of a block starts within the line of a site.
func (w *walker) held(s *progen.Site) bool {
	return slices.ContainsFunc(w.f.Table.Blocks, func(b table.Block) bool { return b.Line == s.Line })
}

// statementBefore returns the index of the run of statements that the site is in, -1 if it is in none.
func statementBefore(f *profile.Function, s *progen.Site) int {
	last := -1
	for i, st := range f.Table.Statements {
		if compare([2]int{st.Line, st.Col}, [2]int{s.Line, s.Col}) <= 0 {
			last = i
		}
	}
	return last
}

func compare(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// assign takes the innermost block that holds a site, or for those in other, which are
// tried where that fails, the next one.
func (w *walker) assign(other []int) {
	w.blockOf = make(map[int]int)
	w.size = make([]int, len(w.f.Table.Blocks))
	for id, list := range w.choices {
		if len(list) == 0 {
			continue
		}
		at := 0
		if slices.Contains(other, id) {
			at = 1
		}
		w.blockOf[id] = list[at]
		w.size[list[at]]++
	}
}

// reassign makes the n-th other choice of blocks for sites. A block that gotos have joined
// from parts that are not neighbours extends over all that is between them. So the
// innermost block that holds a site is not always the right one. reassign reports false
// when there is no choice left.
func (w *walker) reassign(n int) bool {
	var shared []int
	for id, list := range w.choices {
		if len(list) > 1 && w.overlap(list[0], list[1]) {
			shared = append(shared, id)
		}
	}
	slices.Sort(shared)
	if len(shared) > 8 || n >= 1<<len(shared) {
		return false
	}
	var other []int
	for i, id := range shared {
		if n>>i&1 == 1 {
			other = append(other, id)
		}
	}
	w.assign(other)
	return true
}

// overlap reports whether neither block's extent is inside the other's.
func (w *walker) overlap(a, b int) bool {
	x, y := w.f.Table.Blocks[a], w.f.Table.Blocks[b]
	return x.Line < y.Line && x.EndLine < y.EndLine || y.Line < x.Line && y.EndLine < x.EndLine
}
