package rewrite

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// Code in an expression has the address of the path register, which then lies in memory in the whole function. Where all
// such code of a function is in conditions of if and for statements, these become jumps: of
//
//	if a && b || c {…} else {…}      // code X before b, and Y before c
//	for i := 0; a && b; i++ {…}      // code X before b
//
// come
//
//	{ if !(a) {goto gpi_l3}; X; if (b) {goto gpi_l4}; gpi_l3:; Y; if !(c) {goto gpi_l1}; gpi_l4:; {…}; goto gpi_l2; gpi_l1: {…}; gpi_l2: }
//	for i := 0; ; i++ { if !(a) {break}; X; if !(b) {break};…}
//
// A boolean variable for what the condition has come to was tried first. The compiler does not always make the jumps
// of that that it makes of the condition.

// conditions returns those of a function that are to be lowered.
func (em *emitter) conditions(edits *edits, p *plan) map[*mark.Condition]bool {
	// The variables that the body of a range over a function assigns to lie in memory anyway. Jumps in such bodies had the
	// compiler of go1.26.8 fail with an internal error in generated programs ("panic during short circuit"). They are left out for
	// all releases: see package release.
	if em.nested || p.fn.RangesFunc {
		return nil
	}
	lowered := make(map[*mark.Condition]bool)
	for place, c := range p.at {
		if !place.Kind.InExpression() || !em.assigns(p, c) {
			continue
		}
		if place.Condition == nil || !lowerable(edits, place.Condition, p) {
			return nil
		}
		lowered[place.Condition] = true
	}
	return lowered
}

// assigns reports whether code changes the path register, or that of pairs.
func (em *emitter) assigns(p *plan, c *code) bool {
	for _, op := range c.ops {
		if em.then(p, op.Op) != pathnum.NoChange || p.pairs.Sets(op.Op, op.next) {
			return true
		}
	}
	return false
}

// lowerable reports whether a condition can become jumps without a line of the source moving. The post
// statement of a loop goes before the condition as text, so no code may stand in it.
func lowerable(edits *edits, c *mark.Condition, p *plan) bool {
	loop, ok := c.Stmt.(*ast.ForStmt)
	if !ok {
		return c.Leaves || !c.Terminating // there must be a place for a label behind it
	}
	moved := edits.text(loop.Cond.End(), loop.Body.Lbrace)
	switch {
	case loop.Post != nil:
		moved = edits.text(loop.Cond.Pos(), loop.Body.Lbrace)
	case loop.Init == nil:
		moved += edits.text(loop.For, loop.Cond.Pos())
	}
	return !strings.Contains(moved, "\n") &&
		(loop.Post == nil || !mayHaveCode(loop.Post) && !p.hasSelector(loop.Post.Pos(), loop.Post.End()))
}

// mayHaveCode reports whether there may be places in a simple statement.
func mayHaveCode(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.BinaryExpr:
			found = found || n.Op == token.LAND || n.Op == token.LOR
		}
		return !found
	})
	return found
}

// lower makes jumps of the conditions of a function that are to be lowered.
func (em *emitter) lower(edits *edits, p *plan) {
	l := &lowering{emitter: em, edits: edits, plan: p}
	byPos := func(a, b *mark.Condition) int { return cmp.Compare(a.Stmt.Pos(), b.Stmt.Pos()) }
	for _, c := range slices.SortedFunc(maps.Keys(p.lowered), byPos) {
		l.cond = c
		switch s := c.Stmt.(type) {
		case *ast.IfStmt:
			l.ifStmt(s)
		case *ast.ForStmt:
			l.forStmt(s)
		}
	}
}

// lowering lowers conditions of one function.
type lowering struct {
	*emitter
	edits  *edits
	plan   *plan
	cond   *mark.Condition
	labels int  // so far
	never  bool // the compiler drops the operand
}

