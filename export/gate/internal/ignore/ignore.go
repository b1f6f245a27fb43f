package ignore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Sources are those of one profile, with their directives.
type Sources struct {
	Generated bool // generated files are as good as others
	Edited    bool // directives are honoured on what is as it was of functions that have changed

	files      *source.Files
	directives map[string]*Directives // by the name of the file on this machine
	faults     map[string][]Fault
	changed    map[string]bool // functions whose directives are not honoured, since they have changed
	unread     int
}

// New returns the directives of sources.
func New(files *source.Files) *Sources {
	return &Sources{
		files: files, directives: make(map[string]*Directives), faults: make(map[string][]Fault), changed: make(map[string]bool),
	}
}

// A Function is what is ignored of a function. That of one in which nothing is has no directives.
type Function struct {
	Whole     bool // because of its file
	Generated bool // which is why

	table      *table.Function
	file       *source.File
	spans      []span
	statements []Place
}

// Of returns what is ignored of a function. Files outside of the main module are read, too: they may be of another module
// of the workspace, or be there by a replace directive. It is no news that some cannot be read, as on another machine.
func (s *Sources) Of(f *profile.Function) *Function {
	fn := &Function{table: f.Table}
	if !s.files.Known() {
		return fn
	}
	file, err := s.files.Function(f)
	found := err == nil && (!file.Edited || s.Edited)
	if !found {
		if file, err = s.files.Whole(f); err != nil {
			s.unread += one(!f.Outside())
			return fn
		}
	}
	m := s.of(f, file)
	if m == nil {
		return fn
	}
	fn.Generated = m.generated && !s.Generated
	fn.Whole = m.all || fn.Generated
	switch {
	case found:
		fn.file = file
		fn.take(m)
	case !fn.Whole && len(m.spans) > 0:
		s.changed[f.Table.Name] = true
	}
	return fn
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// take takes what directives say about the function.
func (f *Function) take(m *Directives) {
	from, to := f.extent()
	for _, s := range m.spans {
		if s.from.before(to) && from.before(s.to) {
			f.spans = append(f.spans, s)
			// What has changed in the midst of a function that is marked was marked, too.
			last := Place{to.Line - 1, 0}
			f.Whole = f.Whole || f.file.Edited && !s.isLine() && s.from.Line <= from.Line && last.before(s.to)
		}
	}
	for _, at := range m.statements {
		if f.ignores(at) && f.isOwn(m, at) {
			f.statements = append(f.statements, at)
		}
	}
}

// extent returns where the function begins, and what is behind it. Of one that has changed it is where what is left of it is.
func (f *Function) extent() (from, to Place) {
	for n := f.table.Line; n <= f.table.EndLine; n++ {
		if now := f.file.Now(n); now > 0 {
			if from.Line == 0 {
				from = Place{now, 0}
			}
			to = Place{now + 1, 0}
		}
	}
	return from, to
}

// isOwn reports whether a statement is the function's, and not one of a literal in it.
func (f *Function) isOwn(m *Directives, at Place) bool {
	body := f.now(f.table.Body.Line, f.table.Body.Col)
	for _, b := range slices.Backward(m.bodies) {
		if b.has(at) {
			return f.table.Body.Line == 0 || b.from == body
		}
	}
	return false
}

// ignores reports whether a place in the file is in what is marked.
func (f *Function) ignores(at Place) bool {
	return slices.ContainsFunc(f.spans, func(s span) bool { return s.has(at) })
}

// of returns the directives of a file.
func (s *Sources) of(f *profile.Function, file *source.File) *Directives {
	m, ok := s.directives[file.Name]
	if !ok {
		m = read(file.Whole)
		s.directives[file.Name] = m
	}
	if m != nil && len(m.faults) > 0 {
		s.faults[f.Table.File] = m.faults
	}
	return m
}

// Any reports whether anything may be ignored.
func (f *Function) Any() bool { return f.Whole || len(f.spans) > 0 }

// now returns where a place of the run is in the file, and no place in it if it has gone.
func (f *Function) now(line, col int) Place {
	if f.file == nil { // no directive is honoured
		return Place{}
	}
	return Place{f.file.Now(line), col}
}

// Place reports whether what is at a place of the run is ignored.
func (f *Function) Place(line, col int) bool {
	return f.Whole || line > 0 && f.ignores(f.now(line, col))
}

// Block reports whether a block is ignored. It is if it begins in a span of source that is marked, so that control comes to
// all of it through the span. It also is if all of it is on a marked line. One without source is not, unless the function is.
func (f *Function) Block(id int) bool {
	b := f.table.Blocks[id]
	if f.Whole || b.Line == 0 {
		return f.Whole && id != f.table.Exit
	}
	from, to := f.now(b.Line, b.Col), f.now(b.EndLine, max(b.EndCol-1, 1))
	return slices.ContainsFunc(f.spans, func(s span) bool { return s.has(from) && (s.has(to) || !s.isLine()) })
}

// Branch reports whether a branch is ignored: with its condition, or with what it leads from or to.
func (f *Function) Branch(id int) bool {
	e := f.table.Edges[id]
	return f.Place(e.Line, e.Col) || f.Block(e.From) || f.Block(e.To)
}

// Statements returns how many of a run of statements are ignored.
func (f *Function) Statements(i int) int {
	s := f.table.Statements[i]
	if f.Whole {
		return s.Count
	}
	if len(f.statements) == 0 {
		return 0
	}
	_, to := f.extent()
	from := f.now(s.Line, s.Col)
	for _, next := range f.table.Statements[i+1:] {
		if next.Count > 0 { // others are parts of this one
			to = f.now(next.Line, next.Col)
			break
		}
	}
	n := 0
	for _, at := range f.statements {
		if !at.before(from) && at.before(to) {
			n++
		}
	}
	return min(n, s.Count)
}

// A FileFault is a directive that is not honoured, with its file as tables name it.
type FileFault struct {
	File string
	Fault
}

// Faults returns the directives that are not honoured, by file and line.
func (s *Sources) Faults() (list []FileFault) {
	for _, file := range slices.Sorted(maps.Keys(s.faults)) {
		for _, f := range s.faults[file] {
			list = append(list, FileFault{file, f})
		}
	}
	slices.SortStableFunc(list, func(a, b FileFault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

// Changed returns how many functions have changed since the run, in files with directives, so that these are not honoured there.
func (s *Sources) Changed() int { return len(s.changed) }

// Unread returns in how many functions nothing was looked for, since their sources cannot be read.
func (s *Sources) Unread() int { return s.unread }
