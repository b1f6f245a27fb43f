package ignore

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strings"
)

// directive is the comment that takes code out of gates.
const directive = "goprofinstr:ignore"

// A Place is a line and a column, both from 1.
type Place struct{ Line, Col int }

func (p Place) before(q Place) bool { return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col }

// A span is all from one place to another, without that.
type span struct{ from, to Place }

func (s span) has(p Place) bool { return !p.before(s.from) && p.before(s.to) }

func (s span) isLine() bool { return s.from.Line == s.to.Line }

// Directives are what a file says about itself.
type Directives struct {
	generated  bool
	all        bool // of the file
	spans      []span
	faults     []Fault
	statements []Place
	bodies     []span // of functions; those of literals come behind those that they are in
}

// A Fault is a directive that is not honoured.
type Fault struct {
	Line int
	Why  string
}

// read returns the directives of a file; nil if it has none.
func read(text string) *Directives {
	if !strings.Contains(text, directive) && !strings.Contains(text, "Code generated") {
		return nil
	}
	r := &reader{fset: token.NewFileSet(), lines: strings.Split(text, "\n"), Directives: new(Directives)}
	file, err := parser.ParseFile(r.fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // its functions are not found either
	}
	r.generated = ast.IsGenerated(file)
	ast.Inspect(file, r.visit)
	for _, group := range file.Comments {
		for _, c := range group.List {
			r.comment(file, group, c)
		}
	}
	return r.Directives
}

// reader reads the directives of a file.
type reader struct {
	*Directives
	fset      *token.FileSet
	lines     []string
	blocks    []span // in the order of their beginnings, by which an outer one comes first
	functions map[*ast.CommentGroup]span
}

func (r *reader) place(pos token.Pos) Place {
	p := r.fset.PositionFor(pos, false)
	return Place{p.Line, p.Column}
}

// visit notes where blocks, functions and statements are.
func (r *reader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		r.body(n.Body)
	case *ast.FuncDecl:
		if n.Body != nil {
			r.body(n.Body)
		}
		if n.Doc != nil {
			if r.functions == nil {
				r.functions = make(map[*ast.CommentGroup]span)
			}
			r.functions[n.Doc] = span{r.place(n.Pos()), r.place(n.End())}
		}
	case *ast.BlockStmt:
		r.block(n.Lbrace, n.End(), n.List)
	case *ast.CaseClause:
		r.block(n.Colon, n.End(), n.Body)
	case *ast.CommClause:
		r.block(n.Colon, n.End(), n.Body)
	}
	return true
}

func (r *reader) body(b *ast.BlockStmt) {
	r.bodies = append(r.bodies, span{r.place(b.Lbrace), r.place(b.End())})
}

func (r *reader) block(from, to token.Pos, list []ast.Stmt) {
	r.blocks = append(r.blocks, span{r.place(from), r.place(to)})
	for _, s := range list {
		r.statements = append(r.statements, r.place(s.Pos()))
	}
}

// comment takes what a comment says.
func (r *reader) comment(file *ast.File, group *ast.CommentGroup, c *ast.Comment) {
	text, isLine := strings.CutPrefix(c.Text, "//")
	rest, isDirective := strings.CutPrefix(strings.TrimLeft(text, " \t"), directive)
	if !isLine || !isDirective || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return
	}
	at := r.place(c.Pos())
	switch reason := strings.TrimSpace(rest); {
	case !strings.HasPrefix(text, directive):
		r.fault(at, "has a space behind the slashes")
	case reason == "":
		r.fault(at, "has no reason")
	case c.Pos() < file.Package:
		r.all = true
	default:
		r.spans = append(r.spans, r.spanOf(group, at))
	}
}

func (r *reader) fault(at Place, why string) {
	r.faults = append(r.faults, Fault{at.Line, fmt.Sprintf("//%s %s", directive, why)})
}

// spanOf returns what a directive is about that stands in a group of comments.
func (r *reader) spanOf(group *ast.CommentGroup, at Place) span {
	if f, ok := r.functions[group]; ok {
		return f
	}
	before := r.lines[at.Line-1][:at.Col-1]
	if strings.TrimSpace(before) == "" {
		return line(r.place(group.End()).Line + 1)
	}
	found := line(at.Line)
	for _, b := range r.blocks {
		if b.from.Line == at.Line && b.from.before(at) && b.to.Line > at.Line && r.isLast(b.from, at) {
			found = b
		}
	}
	return found
}

// isLast reports whether nothing stands between a brace, or a colon, and a comment.
func (r *reader) isLast(brace, comment Place) bool {
	return strings.TrimSpace(r.lines[brace.Line-1][brace.Col:comment.Col-1]) == ""
}

func line(n int) span { return span{Place{n, 0}, Place{n, math.MaxInt}} }
