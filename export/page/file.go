package page

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// file is a source file with its coverage.
type file struct {
	ID        string // in addresses: the import path of its package, and its name
	Name      string // as tables have it
	Package   *pkg
	Coverage  profile.Coverage
	Functions []*function // in source order
}

// addFiles finds the files of a package. Two with one name have more of their paths in addresses.
func (s *Site) addFiles(p *pkg) {
	known := make(map[string]*file)
	for _, f := range p.Functions {
		at := known[f.Table.File]
		if at == nil {
			at = &file{ID: p.Path + "/" + path.Base(f.Table.File), Name: f.Table.File, Package: p}
			if s.fileByID[at.ID] != nil {
				at.ID = p.Path + "/" + strings.TrimPrefix(f.Table.File, "/")
			}
			known[at.Name], s.fileByID[at.ID] = at, at
			p.Files = append(p.Files, at)
		}
		at.Functions = append(at.Functions, f)
		f.File = at
	}
	for _, at := range p.Files {
		at.Coverage = (&profile.Package{Functions: at.profiled()}).Coverage()
		slices.SortStableFunc(at.Functions, func(a, b *function) int { return cmp.Compare(a.Table.Line, b.Table.Line) })
	}
	slices.SortFunc(p.Files, func(a, b *file) int { return cmp.Compare(a.Name, b.Name) })
	s.files = append(s.files, p.Files...)
}

// profiled returns the functions of a file as the profile has them.
func (at *file) profiled() []*profile.Function {
	var list []*profile.Function
	for _, f := range at.Functions {
		list = append(list, f.Function)
	}
	return list
}

// Base is the name of a file without its folder.
func (at *file) Base() string { return show.Printable(path.Base(at.Name)) }

// fileURL is the address of the page of a file.
func fileURL(at *file) string { return (&url.URL{Path: "/s/" + at.ID}).String() }

// fileView is the page of a file.
type fileView struct {
	*file
	Shares []share
	Notes  []string // which functions have no counts here
	NoFile string   // why there is no source
	Lines  []lineView
}

// newFileView returns the page of a file: all of it as it is now, with the counts of the functions that are still in it.
func (s *Site) newFileView(at *file) *fileView {
	v := &fileView{file: at, Shares: shares(at.profiled(), at.Coverage)}
	whole, err := s.texts.Files.Whole(at.Functions[0].Function)
	if err != nil {
		v.NoFile = err.Error()
		return v
	}
	a := &artist{site: s, lines: make([][]strip, len(whole.Lines)+1), tokens: make(map[*source.File][][]tok)}
	for _, f := range at.Functions {
		if err := a.add(f); err != nil {
			v.Notes = append(v.Notes, err.Error())
		} else if text := s.texts.Of(f.Function); text.Edited() {
			v.Notes = append(v.Notes, text.Changed())
		}
	}
	tokens := a.scan(whole)
	for i, content := range whole.Lines {
		v.Lines = append(v.Lines, a.line(i+1, content, tokens[i+1]))
	}
	if n := len(v.Lines); n > 0 && whole.Lines[n-1] == "" { // behind the last line's end
		v.Lines = v.Lines[:n-1]
	}
	return v
}

// artist paints the functions of a file.
type artist struct {
	site    *Site
	lines   [][]strip // by number, as they are now
	tokens  map[*source.File][][]tok
	hottest int64
}

// strip is what a function has on a line.
type strip struct {
	in     *painter
	line   int // in the run
	cuts   []cut
	begins *function // nil if none does
}

// scan returns the tokens of a file.
func (a *artist) scan(f *source.File) [][]tok {
	if a.tokens[f] == nil {
		a.tokens[f] = scan(f, len(f.Lines))
	}
	return a.tokens[f]
}

// add adds what is in the blocks of a function. The error says why nothing is.
func (a *artist) add(f *function) error {
	src, err := a.site.texts.Files.Function(f.Function)
	if err != nil {
		return err
	}
	tokens := a.scan(src)
	p := newPainter(a.site, f, src, tokens)
	a.hottest = max(a.hottest, p.hottest)
	for n := f.Table.Line; n <= f.Table.EndLine; n++ {
		now := src.Now(n)
		if src.Edited && now == 0 {
			p.cuts(n, "", nil) // a block may begin here
			continue
		}
		if now < 1 || now >= len(a.lines) {
			continue
		}
		one := strip{in: p, line: n}
		if n == f.Table.Line {
			one.begins = f
		}
		for _, c := range p.cuts(n, src.Lines[n-1], tokens[n]) {
			if c.block >= 0 {
				one.cuts = append(one.cuts, c)
			}
		}
		a.lines[now] = append(a.lines[now], one)
	}
	return nil
}

// line paints a line with all that functions have on it. A function has nothing in the literals within it.
func (a *artist) line(n int, content string, tokens []tok) lineView {
	v := lineView{Number: n, Heat: -1}
	var own []cut
	for _, one := range a.lines[n] {
		own = append(own, one.cuts...)
		if v.Literal == nil {
			v.Literal = one.begins
		}
	}
	slices.SortStableFunc(own, func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	var all []cut
	at := 1
	for _, c := range own {
		if c.start = max(c.start, at); c.start >= c.end {
			continue
		}
		if at < c.start {
			all = append(all, a.gap(n, at, c.start))
		}
		all, at = append(all, c), c.end
	}
	if at <= len(content) || at == 1 {
		all = append(all, a.gap(n, at, len(content)+1))
	}
	v.paint(content, tokens, all, a.hottest)
	return v
}

// gap returns what no block is in. There may be conditions: the value of a case may be tested in a block that begins
// elsewhere.
func (a *artist) gap(n, start, end int) cut {
	c := cut{start: start, end: end, block: -1}
	for _, s := range a.lines[n] {
		if slices.ContainsFunc(s.in.marks[s.line], func(m mark) bool { return m.start < end && m.end > start }) {
			c.in, c.line = s.in, s.line
		}
	}
	return c
}

// throughView is the paths through a line.
type throughView struct {
	Function *function
	Line     int
	Paths    []hotPath
	All      int
}

// maxThrough is how many paths through a line are shown below it. The page of the function has all.
const maxThrough = 10

// newThroughView returns the paths of f through a line of the run, those of the highest flow first.
func (s *Site) newThroughView(f *function, line int) *throughView {
	v := &throughView{Function: f, Line: line}
	here := s.blocksOn(f, line)
	for _, p := range f.hottest() {
		through := here[p.Start] || slices.ContainsFunc(p.Edges, func(e int) bool { return here[f.Table.Edges[e].To] })
		if !through {
			continue
		}
		if v.All++; v.All <= maxThrough {
			v.Paths = append(v.Paths, s.newHotPath(f, p))
		}
	}
	return v
}

// blocksOn returns the blocks of which there is a part on a line of the run.
func (s *Site) blocksOn(f *function, line int) map[int]bool {
	here := make(map[int]bool)
	file, err := s.texts.Files.Function(f.Function)
	if err != nil || f.Declined() {
		return here
	}
	tokens := scan(file, f.Table.EndLine)
	p := newPainter(s, f, file, tokens)
	for n := f.Table.Line; n <= min(line, f.Table.EndLine); n++ {
		content := file.Lines[n-1]
		for _, c := range p.cuts(n, content, tokens[n]) {
			if n == line && c.block >= 0 && strings.TrimSpace(content[c.start-1:c.end-1]) != "" {
				here[c.block] = true
			}
		}
	}
	return here
}
