package gate

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// words says what would have to happen for a path of m, or part of one, to be executed: "x > 1 true", "return".
func (m *measured) words(w *way) []string {
	return m.texts.Of(m.Function).Way(w.start, w.loop, w.edges)
}

// severalOf returns the texts that several conditions of m have, whose places are needed to tell them apart.
func (m *measured) severalOf() map[string]bool {
	places, several := make(map[string]string), make(map[string]bool)
	text := m.texts.Of(m.Function)
	for _, o := range m.outcomes {
		c := text.Condition(&o.Condition)
		what, at := c.Text, fmt.Sprintf("%d:%d", c.Line, c.Col)
		if what == "" {
			what = fmt.Sprintf("line %d", o.Line)
		}
		if known, ok := places[what]; ok && known != at {
			several[what] = true
		}
		places[what] = at
	}
	return several
}

// lineOf returns the line of a block: see there.
func lineOf(t *table.Function, block int) int { return code.LineOf(t, block) }
