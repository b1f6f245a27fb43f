package code

import (
	"go/ast"
	"go/token"

	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A logical is an expression of && and || that is no operand of another one.
type logical struct {
	expr ast.Expr
	kind LogicalKind
	body place // where the body of the function around it begins
}

// LogicalKind says what is done with the outcome of a decision.
type LogicalKind string

// The kinds of decisions.
const (
	IfLogical    LogicalKind = "if"
	ForLogical   LogicalKind = "for"
	CaseLogical  LogicalKind = "case"  // in a clause of a switch without a tag
	ValueLogical LogicalKind = "value" // it is stored, returned or passed on
)

// addLogical adds a decision, of which an operand says where it is.
func (s *syntax) addLogical(e ast.Expr, of *operand) {
	l := logical{expr: e, kind: ValueLogical}
	for _, n := range s.around {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				l.body = s.place(n.Body.Lbrace)
			}
		case *ast.FuncLit:
			l.body = s.place(n.Body.Lbrace)
		}
	}
	switch {
	case of.loop:
		l.kind = ForLogical
	case of.value != nil:
		l.kind = CaseLogical
	case of.tested:
		l.kind = IfLogical
	}
	s.logicals = append(s.logicals, l)
}

// A Logical is a decision: an expression of two conditions or more.
type Logical struct {
	Kind       LogicalKind
	Text       string
	Line, Col  int
	EndLine    int
	Expr       *decision.Expr
	Conditions []Tested
	Couplings  []decision.Coupling
}

// A Tested is a condition of a decision.
type Tested struct {
	Operand
	Tests []profile.Decision // by which the program branches on it; none if it does not
	expr  ast.Expr
}

// Logicals returns the decisions of f in source order, without those of literals in it. Known is false if there may be
// others: there is no source, or it has changed.
func (f *Function) Logicals() (list []Logical, known bool) {
	if f.syntax == nil || f.Table.Body.Line == 0 {
		return nil, false
	}
	body := f.now(place{f.Table.Body.Line, f.Table.Body.Col})
	known = !f.file.Edited
	for _, l := range f.syntax.logicals {
		if l.body != body {
			continue
		}
		if !f.same(l.expr) {
			known = false
			continue
		}
		list = append(list, f.logical(&l))
	}
	f.addTests(list)
	return list, known
}

func (f *Function) logical(l *logical) Logical {
	s := f.syntax
	at := f.then(s.place(l.expr.Pos()))
	d := Logical{Kind: l.kind, Text: s.textOf(l.expr), Line: at.line, Col: at.col, EndLine: f.then(s.place(l.expr.End())).line}
	d.Expr = f.tree(l.expr, &d)
	d.Couplings = f.couplings(d.Conditions)
	return d
}

// tree returns an expression as a decision, and adds its conditions.
func (f *Function) tree(e ast.Expr, d *Logical) *decision.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return f.tree(x.X, d)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return &decision.Expr{Op: decision.Not, X: f.tree(x.X, d)}
		}
	case *ast.BinaryExpr:
		if isLogical(x) {
			op := decision.And
			if x.Op == token.LOR {
				op = decision.Or
			}
			left := f.tree(x.X, d)
			return &decision.Expr{Op: op, X: left, Y: f.tree(x.Y, d)}
		}
	}
	at := f.then(f.syntax.place(e.Pos()))
	d.Conditions = append(d.Conditions, Tested{Operand: Operand{Text: f.syntax.textOf(e), Line: at.line, Col: at.col}, expr: e})
	return &decision.Expr{Op: decision.Condition, Index: len(d.Conditions) - 1}
}

// addTests gives conditions the tests of the program that are theirs.
func (f *Function) addTests(list []Logical) {
	at := make(map[ast.Expr]*Tested)
	for i := range list {
		for j := range list[i].Conditions {
			c := &list[i].Conditions[j]
			at[c.expr] = c
		}
	}
	for _, d := range f.Decisions() {
		if o := f.operandAt(place{d.Line, d.Col}); o != nil && at[o.expr] != nil {
			at[o.expr].Tests = append(at[o.expr].Tests, d)
		}
	}
}
