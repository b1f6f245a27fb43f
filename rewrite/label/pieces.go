package label

import (
	"go/ast"
	"go/token"
	"regexp"
	"sort"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// A cut is where a piece begins: it goes on to the next cut.
type cut struct {
	offset int
	label  int // -1 outside functions
}

// A cutter divides the functions of a file into pieces.
type cutter struct {
	file   *token.File
	layout *layout
	names  map[int]string // of functions, by the offset of where they begin
	labels []Label
	cuts   []cut

	function string // "" outside functions
	running  bool   // the last piece is a run of statements, which goes on
}

// divide divides the functions that are declared in a file.
func (c *cutter) divide(f *ast.File) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil && !goesOn(decl, f.Comments) {
				c.body(decl, decl.Body, "")
			}
		case *ast.GenDecl:
			c.literals(decl, "")
		}
	}
	for i := range c.cuts {
		if k := c.cuts[i].label; k >= 0 {
			c.labels[k].To = c.cuts[i+1].offset // at least that behind the function
		}
	}
}

// body divides a function. Behind it begins a piece of the given kind of what it is in.
func (c *cutter) body(fn ast.Node, body *ast.BlockStmt, outer Kind) {
	function := c.function
	c.function = c.names[c.file.Offset(fn.Pos())]
	c.list(body.List)
	if end, ok := c.end(fn, body); ok {
		c.cut(end, End)
	}
	c.function = function
	c.cut(body.End(), outer)
}

// end returns where the last piece of a function begins, which is at its closing brace. The last comment in an example says
// what it prints, and that must not be ours. There the piece begins behind the last statement, or nowhere, if the comment
// stands on the same line.
func (c *cutter) end(fn ast.Node, body *ast.BlockStmt) (pos token.Pos, ok bool) {
	decl, ok := fn.(*ast.FuncDecl)
	if !ok || !isExample(decl) {
		return body.Rbrace, true
	}
	after, comment := c.layout.before(c.file.Offset(body.Rbrace))
	return c.file.Pos(after), !comment
}

func isExample(decl *ast.FuncDecl) bool { return strings.HasPrefix(decl.Name.Name, "Example") }

// output begins the comment that says what an example prints, as package go/doc has it.
var output = regexp.MustCompile(`(?i)^[[:space:]]*(unordered )?output:`)

// goesOn reports whether statements follow the comment that says what an example prints. A directive there would be the last
// comment, and the example would not be run. So the function has no labels.
func goesOn(decl *ast.FuncDecl, comments []*ast.CommentGroup) bool {
	if !isExample(decl) || len(decl.Body.List) == 0 {
		return false
	}
	i := sort.Search(len(comments), func(i int) bool { return comments[i].Pos() >= decl.Body.Rbrace })
	if i == 0 {
		return false
	}
	comment, last := comments[i-1], decl.Body.List[len(decl.Body.List)-1]
	return comment.Pos() > decl.Body.Lbrace && comment.Pos() < last.End() && output.MatchString(comment.Text())
}

// cut has a piece begin at a position. What would have begun there before has no source.
func (c *cutter) cut(pos token.Pos, kind Kind) {
	at := cut{c.file.Offset(pos), -1}
	if n := len(c.cuts); n > 0 && c.cuts[n-1].offset == at.offset {
		if c.cuts[n-1].label >= 0 {
			c.labels = c.labels[:len(c.labels)-1]
		}
		c.cuts = c.cuts[:n-1]
	}
	if c.function != "" {
		at.label = len(c.labels)
		c.labels = append(c.labels, Label{Function: c.function, Kind: kind, From: at.offset})
	}
	c.cuts = append(c.cuts, at)
	c.running = kind == Run
}

// list divides a statement list.
func (c *cutter) list(stmts []ast.Stmt) {
	c.running = false
	for _, s := range stmts {
		c.stmt(s)
	}
	c.running = false
}

// stmt divides a statement.
func (c *cutter) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		c.cut(s.Pos(), Run)
		c.running = false
		c.stmt(s.Stmt)
	case *ast.BlockStmt:
		c.list(s.List)
	case *ast.IfStmt:
		c.cut(s.If, If)
		c.simple(s.Init, Init)
		c.condition(s.Cond, s.Cond.Pos(), Cond)
		c.list(s.Body.List)
		if s.Else != nil {
			c.stmt(s.Else)
		}
	case *ast.ForStmt:
		c.cut(s.For, For)
		c.simple(s.Init, Init)
		if s.Cond != nil {
			c.condition(s.Cond, s.Cond.Pos(), Cond)
		}
		c.simple(s.Post, Post)
		c.list(s.Body.List)
	case *ast.RangeStmt:
		c.rangeStmt(s)
	case *ast.SwitchStmt:
		c.cut(s.Switch, Switch)
		c.simple(s.Init, Init)
		if s.Tag != nil {
			c.whole(s.Tag, Tag)
		}
		c.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		c.cut(s.Switch, Switch)
		c.simple(s.Init, Init)
		if assign, ok := s.Assign.(*ast.AssignStmt); ok {
			c.cut(assign.Pos(), Key) // each clause has a variable of its own
			c.whole(assign.Rhs[0], Tag)
		} else {
			c.simple(s.Assign, Tag)
		}
		c.clauses(s.Body)
	case *ast.SelectStmt:
		c.cut(s.Select, Select)
		c.comms(s.Body)
	case *ast.ReturnStmt:
		c.whole(s, Return)
	case *ast.BranchStmt:
		c.cut(s.Pos(), Jump)
	case *ast.EmptyStmt:
	default:
		c.simple(s, Run)
	}
	if _, labelled := s.(*ast.LabeledStmt); labelled || panics(s) {
		c.running = false
	}
}

