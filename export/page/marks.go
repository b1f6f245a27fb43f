package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// mark is where a condition is on a line.
type mark struct {
	start, end int // columns, end behind it
	says       string
	never      string // "never true" where an outcome is missing
	hole       bool
}

// marks returns the conditions of f by line, those of a line in their order.
func (s *Site) marks(f *function, file *source.File, edges *known.AllEdges) map[int][]mark {
	missing := make(map[profile.Condition]holes.Hole)
	for _, h := range holes.Of(f.Function) {
		missing[h.Condition] = h
	}
	marks := make(map[int][]mark)
	of := s.texts.Of(f.Function)
	for _, d := range f.Decisions() {
		o := of.Condition(&d.Condition)
		if o.Text == "" || o.Line < 1 || o.Line > len(file.Lines) {
			continue
		}
		m := newMark(o, file.Lines[o.Line-1])
		m.says = outcomes(f.Function, d, edges)
		if h, ok := missing[d.Condition]; ok {
			m.says = h.SaysOf(edges)
			if m.hole = h.Known() && h.Other > 0; m.hole {
				m.never = "never " + h.Never
			}
		}
		marks[o.Line] = append(marks[o.Line], m)
	}
	for _, list := range marks {
		slices.SortStableFunc(list, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	}
	return marks
}

// newMark returns where an operand is on the line where it begins: all of it, or what of several lines is there.
func newMark(o code.Operand, content string) mark {
	start := min(max(o.Col, 1), len(content)+1)
	m := mark{start: start, end: len(content) + 1}
	for _, text := range []string{o.Text, strings.TrimPrefix(o.Text, "case ")} { // the address of a value is its own
		if strings.HasPrefix(content[start-1:], text) {
			m.end = start + len(text)
			break
		}
	}
	return m
}

// outcomes says how often a condition was true, and how often false.
func outcomes(f *profile.Function, d profile.Decision, edges *known.AllEdges) string {
	if f.KnowsCounts() {
		return "true " + show.Times(d.True) + ", false " + show.Times(d.False)
	}
	return "true " + edges.Text(d.True, d.Then) + ", false " + edges.Text(d.False, d.Else...) + " times"
}
