package code

import (
	"fmt"
	"go/ast"
	"strings"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Texts are those of one profile. They can be used by several goroutines at the same time.
type Texts struct {
	Files *source.Files

	mu        sync.Mutex
	parsed    map[string]*syntax // by name of the file
	functions map[*table.Function]*Function
}

// New returns the texts of p.
func New(p *profile.Profile) *Texts {
	return &Texts{Files: source.New(p), parsed: make(map[string]*syntax), functions: make(map[*table.Function]*Function)}
}

// A Function has the texts of one function.
type Function struct {
	*profile.Function
	file   *source.File // nil if it cannot be read, or has changed
	err    error
	syntax *syntax
	labels []label // of branches, by edge
	first  []int   // edge out of each block
}

// Of returns the texts of a function, which are lines if its source is not what ran.
func (t *Texts) Of(f *profile.Function) *Function {
	file, err := t.Files.Function(f)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.functions[f.Table]; known != nil {
		return known
	}
	fn := &Function{Function: f, file: file, err: err}
	if err == nil {
		if _, ok := t.parsed[file.Name]; !ok {
			t.parsed[file.Name] = parse(file)
		}
		fn.syntax = t.parsed[file.Name]
	}
	fn.addLabels()
	t.functions[f.Table] = fn
	return fn
}

// Changed says what is other than in the run, such as "lex.go has changed since the run: Words is 3 lines further
// down". It may also say why there is no source. Changed returns "" if all is as it was.
func (f *Function) Changed() string {
	switch {
	case f.err != nil:
		return f.err.Error()
	case f.file.Edited:
		return f.edited()
	case f.file.Moved > 0:
		return fmt.Sprintf("%s has changed since the run: %s is %s further down now",
			f.file.Name, show.Short(f.Table.Name, f.Package), show.Plural(f.file.Moved, "line"))
	case f.file.Moved < 0:
		return fmt.Sprintf("%s has changed since the run: %s is %s further up now",
			f.file.Name, show.Short(f.Table.Name, f.Package), show.Plural(-f.file.Moved, "line"))
	}
	return ""
}

// Other reports whether a function is not what ran any more, in a file that can be read. It may be further up or down.
func (t *Texts) Other(f *profile.Function) bool {
	text := t.Of(f)
	if text.err == nil {
		return text.file.Edited
	}
	_, err := t.Files.Whole(f)
	return err == nil
}

// Edited reports whether lines of the function have changed, or come between them.
func (f *Function) Edited() bool { return f.err == nil && f.file.Edited }

// edited says which lines of the run are not there any more.
func (f *Function) edited() string {
	says := fmt.Sprintf("%s has changed since the run: %s", f.file.Name, show.Short(f.Table.Name, f.Package))
	gone := f.file.Gone(f.Table)
	if len(gone) == 0 {
		return says + " has new lines"
	}
	lines := " has changed on line "
	if len(gone) > 1 {
		lines = " has changed on lines "
	}
	return says + lines + strings.Join(ranges(gone), ", ")
}

// ranges returns "5" and "7–9" of 5, 7, 8 and 9.
func ranges(lines []int) (list []string) {
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && lines[i+n] == lines[i]+n {
			n++
		}
		if n == 1 {
			list = append(list, fmt.Sprint(lines[i]))
		} else {
			list = append(list, fmt.Sprintf("%d–%d", lines[i], lines[i]+n-1))
		}
		i += n
	}
	return list
}

// An Operand is the text of a condition, and where it begins.
type Operand struct {
	Text      string // "" if there is no source
	Line, Col int
	Before    string // what of a longer condition is before it, and after it
	After     string
}

// Longer reports whether the operand is one of several.
func (o *Operand) Longer() bool { return o.Before != "" || o.After != "" }

// Condition returns the text of a condition.
func (f *Function) Condition(c *profile.Condition) Operand {
	at := place{c.Line, c.Col}
	if f.syntax == nil {
		return Operand{Line: c.Line, Col: c.Col}
	}
	switch c.Kind {
	case profile.SwitchCondition, profile.SelectCondition:
		if o := f.operandAt(at); o != nil && o.value != nil {
			return f.operand(o)
		}
		if cl := f.syntax.clauses[f.now(at)]; cl != nil && f.sameHead(cl) {
			return f.clause(cl)
		}
	}
	if o := f.operandAt(at); o != nil {
		return f.operand(o)
	}
	return Operand{Line: c.Line, Col: c.Col}
}

// now returns where a place of the run is in the file.
func (f *Function) now(at place) place { return place{f.file.Now(at.line), at.col} }

// then is the inverse.
func (f *Function) then(at place) place { return place{f.file.Then(at.line), at.col} }

// same reports whether a node is what it was in the run. It may not be in a function that has been edited.
func (f *Function) same(n ast.Node) bool {
	return f.file.Same(f.syntax.place(n.Pos()).line, f.syntax.place(n.End()).line)
}

