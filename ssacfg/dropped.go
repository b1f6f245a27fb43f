package ssacfg

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// dropped returns the function literals and range statements of marked files that the compiler drops before it numbers literals.
// It writes no code for branches whose condition is a constant and does not hold, nor behind statements that end control. So has
// cmd/compile/internal/noder/writer.go it, whose functions ifStmt, forStmt, switchStmt, stmts, terminates and staticBool are
// here. Literals in a literal that is dropped are not listed.
//
//	if runtime.GOOS == "windows" {
//		go func() { a() }()        is dropped on other systems,
//	}
//	go func() { b() }()            and this is func1 there
//
// Not handled: labels in literals, which Go 1.26 confuses with labels of the same name around them. Nor, where code is in the
// condition, a list that ends without white space before its brace, which gofmt would put there.
//
// Where code in a condition, or a case that falls through, may have the compiler keep what it drops, dropped returns what
// that is.
func dropped(files []*ast.File, info *types.Info, places []*mark.Place) (map[ast.Node]bool, []Dropped) {
	d := &dropper{info: info, places: places, dropped: make(map[ast.Node]bool), returns: make(map[*ast.BranchStmt]bool)}
	for _, f := range files {
		ast.PreorderStack(f, nil, d.findReturns)
		ast.Inspect(f, d.visit)
	}
	return d.dropped, d.lists
}

// Dropped is what the compiler drops with function literals in it, by what it sees in a condition: a list of statements, the if
// statement of an else-if, or an operand. Where code stands in the condition, the compiler can no longer see it.
type Dropped struct {
	From, To token.Pos   // of a list
	Through  bool        // a fallthrough stands at To
	Place    *mark.Place // at From: Wrapped of an else-if, Expr of an operand; nil of a list
}

type dropper struct {
	info    *types.Info
	places  []*mark.Place
	dropped map[ast.Node]bool
	lists   []Dropped
	returns map[*ast.BranchStmt]bool // that the compiler makes returns of
}

// findReturns notes a break or continue that ends an iteration over a function. Before it drops anything the compiler makes a
// function of the body of such a loop, and a return of the statement: editBranch in cmd/compile/internal/rangefunc/rewrite.go.
func (d *dropper) findReturns(n ast.Node, stack []ast.Node) bool {
	s, ok := n.(*ast.BranchStmt)
	if !ok || s.Tok != token.BREAK && s.Tok != token.CONTINUE {
		return true
	}
	for i := len(stack) - 1; i > 0; i-- {
		switch n := stack[i].(type) {
		case *ast.FuncLit:
			return true
		case *ast.RangeStmt:
			if rangesOverFunc(n, d.info) {
				d.returns[s] = true
				return true
			}
		}
		if isTarget(s, stack[i-1], stack[i]) {
			return true
		}
	}
	return true
}

func rangesOverFunc(s *ast.RangeStmt, info *types.Info) bool { return isFunc(info.Types[s.X].Type) }

func (d *dropper) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		d.list(n.List, n.Rbrace)
	case *ast.IfStmt:
		switch is := d.static(n.Cond); {
		case is < 0:
			d.dropBlock(n.Cond, n.Body)
		case is > 0:
			d.dropBlock(n.Cond, n.Else)
		}
	case *ast.ForStmt:
		if n.Cond != nil && d.static(n.Cond) < 0 {
			d.drop(n.Post)
			d.dropBlock(n.Cond, n.Body)
		}
	case *ast.SwitchStmt:
		d.bodies(n.Body)
		d.clauses(n)
	case *ast.TypeSwitchStmt:
		d.bodies(n.Body)
	case *ast.SelectStmt:
		d.bodies(n.Body)
	}
	return true
}

// drop drops n, and reports whether there are literals in it, or ranges over functions.
func (d *dropper) drop(n ast.Node) (some bool) {
	if n == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			d.dropped[n], some = true, true
			return false
		case *ast.RangeStmt:
			d.dropped[n] = true
			some = some || rangesOverFunc(n, d.info) // the compiler makes a function of its body
		}
		return true
	})
	return some
}

