package mark

import (
	"go/ast"
	"go/token"
	"strconv"
)

// clauses marks the clauses of a switch. If it has no tag, their expressions
// are conditions, evaluated one after the other, with a place before each but the first.
func (w *walker) clauses(body *ast.BlockStmt, conditions bool) {
	hasDefault, firstCond := false, true
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		role := CaseBody
		if c.List == nil {
			role, hasDefault = DefaultBody, true
		}
		for i, e := range c.List {
			if conditions && !firstCond && isBoolean(e) {
				c.List[i] = w.test(e)
			} else {
				c.List[i] = w.expr(e)
			}
			firstCond = false
		}
		c.Body = w.list(c.Body, c.Colon+1, c.Colon+1, role)
	}
	if hasDefault {
		return
	}
	kind := Default
	if len(body.List) == 0 {
		kind = First
	}
	p := w.place(kind, body.Rbrace)
	p.Role = DefaultBody
	body.List = append(body.List, &ast.CaseClause{Case: p.Pos, Colon: p.Pos, Body: []ast.Stmt{stmtMarker(p.Pos, p.ID)}})
}

func (w *walker) test(e ast.Expr) ast.Expr {
	p := w.place(Cond, e.Pos())
	first := firstOperand(e)
	p.From, p.To = first.Pos(), first.End()
	p.End = e.End()
	p.Operands = []ast.Expr{e}
	marked := &ast.BinaryExpr{X: exprMarker(p.Pos, p.ID), OpPos: p.Pos, Op: token.LAND, Y: w.expr(e)}
	p.EndOrder = w.next()
	return marked
}

// maxSeparate is the number of values up to which those of one clause are told apart. The first of
// n values runs through the code of n-1 places.
const maxSeparate = 6

// separate tells the values of each clause of an expression switch apart: of
//
//	case a, b: x++
//
// it makes
//
//	case a: mark.Stmt(1); fallthrough
//	case b: x++
//
// Consecutive integers stay together, as the compiler tests them as one range.
func (w *walker) separate(body *ast.BlockStmt) {
	var clauses []ast.Stmt
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		groups := consecutive(c.List)
		for len(groups) > 1 && len(groups) <= maxSeparate {
			group := groups[0]
			groups = groups[1:]
			p := w.place(Value, group[len(group)-1].End())
			p.Role = CaseBody
			clauses = append(clauses, &ast.CaseClause{Case: group[0].Pos(), List: group, Colon: p.Pos, Body: []ast.Stmt{
				stmtMarker(p.Pos, p.ID),
				&ast.BranchStmt{TokPos: p.Pos, Tok: token.FALLTHROUGH},
			}})
			c.List = c.List[len(group):]
		}
		clauses = append(clauses, c)
	}
	body.List = clauses
}

// consecutive divides the expressions of a clause into runs of consecutive integers; others are alone.
func consecutive(list []ast.Expr) (runs [][]ast.Expr) {
	for i, e := range list {
		n := len(runs)
		if i > 0 && follows(list[i-1], e) {
			runs[n-1] = append(runs[n-1], e)
		} else {
			runs = append(runs, []ast.Expr{e})
		}
	}
	return runs
}

// follows reports whether b is seen, without types, to be an integer greater than a by one.
func follows(a, b ast.Expr) bool {
	x, ok := literalInt(a)
	y, ok2 := literalInt(b)
	return ok && ok2 && y == x+1
}

func literalInt(e ast.Expr) (v int64, ok bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return 0, false
	}
	switch lit.Kind {
	case token.INT:
		v, err := strconv.ParseInt(lit.Value, 0, 64)
		return v, err == nil
	case token.CHAR:
		v, _, _, err := strconv.UnquoteChar(lit.Value[1:], '\'')
		return int64(v), err == nil
	}
	return 0, false
}
