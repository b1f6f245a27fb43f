package gate

import (
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Lines are the changed lines of files, by the names that tables have. Nil stands for all lines of all files.
type Lines map[string]map[int]bool

// has reports whether one of the lines from first to last of f's file has changed.
func (l Lines) has(f *profile.Function, first, last int) bool {
	if l == nil {
		return true
	}
	changed := l[f.Table.File]
	if len(changed) < last-first {
		for line := range changed {
			if first <= line && line <= last {
				return true
			}
		}
		return false
	}
	for line := first; line <= last; line++ {
		if changed[line] {
			return true
		}
	}
	return false
}

// blocks tells for each block of f whether it has a changed line.
func (l Lines) blocks(f *profile.Function) []bool {
	changed := make([]bool, len(f.Table.Blocks))
	for i, b := range f.Table.Blocks {
		changed[i] = l == nil || b.Line > 0 && l.has(f, b.Line, b.EndLine)
	}
	return changed
}

// edge reports whether a branch is one on changed lines.
func (l Lines) edge(f *profile.Function, id int) bool {
	e := f.Table.Edges[id]
	if e.Line > 0 && l.has(f, e.Line, e.Line) {
		return true
	}
	to := f.Table.Blocks[e.To]
	return l == nil || to.Line > 0 && l.has(f, to.Line, to.EndLine)
}

// statement reports whether a run of statements has a changed line. It goes on up to the next one, or the end of its block.
func (l Lines) statement(f *profile.Function, i int) bool {
	s := f.Table.Statements[i]
	return l.has(f, s.Line, max(s.Line, lastLine(f.Table, i)))
}

// lastLine returns the last line of a run of statements.
func lastLine(t *table.Function, i int) int {
	last := t.EndLine
	if i+1 < len(t.Statements) {
		last = t.Statements[i+1].Line - 1
	}
	if b := t.Statements[i].Block; b >= 0 && t.Blocks[b].EndLine > 0 {
		last = min(last, max(t.Blocks[b].EndLine, t.Statements[i].Line))
	}
	return last
}