// dropBlock drops what a condition decides about. It stays so if all of the condition is a constant: no code is in that.
func (d *dropper) dropBlock(cond ast.Expr, s ast.Stmt) {
	some := d.drop(s)
	if b, ok := s.(*ast.BlockStmt); ok && some && d.value(cond) == nil {
		d.keepBlock(b) // in a constant, else ifs are as they were
	}
}

// keepBlock keeps a block that is dropped. Where an if statement stands behind an else, the block around that is the work of
// package mark.
func (d *dropper) keepBlock(b *ast.BlockStmt) {
	if b.Lbrace < b.Rbrace {
		d.lists = append(d.lists, Dropped{From: b.Lbrace + 1, To: b.Rbrace})
		return
	}
	d.keepAt(mark.Wrapped, b.Lbrace)
}

// keepAt keeps what is dropped at a place, which is the only one of its kind there.
func (d *dropper) keepAt(kind mark.PlaceKind, at token.Pos) {
	for _, p := range d.places {
		if p.Kind != kind || p.Pos != at {
			continue
		}
		if one := (Dropped{From: at, Place: p}); !slices.Contains(d.lists, one) {
			d.lists = append(d.lists, one)
		}
	}
}

// dropClause drops a clause that ends at a place. It stays so if no case has several values: code would make several cases of
// these.
func (d *dropper) dropClause(c *ast.CaseClause, end token.Pos, several bool) {
	some := d.drop(c)
	if !some || !several || divided(c) {
		return
	}
	d.keepList(c.Colon+1, c.Body, end)
}

// keepList keeps statements from a place on to the end of the list.
func (d *dropper) keepList(from token.Pos, list []ast.Stmt, end token.Pos) {
	out := Dropped{From: from, To: end}
	if b := through(list); b != nil {
		out.To, out.Through = b.Pos(), true
	}
	d.lists = append(d.lists, out)
}

// around returns the innermost function around a place, nil if there is none. Outer ones come first.
func around(funcs []*Func, at token.Pos) (in *Func) {
	for _, fn := range funcs {
		if fn.Body.Lbrace < at && at <= fn.Body.Rbrace {
			in = fn
		}
	}
	return in
}

// A statement is one of the source. If it has a label, markers may have parted the two.
type statement struct {
	ast.Stmt
	labelled bool
}

// statements returns the statements of a marked list that were in the source.
func statements(list []ast.Stmt) (own []statement) {
	labelled := false
	for _, s := range list {
		l, ok := s.(*ast.LabeledStmt)
		switch {
		case mark.IsStmt(s):
		case ok && mark.IsStmt(l.Stmt):
			labelled = true
		default:
			own = append(own, statement{s, labelled || ok})
			labelled = false
		}
	}
	return own
}

// bodies drops what is in the clauses of a statement behind statements that end control.
func (d *dropper) bodies(b *ast.BlockStmt) {
	end := b.Rbrace
	for _, c := range slices.Backward(b.List) {
		switch c := c.(type) {
		case *ast.CaseClause:
			d.list(c.Body, end)
			if !divided(c) {
				end = c.Case
			}
		case *ast.CommClause:
			d.list(c.Body, end)
			end = c.Case
		}
	}
}

// list drops what is in a list behind a statement that ends control, if no label is behind it. It stays so if no condition is in
// that statement.
func (d *dropper) list(list []ast.Stmt, end token.Pos) {
	own := statements(list)
	ended, labels := false, 0
	var last ast.Stmt                // that is not dropped
	from, some := token.NoPos, false // of what is dropped: where it begins, and whether literals are in it
	for _, s := range own {
		if s.labelled {
			labels++
		}
	}
	for _, s := range own {
		if s.labelled {
			labels--
		}
		if ended && labels == 0 && !s.labelled {
			if !from.IsValid() {
				from = s.Pos()
			}
			some = d.drop(s.Stmt) || some
			continue
		}
		last, ended = s.Stmt, !s.labelled && d.ends(s.Stmt)
	}
	if !some {
		return
	}
	switch last.(type) {
	case *ast.IfStmt, *ast.BlockStmt:
		d.keepList(from, list, end)
	}
}

