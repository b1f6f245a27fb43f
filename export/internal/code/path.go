package code

import (
	"fmt"
	"go/ast"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A label is what a branch is called.
type label struct {
	text string // "" if the edge is no branch
	at   place
}

// addLabels gives each branch another label. Those of conditions with one text have their place behind it, and those
// of one place the line to which they lead, or their number.
func (f *Function) addLabels() {
	if f.Declined() {
		return
	}
	f.labels = make([]label, len(f.Table.Edges))
	for id, branch := range f.BranchEdges() {
		if branch {
			f.labels[id] = f.label(id)
		}
	}
	f.tellApart(func(id int) string {
		at := f.labels[id].at
		if at.col == 0 {
			return fmt.Sprintf(" (line %d)", at.line)
		}
		return fmt.Sprintf(" (%d:%d)", at.line, at.col)
	})
	f.tellApart(func(id int) string { return fmt.Sprintf(" → line %d", LineOf(f.Table, f.Table.Edges[id].To)) })
	f.tellApart(func(id int) string { return fmt.Sprintf(" [branch %d]", id) })
}

// tellApart adds something to labels that several edges have.
func (f *Function) tellApart(what func(id int) string) {
	same := make(map[string]int)
	for _, l := range f.labels {
		same[l.text]++
	}
	for id := range f.labels {
		if l := &f.labels[id]; l.text != "" && same[l.text] > 1 {
			l.text += what(id)
		}
	}
}

// label returns what makes control take a branch, and where that is.
func (f *Function) label(id int) label {
	t, e := f.Table, f.Table.Edges[id]
	switch e.Kind {
	case table.RangeNext, table.RangeDone:
		return f.ranged(id)
	case table.SwitchDefault:
		return f.byDefault(id)
	}
	at := place{e.Line, e.Col}
	if at.line == 0 {
		at = place{t.Blocks[e.To].Line, t.Blocks[e.To].Col}
	}
	o := Operand{Line: at.line, Col: at.col}
	if kind, ok := profile.KindOf(e.Kind); ok && at.line > 0 {
		o = f.Condition(&profile.Condition{Kind: kind, Line: at.line, Col: at.col})
	}
	if o.Line == 0 {
		o.Line, o.Col = LineOf(t, e.To), 0
	}
	at = place{o.Line, o.Col}
	is := f.isFirst(id)
	switch {
	case e.Kind == table.SelectCase || e.Kind == table.SwitchCase:
		if o.Text != "" {
			return label{o.Text, at}
		}
		if e.Kind == table.SelectCase {
			return label{fmt.Sprintf("communication on line %d", at.line), at}
		}
		return label{fmt.Sprintf("case on line %d", at.line), at}
	case o.Text == "":
		return label{fmt.Sprintf("line %d %v", at.line, is), at}
	case is && f.isLoop(at):
		return label{"for " + o.Text, at}
	}
	return label{fmt.Sprintf("%s %v", o.Text, is), at}
}

// isLoop reports whether the condition at a place is all of that of a for statement.
func (f *Function) isLoop(at place) bool {
	o := f.operandAt(at)
	return o != nil && o.loop
}

// ranged returns the label of an edge out of the header of a range statement.
func (f *Function) ranged(id int) label {
	t, e := f.Table, f.Table.Edges[id]
	at := place{LineOf(t, e.From), 0}
	var loop *ast.RangeStmt
	for _, other := range t.Edges {
		if body := t.Blocks[other.To]; other.From == e.From && other.Kind == table.RangeNext && f.syntax != nil {
			loop = f.syntax.ranges[f.now(place{body.Line, body.Col})]
			if loop != nil && !f.file.Same(f.syntax.place(loop.For).line, f.syntax.place(loop.Body.Lbrace).line) {
				loop = nil
			}
		}
	}
	next := e.Kind == table.RangeNext
	if loop == nil {
		if next {
			return label{fmt.Sprintf("line %d has another element", at.line), at}
		}
		return label{fmt.Sprintf("line %d has no more", at.line), at}
	}
	at = f.then(f.syntax.place(loop.For))
	text := f.syntax.textOf(loop.X)
	if next {
		return label{"for range " + text, at}
	}
	return label{"end of range " + text, at}
}

// byDefault returns the label of the edge that is taken if no clause of a switch is.
func (f *Function) byDefault(id int) label {
	t, e := f.Table, f.Table.Edges[id]
	if at := (place{e.Line, e.Col}); e.Line > 0 && f.syntax != nil {
		if o := f.operandAt(at); o != nil && o.whole != nil { // the last operand of the last condition
			text := f.operand(o)
			return label{fmt.Sprintf("%s %v", text.Text, f.isFirst(id)), place{text.Line, text.Col}}
		}
	}
	at := place{LineOf(t, e.To), 0}
	for _, other := range t.Edges {
		if other.From == e.From && other.Kind == table.SwitchCase && other.Line > 0 {
			at = place{other.Line, other.Col}
		} else if b := t.Blocks[other.To]; other.From == e.From && other.Kind != table.SwitchDefault && b.Line > 0 && at.col == 0 {
			at = place{b.Line, b.Col}
		}
	}
	var d *decider
	if f.syntax != nil && at.col > 0 {
		d = f.syntax.switchAt(f.now(at))
		if d != nil && !f.file.Same(d.start.line, d.end.line) {
			d = nil
		}
	}
	switch {
	case d == nil:
		return label{fmt.Sprintf("no case before line %d", LineOf(t, e.To)), at}
	case d.hasDefault:
		return label{"default", f.then(d.start)}
	case d.tag == nil:
		return label{"no case", f.then(d.start)}
	}
	return label{"no case of " + f.syntax.textOf(d.tag), f.then(d.start)}
}

// isFirst reports whether an edge is the first out of its block: that of a condition which is true.
func (f *Function) isFirst(id int) bool {
	if f.first == nil {
		f.first = make([]int, len(f.Table.Blocks))
		for i := range f.first {
			f.first[i] = -1
		}
		for i, e := range f.Table.Edges {
			if f.first[e.From] < 0 {
				f.first[e.From] = i
			}
		}
	}
	return f.first[f.Table.Edges[id].From] == id
}

// Branch returns what makes control take a branch: "s[i] == '\t' true". It is "" if control has no choice.
func (f *Function) Branch(id int) string { return f.labels[id].text }

// At returns the place of a branch: that of its operand, or of what is tested. The column is 0 where it is not known.
func (f *Function) At(id int) (line, col int) { return f.labels[id].at.line, f.labels[id].at.col }

// Path returns what happens on a path, at least one step.
func (f *Function) Path(p *profile.Path) []string { return f.Way(p.Start, p.Loop, p.Edges) }

// Way returns what happens on a path, or on part of one.
func (f *Function) Way(start int, loop bool, edges []int) []string {
	var steps []string
	if loop {
		steps = append(steps, "in the loop on "+f.header(start))
	}
	for _, id := range edges {
		e := f.Table.Edges[id]
		if text := f.labels[id].text; text != "" {
			steps = append(steps, text)
		}
		switch {
		case e.Back:
			steps = append(steps, f.header(e.To)+" again")
		case e.Kind == table.Return:
			steps = append(steps, "return")
		case e.Kind == table.CallPanic:
			steps = append(steps, fmt.Sprintf("panic on line %d", e.Line))
		}
	}
	if len(steps) == 0 {
		steps = append(steps, fmt.Sprintf("line %d", LineOf(f.Table, start)))
	}
	return steps
}

// header returns the line of the block that a loop begins with, and what tells it from that of another.
func (f *Function) header(block int) string {
	line := LineOf(f.Table, block)
	text := fmt.Sprintf("line %d", line)
	for _, s := range f.Table.Values.Starts {
		if s.Block != block && LineOf(f.Table, s.Block) == line {
			return fmt.Sprintf("%s:%d", text, f.Table.Blocks[block].Col)
		}
	}
	return text
}

// LineOf returns the line of a block. For one without source it is that of the first block behind it that has some,
// or that of the function's end.
func LineOf(t *table.Function, block int) int {
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