// ifStmt makes of an if statement a block, which is also the scope of its init statement.
func (l *lowering) ifStmt(s *ast.IfStmt) {
	c := l.cond
	l.edits.replace(s.If, len("if"), "{")
	otherwise, end := l.newLabel(), ""
	l.jump(s.Cond, false, "goto "+otherwise)
	after := ";"
	if l.hasElse() && !c.Leaves {
		end = l.newLabel()
		after += "goto " + end + ";"
	}
	after += otherwise + ":"
	switch {
	case c.Else == nil:
		l.edits.replace(l.edits.token(s.Body.End(), token.ELSE), len("else"), after)
	case l.hasElse():
		l.edits.insert(c.Else.Pos, c.Else.Order, after+"{"+l.statements(l.plan, l.plan.at[c.Else])+"}")
	default:
		l.edits.insert(c.Else.Pos, c.Else.Order, after)
	}
	if end != "" {
		end = ";" + end + ":"
	}
	l.edits.insert(c.End, c.EndOrder, end+"}")
}

// hasElse reports whether there is anything to be executed where the condition of an if statement is false.
func (l *lowering) hasElse() bool { return l.cond.Else == nil || l.plan.at[l.cond.Else] != nil }

// forStmt opens the body of a loop before the condition. What stands between that and the brace is moved there.
func (l *lowering) forStmt(s *ast.ForStmt) {
	cond, end := s.Cond.Pos(), s.Cond.End()
	switch {
	case s.Post != nil:
		l.insert(cond, ";"+l.edits.text(s.Post.Pos(), s.Post.End())+"{")
	case s.Init != nil:
		l.insert(cond, ";{")
	default: // with semicolons or without
		l.edits.replace(s.For, int(cond-s.For), "for {")
	}
	l.jump(s.Cond, false, "break")
	l.edits.replace(end, int(s.Body.Lbrace+1-end), "")
}

// jump makes of e statements that jump if its value is when; otherwise control gets past them.
func (l *lowering) jump(e ast.Expr, when bool, to string) {
	if !l.hasCode(e) {
		not := "!"
		if when {
			not = ""
		}
		if l.never {
			not = never + not
		}
		l.insert(e.Pos(), "if "+not+"(")
		l.insert(e.End(), "){"+to+"};")
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		l.edits.replace(e.Lparen, 1, "")
		l.jump(e.X, when, to)
		l.edits.replace(e.Rparen, 1, "")
	case *ast.UnaryExpr:
		l.edits.replace(e.OpPos, 1, "")
		l.jump(e.X, !when, to)
	case *ast.BinaryExpr:
		l.operation(e, when, to)
	}
}

// operation is jump for && and ||.
func (l *lowering) operation(e *ast.BinaryExpr, when bool, to string) {
	place := l.cond.Before[e]
	second := place.Operands[1]
	decides := e.Op == token.LOR // the first operand, if it has this value
	past := ""
	if decides == when {
		l.jump(e.X, decides, to)
	} else {
		past = l.newLabel()
		l.jump(e.X, decides, "goto "+past)
	}
	code := ""
	if c := l.plan.at[place]; c != nil {
		code = l.statements(l.plan, c)
	}
	l.edits.replace(e.OpPos, len("&&"), code)
	outer := l.never
	l.never = outer || l.drops(place)
	l.jump(second, when, to)
	l.never = outer
	if past != "" {
		l.insert(second.End(), past+":;")
	}
}

// hasCode reports whether there is code before an operand of the operations of e that decide where control goes, or one that the
// compiler drops.
func (l *lowering) hasCode(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.hasCode(e.X)
	case *ast.UnaryExpr:
		return l.hasCode(e.X)
	case *ast.BinaryExpr:
		place := l.cond.Before[e]
		return place != nil && (l.plan.at[place] != nil || l.drops(place) || l.hasCode(e.X) || l.hasCode(place.Operands[1]))
	}
	return false
}

// drops reports whether the compiler drops the operand behind a place, and literals with it.
func (l *lowering) drops(place *mark.Place) bool {
	return slices.ContainsFunc(l.plan.fn.Dropped, func(d ssacfg.Dropped) bool { return d.Place == place })
}

func (l *lowering) newLabel() string {
	l.labels++
	return l.Label + strconv.Itoa(l.labels)
}

func (l *lowering) insert(pos token.Pos, text string) { l.edits.insert(pos, 0, text) }
