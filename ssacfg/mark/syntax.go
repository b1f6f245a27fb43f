package mark

import (
	"go/ast"
	"go/token"
)

// IsLogical reports whether n is an operation && or ||.
func IsLogical(n ast.Node) bool {
	b, ok := n.(*ast.BinaryExpr)
	return ok && (b.Op == token.LAND || b.Op == token.LOR)
}

// isBoolean reports whether e can be seen, without its type, to be a boolean. The condition of a switch may also be a value of an
// interface type.
func isBoolean(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	}
	return false
}

// firstOperand returns the operand of e that is evaluated first.
func firstOperand(e ast.Expr) ast.Expr {
	for {
		u := ast.Unparen(e)
		if n, ok := u.(*ast.UnaryExpr); ok && n.Op == token.NOT {
			u = ast.Unparen(n.X)
		}
		if !IsLogical(u) {
			return e
		}
		e = u.(*ast.BinaryExpr).X
	}
}

// lastLogical returns the outermost logical operation in s that is evaluated last, or nil.
// Go evaluates the logical operations of a statement from left to right.
func lastLogical(s ast.Stmt) *ast.BinaryExpr {
	var last *ast.BinaryExpr
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if IsLogical(n) {
				last = n
				return false
			}
		}
		return true
	})
	return last
}

// branches reports whether control may branch inside s, or come to its end from elsewhere.
func branches(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.LabeledStmt, *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt,
		*ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	case *ast.DeclStmt:
		if s.Decl.(*ast.GenDecl).Tok != token.VAR {
			return false
		}
	}
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && IsLogical(e) {
			found = true
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// startsRun reports whether there must be a place between prev and s. There must be one where control may
// come together, and where it does not come at all. There must be one directly before s leaves the list,
// so that a path ends where its last statement has run. Behind a function literal there is one because
// Go's cover starts a block there.
func startsRun(prev, s ast.Stmt) bool {
	if _, ok := s.(*ast.LabeledStmt); ok {
		return true
	}
	return branches(prev) || leaves(prev) || leaves(s) || hasLiteral(prev)
}

func hasLiteral(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		found = found || lit
		return !found
	})
	return found
}

// leaves reports whether s is a statement that does nothing but transfer control.
func leaves(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.SelectStmt: // without clauses it waits forever
		return len(s.Body.List) == 0
	case *ast.ExprStmt:
		return isPanic(s.X)
	}
	return false
}

// runEnd returns the end of the source that control runs through from
// the start of stmts on up to the next place or branch.
func runEnd(stmts []ast.Stmt) token.Pos {
	end := headEnd(stmts[0])
	for i := 1; i < len(stmts) && !startsRun(stmts[i-1], stmts[i]); i++ {
		end = headEnd(stmts[i])
	}
	return end
}

// headEnd returns the end of the part of s that is executed whenever s is.
func headEnd(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return headEnd(s.Stmt)
	case *ast.BlockStmt:
		return s.Lbrace
	case *ast.IfStmt:
		return firstOperand(s.Cond).End()
	case *ast.ForStmt:
		switch {
		case s.Init != nil:
			return s.Init.End()
		case s.Cond != nil:
			return firstOperand(s.Cond).End()
		}
		return s.Body.Lbrace
	case *ast.RangeStmt:
		return s.X.End()
	case *ast.SwitchStmt:
		return s.Body.Lbrace
	case *ast.TypeSwitchStmt:
		return s.Body.Lbrace
	case *ast.SelectStmt:
		return s.Body.Lbrace
	}
	return s.End()
}

func isPanic(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "panic"
}

// endsControl reports whether no code may or need follow s in a statement list. Then s is a
// branch or a terminating statement of the Go specification, which a function with results
// has to end in. A redeclared panic is taken for the predeclared one: a path that ends behind
// it is counted before it, even if it does not return.
func endsControl(s ast.Stmt) bool {
	if _, ok := s.(*ast.BranchStmt); ok {
		return true
	}
	return terminating(s, "")
}

func terminating(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		return isPanic(s.X)
	case *ast.LabeledStmt:
		return terminating(s.Stmt, s.Label.Name)
	case *ast.BlockStmt:
		return terminatingList(s.List)
	case *ast.IfStmt:
		return s.Else != nil && terminating(s.Body, "") && terminating(s.Else, "")
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label)
	case *ast.SwitchStmt:
		return terminatingClauses(s.Body, label)
	case *ast.TypeSwitchStmt:
		return terminatingClauses(s.Body, label)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			body := c.(*ast.CommClause).Body
			if !terminatingList(body) || breaksList(body, label) {
				return false
			}
		}
		return true
	}
	return false
}

func terminatingList(list []ast.Stmt) bool {
	list = withoutEmpty(list)
	return len(list) > 0 && terminating(list[len(list)-1], "")
}

// withoutEmpty returns a list without the empty statements at its end. What ends control still does before these.
func withoutEmpty(list []ast.Stmt) []ast.Stmt {
	for n := len(list); n > 0; n-- {
		if _, empty := list[n-1].(*ast.EmptyStmt); !empty {
			return list[:n]
		}
	}
	return nil
}

func terminatingClauses(body *ast.BlockStmt, label string) bool {
	hasDefault := false
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		hasDefault = hasDefault || c.List == nil
		if !terminatingList(c.Body) || breaksList(c.Body, label) {
			return false
		}
	}
	return hasDefault
}

func breaksList(list []ast.Stmt, label string) bool {
	for _, s := range list {
		if breaks(s, label) {
			return true
		}
	}
	return false
}

// breaks reports whether s, in the body of a statement with the given label,
// has a break that refers to that statement.
func breaks(s ast.Stmt, label string) bool {
	found := false
	var visit func(n ast.Node, nested bool)
	visit = func(root ast.Node, nested bool) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case ast.Expr:
				return false
			case *ast.BranchStmt:
				if n.Tok == token.BREAK && (n.Label == nil && !nested || n.Label != nil && n.Label.Name == label) {
					found = true
				}
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if n != root {
					visit(n, true)
					return false
				}
			}
			return !found
		})
	}
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		visit(s, true)
	default:
		visit(s, false)
	}
	return found
}
