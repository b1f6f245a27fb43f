package code

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/source"
)

// A place is a line and a column in bytes, both counted from 1.
type place struct{ line, col int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}

// A syntax is what decides in a file, by place. Places are those of the file that was read.
type syntax struct {
	text string
	fset *token.FileSet

	operands []operand // those that contain others before them
	logicals []logical // in source order
	clauses  map[place]*clause
	ranges   map[place]*ast.RangeStmt // by where the body begins
	switches []decider

	around []ast.Node // the node that is visited, the outermost first
}

// An operand is an expression that is tested.
type operand struct {
	start, end place // with parentheses and negations
	expr       ast.Expr
	whole      ast.Expr // condition that it is a part of, nil if there are no others in it
	loop       bool     // it is the whole condition of a for statement
	tested     bool     // of an if statement
	value      *clause  // whose value or condition it is
}

// A clause is one of a switch or select statement.
type clause struct {
	node ast.Node // *ast.CaseClause or *ast.CommClause
	tag  ast.Node // what the switch is of, or nil
}

// A decider is a switch statement with its place.
type decider struct {
	start, end place
	tag        ast.Node
	hasDefault bool
}

// parse returns the syntax of a file, nil if it cannot be parsed.
func parse(file *source.File) *syntax {
	s := &syntax{text: file.Whole, fset: token.NewFileSet(), clauses: make(map[place]*clause), ranges: make(map[place]*ast.RangeStmt)}
	tree, err := parser.ParseFile(s.fset, "", file.Whole, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	known := make(map[ast.Expr]bool) // logical operations within conditions that have been added
	var around []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		s.around = around
		s.visit(n, known)
		around = append(around, n)
		return true
	})
	slices.SortStableFunc(s.logicals, func(a, b logical) int { return cmp.Compare(a.expr.Pos(), b.expr.Pos()) })
	slices.SortStableFunc(s.operands, func(a, b operand) int {
		return cmp.Or(a.start.compare(b.start), b.end.compare(a.end))
	})
	return s
}

func (s *syntax) visit(n ast.Node, known map[ast.Expr]bool) {
	switch n := n.(type) {
	case *ast.IfStmt:
		s.condition(n.Cond, operand{tested: true}, known)
	case *ast.ForStmt:
		if n.Cond != nil {
			s.condition(n.Cond, operand{loop: true}, known)
		}
	case *ast.RangeStmt:
		s.ranges[s.place(n.Body.Lbrace)] = n
		s.ranges[s.place(n.Body.Lbrace+1)] = n
		if len(n.Body.List) > 0 {
			s.ranges[s.place(n.Body.List[0].Pos())] = n
		}
	case *ast.SwitchStmt:
		var tag ast.Node
		if n.Tag != nil {
			tag = n.Tag
		}
		s.switched(n, n.Body, tag, known)
	case *ast.TypeSwitchStmt:
		s.switched(n, n.Body, n.Assign, known)
	case *ast.SelectStmt:
		s.switched(n, n.Body, n, known)
	case *ast.BinaryExpr:
		if isLogical(n) && !known[n] {
			s.condition(n, operand{}, known)
		}
	}
}

// switched adds the clauses of a switch or select statement.
func (s *syntax) switched(n ast.Node, body *ast.BlockStmt, tag ast.Node, known map[ast.Expr]bool) {
	d := decider{start: s.place(n.Pos()), end: s.place(n.End()), tag: tag}
	for _, stmt := range body.List {
		c := &clause{node: stmt, tag: tag}
		var colon token.Pos
		var list []ast.Stmt
		switch stmt := stmt.(type) {
		case *ast.CaseClause:
			colon, list = stmt.Colon, stmt.Body
			d.hasDefault = d.hasDefault || stmt.List == nil
			for _, e := range stmt.List {
				if tag == nil {
					s.condition(e, operand{value: c}, known)
				} else {
					s.add(operand{expr: e, value: c})
				}
			}
		case *ast.CommClause:
			colon, list = stmt.Colon, stmt.Body
			d.hasDefault = d.hasDefault || stmt.Comm == nil
		}
		s.clauses[s.place(colon)], s.clauses[s.place(colon+1)] = c, c
		if len(list) > 0 {
			s.clauses[s.place(list[0].Pos())] = c
		}
	}
	s.switches = append(s.switches, d)
}