// panics reports whether a statement is a call of panic, behind which control does not come.
func panics(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(x.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "panic"
}

func (c *cutter) rangeStmt(s *ast.RangeStmt) {
	c.cut(s.For, For)
	if s.Key != nil {
		c.whole(s.Key, Key)
		if s.Value != nil {
			c.literals(s.Value, Key)
		}
		c.cut(s.TokPos, Range)
	} else {
		c.cut(s.Range, Range)
	}
	c.whole(s.X, Over)
	c.list(s.Body.List)
}

// clauses divides the clauses of a switch.
func (c *cutter) clauses(body *ast.BlockStmt) {
	for _, s := range body.List {
		clause := s.(*ast.CaseClause)
		c.cut(clause.Case, Case)
		for _, e := range clause.List {
			c.condition(e, e.Pos(), Value)
		}
		c.list(clause.Body)
	}
}

// comms divides the clauses of a select.
func (c *cutter) comms(body *ast.BlockStmt) {
	for _, s := range body.List {
		clause := s.(*ast.CommClause)
		c.cut(clause.Case, Case)
		c.simple(clause.Comm, Comm)
		c.list(clause.Body)
	}
}

// simple divides a statement without statements in it, which may be nil. It may be part of the run that the last one is of.
func (c *cutter) simple(s ast.Stmt, kind Kind) {
	switch {
	case s == nil:
	case kind == Run && c.running && !branches(s) && !panics(s):
		c.literals(s, kind)
	default:
		c.whole(s, kind)
	}
}

// whole divides a statement or an expression that is evaluated as a whole, if there are no branches in it.
func (c *cutter) whole(n ast.Node, kind Kind) {
	if branches(n) {
		c.everyToken(n, n.Pos())
		return
	}
	c.cut(n.Pos(), kind)
	c.literals(n, kind)
}

// condition divides an expression whose branches are those of a statement. It may also be a part of one that begins at
// from, where there are parentheses and negations.
func (c *cutter) condition(e ast.Expr, from token.Pos, kind Kind) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		c.condition(x.X, from, kind)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			c.condition(x.X, from, kind)
			return
		}
	case *ast.BinaryExpr:
		if mark.IsLogical(x) {
			c.condition(x.X, from, kind)
			c.cut(x.OpPos, Operator)
			c.condition(x.Y, x.Y.Pos(), kind)
			return
		}
	}
	if branches(e) {
		c.everyToken(e, from)
		return
	}
	c.cut(from, kind)
	c.literals(e, kind)
}

// everyToken makes a piece of each token from a position up to the end of n, but for those in the bodies of function literals.
func (c *cutter) everyToken(n ast.Node, from token.Pos) {
	tokens := c.layout.tokens
	i := sort.Search(len(tokens), func(i int) bool { return tokens[i].offset >= c.file.Offset(from) })
	upTo := func(end token.Pos) {
		for ; i < len(tokens) && tokens[i].offset < c.file.Offset(end); i++ {
			kind := Token
			if tokens[i].tok == token.LAND || tokens[i].tok == token.LOR {
				kind = Operator
			}
			c.cut(c.file.Pos(tokens[i].offset), kind)
		}
	}
	eachLiteral(n, func(lit *ast.FuncLit) {
		upTo(lit.Body.Lbrace)
		c.body(lit, lit.Body, Token)
		for i < len(tokens) && tokens[i].offset < c.file.Offset(lit.End()) {
			i++
		}
	})
	upTo(n.End())
}

// literals divides the function literals in n, which is of the given kind.
func (c *cutter) literals(n ast.Node, kind Kind) {
	eachLiteral(n, func(lit *ast.FuncLit) {
		c.body(lit, lit.Body, kind)
		c.running = false // package mark has a place behind the statement
	})
}

// eachLiteral calls do with the function literals in n that are not in others.
func eachLiteral(n ast.Node, do func(*ast.FuncLit)) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			do(lit)
		}
		return !ok
	})
}

// branches reports whether there are && or || in n, outside of function literals.
func branches(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && mark.IsLogical(b) {
			found = true
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}