// operandAt returns the operand at a place of the run. It has to be in the function itself.
func (f *Function) operandAt(at place) *operand {
	o := f.syntax.operandAt(f.now(at))
	if o != nil && (f.then(o.start).line < f.Table.Line || !f.file.Same(o.start.line, o.end.line)) {
		return nil // a literal in an operand, or one that has changed: what is at the place is not known
	}
	return o
}

func (f *Function) operand(o *operand) Operand {
	s, at := f.syntax, f.then(f.syntax.place(o.expr.Pos()))
	text := Operand{Text: s.textOf(o.expr), Line: at.line, Col: at.col}
	if o.value != nil {
		text.Text = "case " + f.values(o)
	}
	if o.whole != nil && f.same(o.whole) {
		from, to := s.offset(o.whole.Pos()), s.offset(o.whole.End())
		text.Before = oneLine(s.text[from:s.offset(o.expr.Pos())] + "\x00")
		text.Before = strings.TrimSuffix(text.Before, "\x00")
		text.After = strings.TrimPrefix(oneLine("\x00"+s.text[s.offset(o.expr.End()):to]), "\x00")
	}
	return text
}

// values returns the value of a clause that is tested, with those after it that are tested together with it, as
// consecutive integers are.
func (f *Function) values(o *operand) string {
	c, ok := o.value.node.(*ast.CaseClause)
	if !ok || o.value.tag == nil || !f.sameHead(o.value) {
		return f.syntax.textOf(o.expr)
	}
	colon := f.then(f.syntax.place(c.Colon))
	from, next := f.then(o.start), colon
	for _, e := range f.Table.Edges {
		at := place{e.Line, e.Col}
		if e.Kind == table.SwitchCase && from.compare(at) < 0 && !f.within(o, at) && at.compare(next) < 0 {
			next = at
		}
	}
	var last ast.Expr
	for _, e := range c.List {
		if f.then(f.syntax.place(e.Pos())).compare(next) < 0 {
			last = e
		}
	}
	return oneLine(f.syntax.text[f.syntax.offset(o.expr.Pos()):f.syntax.offset(last.End())])
}

// within reports whether a place of the run is in an operand.
func (f *Function) within(o *operand, at place) bool {
	return f.then(o.start).compare(at) <= 0 && at.compare(f.then(o.end)) < 0
}

// sameHead reports whether the head of a clause is what it was in the run.
func (f *Function) sameHead(c *clause) bool {
	colon := c.node.Pos()
	switch n := c.node.(type) {
	case *ast.CaseClause:
		colon = n.Colon
	case *ast.CommClause:
		colon = n.Colon
	}
	return f.file.Same(f.syntax.place(c.node.Pos()).line, f.syntax.place(colon).line)
}

// clause returns the text of all of a clause's head.
func (f *Function) clause(c *clause) Operand {
	at := f.then(f.syntax.place(c.node.Pos()))
	text := Operand{Line: at.line, Col: at.col}
	switch n := c.node.(type) {
	case *ast.CaseClause:
		text.Text = oneLine(f.syntax.text[f.syntax.offset(n.Case):f.syntax.offset(n.Colon)])
	case *ast.CommClause:
		text.Text = oneLine(f.syntax.text[f.syntax.offset(n.Case):f.syntax.offset(n.Colon)])
	}
	return text
}

// In returns the whole condition in at most width runes, with marks around the operand.
func (o *Operand) In(before, after string, width int) string {
	marked := before + o.Text + after
	left := width - len([]rune(marked))
	head, tail := []rune(o.Before), []rune(o.After)
	if left < 2 && len(head)+len(tail) > left || left < 0 {
		return string([]rune(marked)[:max(width-1, 0)]) + "…"
	}
	if len(head)+len(tail) > left {
		room := max(left/2, left-len(tail))
		if len(head) > room {
			head = append([]rune("…"), head[len(head)-room+1:]...)
		}
		if room = left - len(head); len(tail) > room {
			tail = append(tail[:room-1], '…')
		}
	}
	return string(head) + marked + string(tail)
}

// Line returns the source of a line from a column on, without what is around it; "" if there is none. Of a brace or a
// comment it is what follows.
func (f *Function) Line(line, col int) string {
	if f.file == nil || line < 1 || line > len(f.file.Lines) {
		return ""
	}
	if f.file.Now(line) == 0 {
		return "" // of what has changed nothing is known
	}
	text := f.file.Lines[line-1]
	if col > 1 && col <= len(text)+1 {
		text = text[col-1:]
	}
	text = strings.TrimSpace(strings.Trim(text, "{} \t"))
	if (text == "" || strings.HasPrefix(text, "//")) && line < f.Table.EndLine {
		return f.Line(line+1, 1)
	}
	return strings.ReplaceAll(text, "\t", " ")
}

// HasSource reports whether there is a source, so that texts are not of lines.
func (f *Function) HasSource() bool { return f.syntax != nil }
