package mark

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// A Package marks the files of one package, so that numbers and names
// of functions are unique in it.
type Package struct {
	Places []*Place // indexed by number

	Gaps Gaps // a run of statements also starts at statements that begin with one of these

	names names
}

// File inserts markers into the syntax tree f, and returns what it found.
// The tree is changed in place, its positions are not.
func (p *Package) File(f *ast.File) *File {
	file := &File{Syntax: f}
	w := &walker{pkg: p, file: file, counted: make(map[ast.Stmt]int)}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil {
				w.function(decl, decl.Body, p.names.declared(decl), decl.Name.Name == "_")
			}
		case *ast.GenDecl:
			w.values(decl)
		}
	}
	if len(file.Funcs) == 0 {
		return file
	}
	spec := importSpec(f.Name.End())
	f.Imports = append(f.Imports, spec)
	f.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, TokPos: spec.Pos(), Specs: []ast.Spec{spec}}}, f.Decls...)
	return file
}

// A walker goes through one file.
type walker struct {
	pkg   *Package
	file  *File
	fn    *Func // nil outside functions
	lits  *int  // number of literals so far in the function that numbers them
	order int

	counted map[ast.Stmt]int // statements in the run that starts with one, as Go's coverage has it
}

// place registers a place and returns it.
func (w *walker) place(kind PlaceKind, pos token.Pos) *Place {
	p := &Place{ID: len(w.pkg.Places), Kind: kind, Func: w.fn, Pos: pos, Order: w.next()}
	w.pkg.Places = append(w.pkg.Places, p)
	return p
}

func (w *walker) next() int {
	w.order++
	return w.order
}

func (w *walker) function(node ast.Node, body *ast.BlockStmt, name string, blank bool) {
	outer := *w
	w.fn = &Func{Node: node, Outer: w.fn, Name: name, Untyped: name, Body: body, Blank: blank}
	w.lits = new(int)
	w.file.Funcs = append(w.file.Funcs, w.fn)
	at := len(w.pkg.Places)
	body.List = w.list(body.List, body.Lbrace+1, body.Rbrace, NoRole)
	w.fn.Opened = w.pkg.Places[at]
	w.fn, w.lits = outer.fn, outer.lits
}

func (w *walker) literal(lit *ast.FuncLit) {
	if w.fn == nil {
		w.function(lit, lit.Body, w.pkg.names.global(), false)
		return
	}
	*w.lits++
	w.function(lit, lit.Body, LiteralName(w.fn.Name, w.fn.Node, *w.lits), w.fn.Blank)
}

// list marks a statement list that starts at open, behind a brace or colon, and ends before end.
func (w *walker) list(stmts []ast.Stmt, open, end token.Pos, role Role) []ast.Stmt {
	w.count(stmts, open, role)
	first := w.place(Stmt, open)
	first.Role = role
	first.From, first.To = open-1, end
	if len(stmts) > 0 {
		first.From, first.To = stmts[0].Pos(), runEnd(stmts)
		first.Stmts = w.counted[stmts[0]]
	}
	// Asked of the statements before they are changed.
	var last ast.Stmt
	var lastEnd token.Pos
	var empty []ast.Stmt // behind a statement that ends control, where no code may be
	if n := len(withoutEmpty(stmts)); n > 0 && endsControl(stmts[n-1]) {
		stmts, empty = stmts[:n], stmts[n:]
	} else if n := len(stmts); n > 0 {
		last, lastEnd = stmts[n-1], stmts[n-1].End()
	}
	out := []ast.Stmt{stmtMarker(open, first.ID)}
	for i, s := range stmts {
		if i > 0 && (startsRun(stmts[i-1], s) || w.pkg.Gaps[s.Pos()]) {
			p := w.place(Stmt, s.Pos())
			p.From, p.To = s.Pos(), runEnd(stmts[i:])
			p.Stmts = w.counted[s]
			out = append(out, stmtMarker(s.Pos(), p.ID))
		}
		out = append(out, w.stmt(s)...)
	}
	if last != nil {
		p := w.place(After, lastEnd)
		out = append(out, stmtMarker(lastEnd, p.ID))
	}
	return append(out, empty...)
}

// stmt marks what is inside s and returns the statements that s becomes.
func (w *walker) stmt(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return w.labeled(s)
	case *ast.BlockStmt:
		s.List = w.list(s.List, s.Lbrace+1, s.Rbrace, NoRole)
	case *ast.IfStmt:
		w.ifStmt(s)
	case *ast.ForStmt:
		c := condition(s)
		w.simple(s.Init)
		s.Cond = w.expr(s.Cond)
		w.post(s.Post)
		s.Body.List = w.list(s.Body.List, s.Body.Lbrace+1, s.Body.Rbrace, NoRole)
		w.deciding(c, s.Cond)
	case *ast.RangeStmt:
		s.Key, s.Value, s.X = w.expr(s.Key), w.expr(s.Value), w.expr(s.X)
		body := len(w.pkg.Places)
		s.Body.List = w.list(s.Body.List, s.Body.Lbrace+1, s.Body.Rbrace, NoRole)
		w.pkg.Places[body].Header = s
	case *ast.SwitchStmt:
		w.simple(s.Init)
		s.Tag = w.expr(s.Tag)
		w.clauses(s.Body, s.Tag == nil)
		w.separate(s.Body)
	case *ast.TypeSwitchStmt:
		w.simple(s.Init)
		w.simple(s.Assign)
		w.clauses(s.Body, false)
	case *ast.SelectStmt:
		w.comms(s.Body)
	case *ast.ReturnStmt:
		w.returnStmt(s)
	default:
		w.simple(s)
	}
	return []ast.Stmt{s}
}

