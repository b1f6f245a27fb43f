package mark

import (
	"go/ast"
	"go/token"
	"strconv"
)

// A Condition is that of an if or for statement in which && or || decide where control goes. Code at their
// places can also stand between statements, if these evaluate the operands one after the other.
type Condition struct {
	Stmt ast.Stmt // *ast.IfStmt or *ast.ForStmt

	// The place before the second operand of each && and || that control comes to the statement from,
	// through parentheses, negations and other such operations only.
	Before map[*ast.BinaryExpr]*Place

	End      token.Pos // of the statement, as it was before there were markers in it
	EndOrder int       // of text inserted there
}

// condition registers the condition of s, which has been marked with all that is in s, and ended at end.
func (w *walker) condition(s ast.Stmt, cond ast.Expr, end token.Pos) {
	c := &Condition{Stmt: s, Before: make(map[*ast.BinaryExpr]*Place), End: end, EndOrder: w.next()}
	w.deciding(c, cond)
}

func (w *walker) deciding(c *Condition, e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.deciding(c, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			w.deciding(c, e.X)
		}
	case *ast.BinaryExpr:
		if !isLogical(e) {
			return
		}
		p := w.pkg.Places[markerID(e.Y.(*ast.BinaryExpr).X)]
		p.Condition = c
		c.Before[e] = p
		w.deciding(c, e.X)
		w.deciding(c, p.Operands[1])
	}
}

// markerID returns the number of the place of a marker that was put before an operand.
func markerID(marker ast.Expr) int {
	id, err := strconv.Atoi(marker.(*ast.BinaryExpr).X.(*ast.CallExpr).Args[0].(*ast.BasicLit).Value)
	if err != nil {
		panic("BUG: not a marker")
	}
	return id
}
