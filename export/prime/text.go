package prime

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Steps returns what happens on a prime path: of one that does not begin at entry first where it begins, and of one that does
// not end with the function, or where a loop begins again, last where it ends.
func Steps(f *Function, p *Path, text *code.Function) []string {
	t := f.Table
	first, last := t.Edges[p.Edges[0]].From, t.Edges[p.Edges[len(p.Edges)-1]]
	var steps []string
	if first != t.Entry {
		steps = append(steps, fmt.Sprintf("from line %d", code.LineOf(t, first)))
	}
	if way := text.Way(first, false, p.Edges); len(way) > 1 || first == t.Entry || hasStep(t, p.Edges) {
		steps = append(steps, way...)
	}
	if !last.Back && last.Kind != table.Return && last.Kind != table.CallPanic {
		steps = append(steps, fmt.Sprintf("to line %d", code.LineOf(t, last.To)))
	}
	return steps
}

// hasStep reports whether anything is said of edges themselves.
func hasStep(t *table.Function, edges []int) bool {
	out := make(map[int]int)
	for _, e := range t.Edges {
		out[e.From]++
	}
	for _, id := range edges {
		if e := t.Edges[id]; out[e.From] > 1 || e.Back || e.Kind == table.Return || e.Kind == table.CallPanic {
			return true
		}
	}
	return false
}

// CountText returns how often a path was executed, or why that is not known: "1,204", "3 to 7", "about 1,204 (9 to 5,313)",
// "missing".
func CountText(p *Path) string {
	switch {
	case p.State == Covered && p.Exact():
		return show.Grouped(p.Low)
	case p.Estimate > 0:
		return fmt.Sprintf("about %s (%s to %s)", show.Grouped(p.Estimate), show.Grouped(p.Low), show.Grouped(p.High))
	case p.State == Covered || p.State == Untold && p.High > 0:
		return fmt.Sprintf("%s to %s", show.Grouped(p.Low), show.Grouped(p.High))
	}
	return string(p.State)
}
