package profile

import (
	"fmt"
	"strconv"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Lines returns the lines at which the blocks along path p start, at least
// one. The target of a final back edge is one of them, so that a loop is seen to
// close; blocks without source are left out. Blocks that start on the same
// line each have their place.
func (f *Function) Lines(p *Path) []int {
	var lines []int
	add := func(block int) {
		if l := f.Table.Blocks[block].Line; l > 0 {
			lines = append(lines, l)
		}
	}
	add(p.Start)
	for _, id := range p.Edges {
		add(f.Table.Edges[id].To)
	}
	if len(lines) == 0 {
		return []int{f.Table.Line}
	}
	return lines
}

// Steps returns the path as people read it: its lines, as Lines has them, each in decimal. Of
// blocks that start on one line all but the leftmost have their column, too ("86", "86:20").
// It may be all that tells two paths apart.
func (f *Function) Steps(p *Path) []string { return f.Stepper()(p) }

// Stepper returns Steps for many paths: what all of them need is made once, and has the size of the function.
func (f *Function) Stepper() func(p *Path) []string {
	names := f.stepNames()
	return func(p *Path) []string {
		var steps []string
		add := func(block int) {
			if s := names[block]; s != "" {
				steps = append(steps, s)
			}
		}
		add(p.Start)
		for _, id := range p.Edges {
			add(f.Table.Edges[id].To)
		}
		if len(steps) == 0 {
			return []string{strconv.Itoa(f.Table.Line)}
		}
		return steps
	}
}

// stepNames returns the step that each block is in a path, "" for those without source.
func (f *Function) stepNames() []string {
	leftmost := make(map[int]int) // column by line
	for _, b := range f.Table.Blocks {
		if col, ok := leftmost[b.Line]; !ok || b.Col < col {
			leftmost[b.Line] = b.Col
		}
	}
	names := make([]string, len(f.Table.Blocks))
	for i, b := range f.Table.Blocks {
		switch {
		case b.Line == 0:
		case b.Col == leftmost[b.Line]:
			names[i] = strconv.Itoa(b.Line)
		default:
			names[i] = fmt.Sprintf("%d:%d", b.Line, b.Col)
		}
	}
	return names
}

// Title is what frames and folded stacks call a path: "{path 3: 12→14→17}". The number tells paths
// apart; so there are no columns here, which would make a hard name harder.
func (f *Function) Title(p *Path) string {
	return "{path " + strconv.FormatUint(p.ID, 10) + ": " + show.Steps(f.lineTexts(p), show.MostSteps) + "}"
}

// LineText returns all lines of a path, without columns: "12→14→17".
func (f *Function) LineText(p *Path) string { return show.AllSteps(f.lineTexts(p)) }

func (f *Function) lineTexts(p *Path) []string {
	var texts []string
	for _, l := range f.Lines(p) {
		texts = append(texts, strconv.Itoa(l))
	}
	return texts
}
