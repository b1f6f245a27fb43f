package page

import (
	"cmp"
	"go/scanner"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// sourceView is the source of a function.
type sourceView struct {
	Name     string // of the file on this machine
	Begins   int    // line of the file as it is now on which the function begins; 0 if that is not there any more
	Modified bool   // after the run
	Changed  string // what is other than in the run
	Lines    []lineView
}

// lineView is a line of source.
type lineView struct {
	Number   int
	Count    string // executions, of the block of most; "" if nothing there is executed
	Heat     int    // 0 for never to 5, -1 where there is no count
	Segments []segment
	Missing  []string  // of conditions: "never true"
	Literal  *function // function that begins here, and has a page of its own

	In *function // of the count, on pages of files
	At int       // number of the line in the run
}

// segment is a part of a line that lies in one block.
type segment struct {
	Block int // -1 for none of the function
	Count int64
	Times string // Count as it is known; "not seen" where it may have been executed all the same
	Parts []stretch

	Unseen bool
}

// stretch is a part of a segment: a condition, or what is between conditions.
type stretch struct {
	Says  string // of a condition: "true 4 times, false never"; "" of others
	Hole  bool   // an outcome is missing
	Texts []text
}

// text is source of one kind: "k" for keywords, "s" for strings and "c" for comments are how the style sheet knows them.
type text struct{ Kind, Text string }

// source returns the source of f, or why there is none.
func (s *Site) source(f *function) (*sourceView, string) {
	file, err := s.texts.Files.Function(f.Function)
	if err != nil {
		return nil, err.Error()
	}
	v := &sourceView{Name: file.Name, Begins: file.Now(f.Table.Line), Changed: s.texts.Of(f.Function).Changed()}
	for _, r := range s.p.Runs {
		v.Modified = v.Modified || !file.Verified && file.Modified.After(r.Start)
	}
	tokens := scan(file, f.Table.EndLine)
	p := newPainter(s, f, file, tokens)
	for n := docLine(file, f.Table.Line); n <= f.Table.EndLine; n++ {
		line := p.line(n, file.Lines[n-1], tokens[n])
		line.In = nil
		if file.Now(n) == 0 {
			line.Segments = []segment{{Block: -1, Parts: []stretch{{Texts: []text{{"c", changedLine}}}}}}
		}
		v.Lines = append(v.Lines, line)
	}
	return v, ""
}

// changedLine stands for a line of the run that is not in the file any more.
const changedLine = "// changed since the run"

// docLine returns the line on which the comment above a function begins, or the function's.
func docLine(file *source.File, line int) int {
	for line > 1 && strings.HasPrefix(file.Lines[line-2], "//") {
		line--
	}
	return line
}

// tok is a token on a line; one of several lines, such as a raw string, is there once for each.
type tok struct {
	start, end int // columns, counted from 1 in bytes; end is behind it
	token      token.Token
	depth      int // of parentheses and brackets before it
}

// scan returns the tokens of each line up to last.
func scan(file *source.File, last int) [][]tok {
	if !file.Edited {
		return scanText(file, file.Text, last)
	}
	// What is left of a string or comment that goes over several lines is told by those that are not of the run.
	lines := make([][]tok, len(file.Lines)+2)
	now := scanText(file, file.Whole, math.MaxInt)
	for n := range file.Lines {
		if at := file.Now(n + 1); at > 0 {
			lines[n+1] = now[at]
		}
	}
	return lines
}

// scanText is scan for a text of a file.
func scanText(file *source.File, text string, last int) [][]tok {
	fset := token.NewFileSet()
	f := fset.AddFile(file.Name, -1, len(text))
	var sc scanner.Scanner
	sc.Init(f, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	lines := make([][]tok, strings.Count(text, "\n")+3)
	depth := 0
	for {
		pos, t, lit := sc.Scan()
		place := f.PositionFor(pos, false) // whatever //line directives say
		at, col := place.Line, place.Column
		if t == token.EOF || at > last {
			return lines
		}
		if t == token.SEMICOLON && lit != ";" {
			continue // which no one has written
		}
		if lit == "" || t.IsOperator() {
			lit = t.String()
		}
		if t == token.RPAREN || t == token.RBRACK {
			depth--
		}
		for i, part := range strings.Split(lit, "\n") {
			if i > 0 {
				col = 1
			}
			if at+i < len(lines) {
				lines[at+i] = append(lines[at+i], tok{col, col + len(part), t, depth})
			}
		}
		if t == token.LPAREN || t == token.LBRACK {
			depth++
		}
	}
}

// painter divides lines into the blocks of a function.
type painter struct {
	f        *function
	edges    *known.AllEdges
	begins   map[int][]begin
	known    []bool // by block: if it was not seen, it was not executed
	marks    map[int][]mark
	literals []*function // directly or indirectly in f
	hottest  int64
	at       int // block that has been reached, -1 for none
	depth    int // of parentheses that f as a whole is in
}

// begin is where a block begins on a line.
type begin struct{ col, block int }

func newPainter(s *Site, f *function, file *source.File, tokens [][]tok) *painter {
	edges := known.EdgesOf(f.Function)
	p := &painter{f: f, edges: edges, begins: make(map[int][]begin), marks: s.marks(f, file, edges), at: -1}
	if !f.Declined() {
		p.known = f.KnownBlocks()
	}
	for _, t := range tokens[f.Table.Body.Line] {
		if t.start == f.Table.Body.Col {
			p.depth = t.depth
		}
	}
	for id, b := range f.Table.Blocks {
		if b.Line > 0 && b.Line < len(tokens) {
			p.begins[b.Line] = append(p.begins[b.Line], begin{operandStart(tokens[b.Line], b.Col), id})
			p.hottest = max(p.hottest, f.Blocks[id])
		}
	}
	for _, list := range p.begins {
		slices.SortFunc(list, func(a, b begin) int { return cmp.Or(cmp.Compare(a.col, b.col), cmp.Compare(a.block, b.block)) })
	}
	for _, other := range s.packageOf(f).Functions {
		if other != f && other.Table.File == f.Table.File && within(other.Table.Body, f.Table.Body) {
			p.literals = append(p.literals, other)
		}
	}
	return p
}

// within tells whether a is in b.
func within(a, b table.Block) bool {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) > 0 &&
		cmp.Or(cmp.Compare(a.EndLine, b.EndLine), cmp.Compare(a.EndCol, b.EndCol)) < 0
}

// operandStart returns where the operand begins whose code begins at a column. The table has the place of the first operation,
// and that of i < n is the operator.
func operandStart(tokens []tok, col int) int {
	i := slices.IndexFunc(tokens, func(t tok) bool { return t.end > col })
	if i < 0 || tokens[i].token == token.LBRACE {
		return col
	}
	depth := tokens[i].depth
	for ; i > 0; i-- {
		switch before := tokens[i-1]; {
		case before.depth < depth:
			return tokens[i].start // behind the parenthesis that opens here
		case before.depth == depth && before.token.IsKeyword() && before.token != token.RANGE && before.token != token.ELSE:
			return before.start // of a statement
		case before.depth == depth && endsOperand(before.token):
			return tokens[i].start
		}
	}
	return tokens[0].start
}

// endsOperand tells whether a condition or statement can begin behind a token.
func endsOperand(t token.Token) bool {
	switch t {
	case token.SEMICOLON, token.LBRACE, token.RBRACE, token.COLON, token.LAND, token.LOR, token.ASSIGN, token.DEFINE, token.COMMA,
		token.ELSE, token.RANGE, token.COMMENT:
		return true
	}
	return false
}

// line paints a line.
func (p *painter) line(n int, content string, tokens []tok) lineView {
	v := lineView{Number: n, Heat: -1}
	for _, l := range p.literals {
		if l.Table.Line == n {
			v.Literal = l
		}
	}
	v.paint(content, tokens, p.cuts(n, content, tokens), p.hottest)
	return v
}

// paint adds the text of a line that is divided into cuts, and the highest count of these.
func (v *lineView) paint(content string, tokens []tok, cuts []cut, hottest int64) {
	most, at := int64(-1), cut{}
	for _, c := range cuts {
		if blank := len(content) - len(strings.TrimLeft(content, " \t")); c.start == 1 && blank > 0 && blank < c.end-1 {
			v.Segments = append(v.Segments, segment{Block: -1, Parts: []stretch{{Texts: []text{{"", content[:blank]}}}}})
			c.start = blank + 1
		}
		seg := segment{Block: c.block}
		if c.block >= 0 && strings.TrimSpace(content[c.start-1:c.end-1]) != "" {
			c.in.count(&seg)
			if seg.Count > most {
				most, at = seg.Count, c
			}
		}
		v.addParts(&seg, content, tokens, c)
		v.Segments = append(v.Segments, seg)
	}
	if most < 0 {
		return
	}
	f := at.in.f
	v.Count, v.Heat = at.in.edges.Block(at.block, most), heat(most, hottest)
	v.In, v.At = f, at.line
	if most == 0 && !at.in.known[at.block] { // it may have been executed all the same
		v.Count, v.Heat = "", -1
	}
}

// count sets how often a segment was executed.
func (p *painter) count(seg *segment) {
	seg.Count = p.f.Blocks[seg.Block]
	seg.Times = p.edges.Block(seg.Block, seg.Count) + " ×"
	if seg.Unseen = seg.Count == 0 && !p.known[seg.Block]; seg.Unseen {
		seg.Times = "not seen"
	}
}

// addParts divides a segment where conditions begin and end.
func (v *lineView) addParts(seg *segment, content string, tokens []tok, c cut) {
	add := func(start, end int, m mark) {
		if start < end {
			seg.Parts = append(seg.Parts, stretch{m.says, m.hole, texts(content, tokens, start, end)})
		}
	}
	at := c.start
	if c.in != nil {
		for _, m := range c.in.marks[c.line] {
			start, end := max(m.start, at), min(m.end, c.end)
			if m.start >= c.end || start >= end {
				continue
			}
			add(at, start, mark{})
			add(start, end, m)
			if at = end; m.hole && m.start >= c.start {
				v.Missing = append(v.Missing, m.never)
			}
		}
	}
	add(at, c.end, mark{})
}

// cut is a part of a line, in columns.
type cut struct {
	start, end, block int

	in   *painter // of the block
	line int      // in the run
}

// cuts divides a line where blocks and literals begin and end.
func (p *painter) cuts(n int, content string, tokens []tok) []cut {
	blank := len(content) - len(strings.TrimLeft(content, " \t")) + 1 // column of the first other character
	if p.at >= 0 && !p.covered(n, tokens) {
		p.at = -1
	}
	list := []cut{{1, len(content) + 1, p.at, p, n}}
	split := func(col, block int) {
		col = min(max(col, 1), len(content)+1)
		if last := &list[len(list)-1]; col <= last.start || col <= blank && len(list) == 1 {
			last.block = block
			return
		}
		list[len(list)-1].end = col
		list = append(list, cut{col, len(content) + 1, block, p, n})
	}
	for _, b := range p.begins[n] {
		p.at = b.block
		split(b.col, b.block)
	}
	p.cutLiterals(n, content, &list)
	return list
}

// covered tells whether the block that has been reached goes on on line n: up to where the table says, and to the end of a call
// of several lines.
func (p *painter) covered(n int, tokens []tok) bool {
	return n <= p.f.Table.Blocks[p.at].EndLine || len(tokens) > 0 && tokens[0].depth > p.depth
}

// cutLiterals takes what lies in function literals out of a line.
func (p *painter) cutLiterals(n int, content string, list *[]cut) {
	for _, l := range p.literals {
		body := l.Table.Body
		if n < body.Line || n > body.EndLine {
			continue
		}
		start, end := 1, len(content)+1
		if n == body.Line {
			start = min(max(body.Col+1, 1), end) // the brace is f's
		}
		if n == body.EndLine {
			end = min(max(body.EndCol-1, start), end)
		}
		var rest []cut
		for _, c := range *list {
			if c.start < start {
				rest = append(rest, cut{c.start, min(c.end, start), c.block, p, n})
			}
			if a, b := max(c.start, start), min(c.end, end); a < b {
				rest = append(rest, cut{a, b, -1, p, n})
			}
			if c.end > end {
				rest = append(rest, cut{max(c.start, end), c.end, c.block, p, n})
			}
		}
		*list = rest
	}
}

// texts divides columns of a line by kinds of tokens.
func texts(content string, tokens []tok, start, end int) []text {
	var list []text
	add := func(kind string, from, to int) {
		if from, to = max(from, start), min(to, end); from < to {
			list = append(list, text{kind, printable(content[from-1 : to-1])})
		}
	}
	at := start
	for _, t := range tokens {
		kind := kindOf(t.token)
		if kind == "" || t.end <= start || t.start >= end {
			continue
		}
		add("", at, t.start)
		add(kind, t.start, t.end)
		at = t.end
	}
	add("", at, end)
	return list
}

// printable is show.Printable but for tabs, which sources are indented with.
func printable(s string) string {
	parts := strings.Split(s, "\t")
	for i := range parts {
		parts[i] = show.Printable(parts[i])
	}
	return strings.Join(parts, "\t")
}

func kindOf(t token.Token) string {
	switch {
	case t.IsKeyword():
		return "k"
	case t == token.STRING || t == token.CHAR:
		return "s"
	case t == token.COMMENT:
		return "c"
	}
	return ""
}

// heat is a count on a scale of logarithms from 1 to 5, which is the hottest block's; 0 is never.
func heat(count, hottest int64) int {
	if count <= 0 {
		return 0
	}
	if hottest <= 1 {
		return 5
	}
	return 1 + int(math.Round(4*math.Log(float64(count))/math.Log(float64(hottest))))
}