// ends reports whether the compiler sees that a statement ends control: terminates.
func (d *dropper) ends(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || d.returns[s]
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && d.info.Uses[id] == types.Universe.Lookup("panic")
	case *ast.IfStmt:
		is := d.static(s.Cond)
		return (is < 0 || d.ends(s.Body)) && (is > 0 || d.ends(s.Else))
	case *ast.BlockStmt:
		for _, last := range slices.Backward(statements(s.List)) {
			if _, empty := last.Stmt.(*ast.EmptyStmt); !empty || last.labelled {
				return !last.labelled && d.ends(last.Stmt)
			}
		}
	}
	return false
}

// clauses drops all clauses of a switch but one, if the tag and the values up to the one that it equals are constants.
func (d *dropper) clauses(s *ast.SwitchStmt) {
	tag := constant.MakeBool(true)
	if s.Tag != nil {
		if tag = d.value(s.Tag); tag == nil {
			return
		}
	}
	var chosen *ast.CaseClause
	var values []ast.Expr // of a clause that package mark has divided
search:
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		values = append(values, c.List...)
		if divided(c) {
			continue
		}
		if len(values) == 0 {
			chosen = c // if no other is
		}
		for _, e := range values {
			v := d.value(e)
			if v == nil {
				return
			}
			if constant.Compare(tag, token.EQL, v) {
				chosen = c
				break search
			}
		}
		values = nil
	}
	if chosen != nil && through(chosen.Body) != nil {
		return
	}
	several := slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { return divided(c.(*ast.CaseClause)) })
	end := s.Body.Rbrace
	for _, c := range slices.Backward(s.Body.List) {
		c := c.(*ast.CaseClause)
		if c != chosen {
			d.dropClause(c, end, several)
		}
		if !divided(c) {
			end = c.Case
		}
	}
}

// divided reports whether package mark has made a clause, of some values of the one that follows.
func divided(c *ast.CaseClause) bool {
	return len(c.Body) == 2 && mark.IsStmt(c.Body[0]) && c.Body[1].Pos() == c.Colon
}

// through returns the fallthrough that the body of a clause ends with, or nil.
func through(list []ast.Stmt) *ast.BranchStmt {
	for _, last := range slices.Backward(statements(list)) {
		if _, empty := last.Stmt.(*ast.EmptyStmt); empty {
			continue
		}
		if b, ok := last.Stmt.(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return b
		}
		break
	}
	return nil
}

// static returns 1 if the compiler sees that a condition always holds, -1 if it never does, and 0 if that is not known:
// staticBool. What it then drops of the condition is dropped, too.
func (d *dropper) static(cond ast.Expr) int {
	if v := d.value(cond); v != nil {
		if constant.BoolVal(v) {
			return 1
		}
		return -1
	}
	b, ok := unmarked(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR {
		return 0
	}
	decides := 1 // the value of an operand that is that of the whole
	if b.Op == token.LAND {
		decides = -1
	}
	x := d.static(b.X)
	if x == decides {
		if d.drop(b.Y) {
			d.keepAt(mark.Expr, b.Y.Pos())
		}
		return x
	}
	if y := d.static(b.Y); x == -decides || y == decides {
		return y
	}
	return 0
}

// unmarked returns e without the markers around it, and with its parentheses: the compiler does not look into these.
func unmarked(e ast.Expr) ast.Expr {
	for {
		b, ok := e.(*ast.BinaryExpr)
		switch {
		case ok && mark.IsMarker(b.X):
			e = b.Y
		case ok && mark.IsMarker(b.Y):
			e = b.X
		default:
			return e
		}
	}
}

// value returns the value that an expression had before there were markers in it, if it was a constant, or nil.
func (d *dropper) value(e ast.Expr) constant.Value {
	e = unmarked(e)
	if v := d.info.Types[e].Value; v != nil {
		return v
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return d.value(e.X)
	case *ast.UnaryExpr:
		if v := d.value(e.X); v != nil && e.Op == token.NOT {
			return constant.UnaryOp(token.NOT, v, 0)
		}
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return nil
		}
		if x, y := d.value(e.X), d.value(e.Y); x != nil && y != nil {
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return nil
}