// condition adds the operands of a condition. What is said of all of it is not said of a part.
func (s *syntax) condition(e ast.Expr, of operand, known map[ast.Expr]bool) {
	if x := bare(e); isLogical(x) {
		logical := x.(*ast.BinaryExpr)
		known[x] = true
		if of.whole == nil {
			of.whole = e
			s.addLogical(e, &of)
		}
		of.loop, of.tested, of.value = false, false, nil
		s.condition(logical.X, of, known)
		s.condition(logical.Y, of, known)
		return
	}
	of.expr = e
	s.add(of)
}

// bare returns an expression without parentheses and negations around it: a condition is counted without.
func bare(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				e = x.X
				continue
			}
		}
		return e
	}
}

func (s *syntax) add(o operand) {
	o.start, o.end = s.place(o.expr.Pos()), s.place(o.expr.End())
	o.loop = o.loop && bare(o.expr) == o.expr // for a negated one, true is the end
	o.expr = bare(o.expr)
	s.operands = append(s.operands, o)
}

func isLogical(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && (b.Op == token.LAND || b.Op == token.LOR)
}

func (s *syntax) place(pos token.Pos) place {
	p := s.fset.PositionFor(pos, false)
	return place{p.Line, p.Column}
}

// operandAt returns the innermost operand at a place, or nil.
func (s *syntax) operandAt(at place) *operand {
	i, _ := slices.BinarySearchFunc(s.operands, at, func(o operand, at place) int {
		if o.start.compare(at) <= 0 {
			return -1
		}
		return 1
	})
	for i--; i >= 0; i-- {
		if o := &s.operands[i]; at.compare(o.end) < 0 {
			return o
		}
	}
	return nil
}

// switchAt returns the innermost switch or select statement around a place, or nil.
func (s *syntax) switchAt(at place) (found *decider) {
	for i := range s.switches {
		if d := &s.switches[i]; d.start.compare(at) <= 0 && at.compare(d.end) < 0 {
			found = d // inner ones come later
		}
	}
	return found
}

// textOf returns the source of a node on one line. Bodies of function literals are left out.
func (s *syntax) textOf(n ast.Node) string {
	return oneLine(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// exactText returns what tells an expression from others: its tokens, whatever is between them. Each has a NUL behind it.
func (s *syntax) exactText(e ast.Expr) string {
	src := []byte(s.text[s.offset(e.Pos()):s.offset(e.End())])
	var tokens scanner.Scanner
	tokens.Init(token.NewFileSet().AddFile("", -1, len(src)), src, nil, 0)
	var b strings.Builder
	for {
		_, tok, text := tokens.Scan()
		switch {
		case tok == token.EOF:
			return b.String()
		case tok == token.SEMICOLON && text == "\n": // the scanner's own, at the end
			continue
		case text == "":
			text = tok.String()
		}
		b.WriteString(text + "\x00")
	}
}

func (s *syntax) offset(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }

// oneLine returns a text without line ends and what is around them.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i > 0 {
			l = strings.TrimLeft(l, " \t")
		}
		if comment := strings.Index(l, "//"); comment >= 0 && i < len(lines)-1 && !strings.ContainsAny(l, "\"`'") {
			l = l[:comment]
		}
		if i < len(lines)-1 {
			l = strings.TrimRight(l, " \t\r")
		}
		lines[i] = l
	}
	var b strings.Builder
	for i, l := range lines {
		if before := b.String(); i > 0 && l != "" && !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, "{") && l[0] != ')' {
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return strings.ReplaceAll(b.String(), "\t", " ")
}
