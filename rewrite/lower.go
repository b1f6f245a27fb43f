package rewrite

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// Code in an expression has the address of the path register, which then lies in memory in the whole function. Where all
// such code of a function is in conditions of if and for statements, these become statements: of
//
//	if a && b || c {                 // code X before b
//	for i := 0; a && b; i++ {        // code X before b
//
// come
//
//	{ gpi_t=a; if gpi_t{ X; gpi_t=b }; if gpi_t || c {
//	for i := 0; ;i++ { gpi_t=a; if gpi_t{ X; gpi_t=b }; if !(gpi_t) {break};
//
// The compiler makes of that the jumps that it makes of the condition.

// conditions returns those of a function that are to be lowered.
func (em *emitter) conditions(edits *edits, p *plan) map[*mark.Condition]bool {
	// A frame lies in memory anyway; and the variables of a body that the compiler makes a closure of do when it assigns to them.
	if em.nested || p.frame || p.fn.RangesFunc {
		return nil
	}
	lowered := make(map[*mark.Condition]bool)
	for place, c := range p.at {
		if !place.Kind.InExpression() || !em.assigns(p, c) {
			continue
		}
		if place.Condition == nil || !lowerable(edits, place.Condition.Stmt) {
			return nil
		}
		lowered[place.Condition] = true
	}
	return lowered
}

// assigns reports whether code changes the path register.
func (em *emitter) assigns(p *plan, c *code) bool {
	for _, op := range c.ops {
		if em.then(p, op) != pathnum.NoChange {
			return true
		}
	}
	return false
}

// lowerable reports whether the condition of s can become statements without a line of the source moving. The post
// statement of a loop goes before the condition as text, so no code may stand in it.
func lowerable(edits *edits, s ast.Stmt) bool {
	loop, ok := s.(*ast.ForStmt)
	if !ok {
		return true
	}
	moved := edits.text(loop.Cond.End(), loop.Body.Lbrace)
	switch {
	case loop.Post != nil:
		moved = edits.text(loop.Cond.Pos(), loop.Body.Lbrace)
	case loop.Init == nil:
		moved += edits.text(loop.For, loop.Cond.Pos())
	}
	return !strings.Contains(moved, "\n") && (loop.Post == nil || !mayHaveCode(loop.Post))
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

// lower makes statements of a condition.
func (em *emitter) lower(edits *edits, p *plan, c *mark.Condition) {
	l := &lowering{em, edits, p, c}
	switch s := c.Stmt.(type) {
	case *ast.IfStmt:
		edits.replace(s.If, len("if"), "{") // for the scope of the init statement, and behind else
		l.expr(s.Cond, "if ", "")
		edits.insert(c.End, c.EndOrder, "}")
	case *ast.ForStmt:
		l.header(s)
		l.expr(s.Cond, "if !(", "")
		end := s.Cond.End()
		edits.replace(end, int(s.Body.Lbrace+1-end), "){break};")
	}
}

type lowering struct {
	*emitter
	edits *edits
	plan  *plan
	cond  *mark.Condition
}

// header opens the body of a loop before its condition. What stands between that and the brace is moved there.
func (l *lowering) header(s *ast.ForStmt) {
	cond := s.Cond.Pos()
	switch {
	case s.Post != nil:
		l.edits.insert(cond, 0, ";"+l.edits.text(s.Post.Pos(), s.Post.End())+"{")
	case s.Init != nil:
		l.edits.insert(cond, 0, ";{")
	default: // with semicolons or without
		l.edits.replace(s.For, int(cond-s.For), "for {")
	}
}

// expr makes statements of e up to the last operand with code before it. What is left of e stands after them, between
// two texts.
func (l *lowering) expr(e ast.Expr, before, after string) {
	if !l.hasCode(e) {
		l.insert(e.Pos(), before)
		l.insert(e.End(), after)
		return
	}
	n, opened := l.descend(e)
	l.operation(n)
	l.insert(n.End(), before+opened+l.test)
	l.insert(e.End(), after)
}

// assign makes statements of e that assign its value to the variable.
func (l *lowering) assign(e ast.Expr) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		if l.hasCode(x) {
			l.edits.replace(x.Lparen, 1, "")
			l.assign(x.X)
			l.edits.replace(x.Rparen, 1, "")
			return
		}
	case *ast.BinaryExpr:
		if l.isLast(x) {
			l.operation(x)
			return
		}
	}
	l.expr(e, l.test+"="+l.rt+".B(", ");")
}

// operation makes statements of n that assign its value to the variable. Before its second operand, or in it, there is code.
func (l *lowering) operation(n *ast.BinaryExpr) {
	place := l.cond.Before[n]
	l.assign(n.X)
	then := "if " + l.test + "{"
	if n.Op == token.LOR {
		then = "if !" + l.test + "{"
	}
	if c := l.plan.at[place]; c != nil {
		then += l.statements(l.plan, c)
	}
	l.edits.replace(n.OpPos, len("&&"), then)
	l.assign(place.Operands[1])
	l.insert(n.End(), "};")
}

// descend returns the first operation in e, that is, the last to be evaluated of those that have code before their second operand
// or in it. The negations and parentheses around that are removed, and returned as text.
func (l *lowering) descend(e ast.Expr) (n *ast.BinaryExpr, opened string) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			l.edits.replace(x.Lparen, 1, "")
			opened += "("
			e = x.X
		case *ast.UnaryExpr:
			l.edits.replace(x.OpPos, 1, "")
			opened += "!"
			e = x.X
		case *ast.BinaryExpr:
			if l.isLast(x) {
				return x, opened
			}
			second := l.cond.Before[x].Operands[1]
			l.insert(second.Pos(), l.rt+".B(") // may have a named boolean type
			l.insert(second.End(), ")")
			e = x.X
		}
	}
}

// isLast reports whether an operation has code before its second operand or in it.
func (l *lowering) isLast(n *ast.BinaryExpr) bool {
	place := l.cond.Before[n]
	return place != nil && (l.plan.at[place] != nil || l.hasCode(place.Operands[1]))
}

// hasCode reports whether there is code before an operand of the operations of e that decide where control goes.
func (l *lowering) hasCode(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.hasCode(e.X)
	case *ast.UnaryExpr:
		return l.hasCode(e.X)
	case *ast.BinaryExpr:
		return l.isLast(e) || l.cond.Before[e] != nil && l.hasCode(e.X)
	}
	return false
}

func (l *lowering) insert(pos token.Pos, text string) { l.edits.insert(pos, 0, text) }
