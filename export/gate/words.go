package gate

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// words says in words what would have to happen for a path of m, or part of one, to be executed: "line 12 true", "line 15 false", "return".
func (m *measured) words(w *way) []string {
	f := m.Function
	var list []string
	if w.loop {
		list = append(list, fmt.Sprintf("in the loop on line %d", lineOf(f.Table, w.start)))
	}
	branch := f.BranchEdges()
	for _, id := range w.edges {
		e := f.Table.Edges[id]
		if branch[id] {
			list = append(list, decisionWords(f.Table, id, m.several))
		}
		switch {
		case e.Back:
			list = append(list, fmt.Sprintf("line %d again", lineOf(f.Table, e.To)))
		case e.Kind == table.Return:
			list = append(list, "return")
		case e.Kind == table.CallPanic:
			list = append(list, fmt.Sprintf("panic on line %d", e.Line))
		}
	}
	return list
}

// severalOn returns the lines on which there are several conditions, whose columns are needed to tell them apart.
func severalOn(f *profile.Function) map[int]bool {
	columns, several := make(map[int]int), make(map[int]bool)
	for _, d := range f.Decisions() {
		if col, ok := columns[d.Line]; ok && col != d.Col {
			several[d.Line] = true
		}
		columns[d.Line] = d.Col
	}
	return several
}

// decisionWords says what makes control take a branch.
func decisionWords(t *table.Function, id int, several map[int]bool) string {
	e := t.Edges[id]
	line, col := e.Line, e.Col
	switch {
	case e.Kind == table.RangeNext || e.Kind == table.RangeDone:
		line, col = lineOf(t, e.From), 0
	case line == 0 || e.Kind == table.SwitchDefault:
		line, col = lineOf(t, e.To), 0
	}
	at := fmt.Sprintf("line %d", line)
	if several[line] && col > 0 {
		at = fmt.Sprintf("line %d:%d", line, col)
	}
	switch e.Kind {
	case table.SwitchCase:
		return "case on " + at
	case table.SwitchDefault:
		return "no case before " + at
	case table.SelectCase:
		return "communication on " + at
	case table.RangeNext:
		return at + " has another element"
	case table.RangeDone:
		return at + " has no more"
	}
	is := e.Kind == table.IfThen || e.Kind == table.CondTrue
	if several[line] { // then the position is that of an operand, which may be negated
		is = first(t, id)
	}
	return fmt.Sprintf("%s %v", at, is)
}

// first reports whether an edge is the first out of its block: that of a condition which is true.
func first(t *table.Function, id int) bool {
	for i, e := range t.Edges {
		if e.From == t.Edges[id].From {
			return i == id
		}
	}
	return false
}

// lineOf returns the line of a block; of one without source that of the first behind it that has some, or that of the function's end.
func lineOf(t *table.Function, block int) int {
	for seen := make(map[int]bool); !seen[block]; {
		if line := t.Blocks[block].Line; line > 0 {
			return line
		}
		seen[block] = true
		for _, e := range t.Edges {
			if e.From == block {
				block = e.To
				break
			}
		}
	}
	return t.EndLine
}
