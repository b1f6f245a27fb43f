package coverage

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// New returns the report of a profile, given the files that it has counts of. Prefix is what names of files have before that
// which is relative to the profile's root: "" or a folder and a slash.
func New(p *profile.Profile, sources []coverprofile.Source, prefix string) *Report {
	r := &Report{Missing: coverprofile.MissingOf(sources)}
	for _, run := range p.Runs {
		if run.Start.After(r.Time) {
			r.Time = run.Start
		}
	}
	var layouts []*layout
	texts := code.New(p)
	for i := range sources {
		s := &sources[i]
		name := below(p.Root, s.Name)
		if name == "" {
			r.Outside++
			continue
		}
		l := newLayout(texts, s, prefix+filepath.ToSlash(name))
		if len(l.functions) == 0 {
			continue
		}
		layouts = append(layouts, l)
		r.Files = append(r.Files, l.file(all))
		r.Unsure.Lines += len(l.unsure())
		r.Unsure.Branches += l.unsureBranches()
	}
	r.Tests = tests(p, layouts)
	sortFiles(r.Files)
	return r
}

// below returns the name of a file relative to a folder, "" if it is not below it. Either may be named by a link.
func below(root, file string) string {
	for range 2 {
		if name, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(name) {
			return name
		}
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			return ""
		}
		root = real
		if real, err = filepath.EvalSymlinks(file); err == nil {
			file = real
		}
	}
	return ""
}

func sortFiles(files []*File) {
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
}

// A layout is what a file has, without counts.
type layout struct {
	source    *coverprofile.Source
	name      string
	functions []*profile.Function           // that have an extent whose count is known, in source order
	lines     [][]int                       // on which each extent has code
	operands  map[*profile.Function][]place // of the conditions of each, in the order of its Decisions
}

func newLayout(texts *code.Texts, s *coverprofile.Source, name string) *layout {
	l := &layout{source: s, name: name, lines: lines(s), operands: make(map[*profile.Function][]place)}
	for i := range s.Extents {
		if e := &s.Extents[i]; e.Why == "" && l.operands[e.Function] == nil {
			l.functions = append(l.functions, e.Function)
			l.operands[e.Function] = operands(texts, e.Function)
		}
	}
	slices.SortStableFunc(l.functions, func(a, b *profile.Function) int {
		return cmp.Or(cmp.Compare(a.Table.Line, b.Table.Line), cmp.Compare(a.Table.Body.Col, b.Table.Body.Col))
	})
	return l
}

// operands returns where the operands of the conditions of f begin.
func operands(texts *code.Texts, f *profile.Function) []place {
	list := []place{} // not nil: the function is known
	text := texts.Of(f)
	for _, d := range f.Decisions() {
		o := text.Condition(&d.Condition)
		list = append(list, place{o.Line, o.Col})
	}
	return list
}

// A view is what of the counts of a function is meant: all of them, or those of a test. It is nil for none.
type view func(f *profile.Function) *profile.Function

func all(f *profile.Function) *profile.Function { return f }

// file returns the file with counts. It is empty if the view has none of its functions.
func (l *layout) file(of view) *File {
	file := &File{Name: show.Printable(l.name), Package: show.Printable(l.source.Package)}
	b := builder{lines: make(map[int]*Line)}
	counts := make(map[*profile.Function][]int64)
	for _, f := range l.functions {
		if counted := of(f); counted != nil {
			counts[f] = counted.StatementCounts()
			file.Functions = append(file.Functions, b.function(counted))
		}
	}
	if len(counts) == 0 {
		return file
	}
	shared := make(map[int]bool) // units that were added before, and whether they were executed: see profile.Function.Unit
	for i := range l.source.Extents {
		e := &l.source.Extents[i]
		if e.Why != "" || counts[e.Function] == nil {
			continue
		}
		n := counts[e.Function][e.Statement]
		added, executed := false, false
		if unit := e.Function.Unit(e.Statement); unit > 0 {
			executed, added = shared[unit]
			shared[unit] = executed || n > 0
		}
		if !added {
			file.Statements += e.Stmts
		}
		if n > 0 && !executed {
			file.Executed += e.Stmts
		}
		for _, line := range l.lines[i] {
			b.line(line, n)
		}
	}
	for _, f := range l.functions {
		if counts[f] != nil {
			b.decisions(of(f), l.operands[f])
		}
	}
	file.Lines = b.sorted()
	return file
}

// A builder collects the lines of a file.
type builder struct {
	lines      map[int]*Line
	conditions []placed
}

// A placed condition is one with the place of its operand.
type placed struct {
	place
	Condition
}

// line counts executions of code on a line.
func (b *builder) line(n int, count int64) {
	if b.lines[n] == nil {
		b.lines[n] = &Line{Number: n}
	}
	b.lines[n].Count = max(b.lines[n].Count, count)
}

// function returns a function, whose line has the calls.
func (b *builder) function(f *profile.Function) Function {
	count := f.Entries
	if count <= 0 && f.Executed() { // updates were lost
		count = 1
	}
	b.line(f.Table.Line, count)
	name := show.Printable(show.Short(f.Table.Name, f.Package))
	return Function{Name: name, Line: f.Table.Line, EndLine: f.Table.EndLine, Count: max(count, 0)}
}

// decisions adds the conditions of f.
func (b *builder) decisions(f *profile.Function, operands []place) {
	for i, d := range f.Decisions() {
		b.conditions = append(b.conditions, placed{operands[i], Condition{max(d.True, 0), max(d.False, 0)}})
	}
}

// sum adds counts that may be the largest ones there are.
func sum(a, b int64) int64 {
	if s := a + b; s >= 0 {
		return s
	}
	return max(a, b)
}

// sorted returns the lines with their conditions. Where there are some they say how often the line was executed.
func (b *builder) sorted() []Line {
	slices.SortStableFunc(b.conditions, func(x, y placed) int { return x.compare(y.place) })
	decided := make(map[int]*Line)
	for _, c := range b.conditions {
		line := decided[c.line]
		if line == nil {
			line = &Line{Number: c.line}
			decided[c.line], b.lines[c.line] = line, line
		}
		line.Count = max(line.Count, sum(c.True, c.False))
		line.Conditions = append(line.Conditions, c.Condition)
	}
	var list []Line
	for _, l := range b.lines {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(x, y Line) int { return cmp.Compare(x.Number, y.Number) })
	return list
}