// labeled moves the labelled statement behind a marker of its own, if the label is only a target of goto.
func (w *walker) labeled(s *ast.LabeledStmt) []ast.Stmt {
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		w.stmt(s.Stmt)
		return []ast.Stmt{s}
	}
	inner := s.Stmt
	p := w.place(Stmt, inner.Pos())
	p.From, p.To = inner.Pos(), runEnd([]ast.Stmt{inner})
	p.Stmts = w.counted[inner]
	s.Stmt = stmtMarker(inner.Pos(), p.ID)
	return append([]ast.Stmt{s}, w.stmt(inner)...)
}

func (w *walker) ifStmt(s *ast.IfStmt) {
	c := condition(s)
	w.simple(s.Init)
	s.Cond = w.expr(s.Cond)
	s.Body.List = w.list(s.Body.List, s.Body.Lbrace+1, s.Body.Rbrace, NoRole)
	switch e := s.Else.(type) {
	case nil:
		p := w.place(Else, s.Body.End())
		p.Condition, c.Else = c, p
		s.Else = blockOf(stmtMarker(p.Pos, p.ID))
	case *ast.BlockStmt:
		w.stmt(e)
	case *ast.IfStmt:
		p := w.place(Wrapped, e.Pos())
		p.From, p.To = e.Pos(), runEnd([]ast.Stmt{e})
		p.End = e.End()
		p.Stmts = 1
		w.ifStmt(e)
		p.EndOrder = w.next()
		s.Else = blockOf(stmtMarker(p.Pos, p.ID), e)
	}
	w.deciding(c, s.Cond)
	c.EndOrder = w.next()
}

func (w *walker) comms(body *ast.BlockStmt) {
	for _, s := range body.List {
		c := s.(*ast.CommClause)
		role := CommBody
		if c.Comm == nil {
			role = DefaultBody
		}
		w.simple(c.Comm)
		c.Body = w.list(c.Body, c.Colon+1, c.Colon+1, role)
	}
}

// returnStmt marks the results of s. Where there are branches in them, a path can only be counted after these.
func (w *walker) returnStmt(s *ast.ReturnStmt) {
	results := func(visit astutil.ApplyFunc) {
		for i := range s.Results {
			s.Results[i] = astutil.Apply(s.Results[i], visit, nil).(ast.Expr)
		}
	}
	w.ending(lastLogical(s), results)
}

// post marks the post statement of a loop. Where there are branches in it, a path that ends as the loop goes round can only
// be counted after these.
func (w *walker) post(s ast.Stmt) {
	if s != nil {
		w.ending(lastLogical(s), func(visit astutil.ApplyFunc) { astutil.Apply(s, visit, nil) })
	}
}

// ending marks expressions that paths end behind: apply has all of them visited. If there are logical operations in them, there
// are two places. One is where the last operation that is evaluated is true, the other where it is false.
func (w *walker) ending(last *ast.BinaryExpr, apply func(visit astutil.ApplyFunc)) {
	if last == nil {
		apply(w.visit)
		return
	}
	f, t := w.place(False, last.Pos()), w.place(True, last.Pos())
	apply(w.visit)
	for _, p := range []*Place{t, f} {
		p.End, p.EndOrder, p.Operands = last.End(), w.next(), []ast.Expr{last}
	}
	apply(func(c *astutil.Cursor) bool {
		if c.Node() != last {
			return true
		}
		c.Replace(&ast.BinaryExpr{
			X:  &ast.BinaryExpr{X: last, OpPos: t.End, Op: token.LAND, Y: exprMarker(t.End, t.ID)},
			Op: token.LOR, OpPos: f.End,
			Y: falseMarker(f.End, f.ID),
		})
		return false
	})
}

// simple marks the expressions in a statement that has no statements of its own.
func (w *walker) simple(s ast.Stmt) {
	if s == nil {
		return
	}
	if d, ok := s.(*ast.DeclStmt); ok {
		w.values(d.Decl.(*ast.GenDecl))
		return
	}
	astutil.Apply(s, w.visit, nil)
}

// values marks the initial values of a variable declaration; constants and types have nothing to mark.
func (w *walker) values(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for i := range v.Values {
			v.Values[i] = w.expr(v.Values[i])
		}
	}
}

func (w *walker) expr(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	return astutil.Apply(e, w.visit, nil).(ast.Expr)
}

// visit marks function literals and the second operands of logical operations.
func (w *walker) visit(c *astutil.Cursor) bool {
	switch n := c.Node().(type) {
	case *ast.FuncLit:
		w.literal(n)
		return false
	case *ast.BinaryExpr:
		if w.fn == nil || !IsLogical(n) {
			return true // outside functions nothing is counted
		}
		n.X = w.expr(n.X)
		p := w.place(Expr, n.Y.Pos())
		p.Operands = []ast.Expr{n.X, n.Y}
		first := firstOperand(n.Y)
		p.From, p.To = first.Pos(), first.End()
		n.Y = &ast.BinaryExpr{X: exprMarker(p.Pos, p.ID), OpPos: p.Pos, Op: token.LAND, Y: w.expr(n.Y)}
		return false
	}
	return true
}

func blockOf(list ...ast.Stmt) *ast.BlockStmt {
	pos := list[0].Pos()
	return &ast.BlockStmt{Lbrace: pos, List: list, Rbrace: pos}
}
