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

	// The place before the second operand of each && and || whose value decides where control goes. Only parentheses,
	// negations and other && and || are around such an operation.
	Before map[*ast.BinaryExpr]*Place

	Else *Place // that of the else which an if statement does not have; nil if it has one

	End      token.Pos // of the statement, as it was before there were markers in it
	EndOrder int       // of text inserted there

	// Leaves tells that the body of an if statement ends in one that transfers control. Terminating tells that a
	// function seems to need no return behind the statement.
	Leaves, Terminating bool
}

// condition returns the condition of a statement that has not been marked.
func condition(s ast.Stmt) *Condition {
	c := &Condition{Stmt: s, Before: make(map[*ast.BinaryExpr]*Place), End: s.End()}
	if s, ok := s.(*ast.IfStmt); ok {
		c.Leaves, c.Terminating = leavesAtEnd(s.Body), terminating(s, "")
	}
	return c
}

// leavesAtEnd reports whether a block ends in a return or branch statement.
func leavesAtEnd(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// deciding gives c the places in e, which is marked, and these c.
func (w *walker) deciding(c *Condition, e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.deciding(c, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			w.deciding(c, e.X)
		}
	case *ast.BinaryExpr:
		if !IsLogical(e) {
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
