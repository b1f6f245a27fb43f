package extents

import (
	"bytes"
	"go/ast"
	"go/token"
)

// Where statements end what has one count, by the functions of cmd/cover of the same names.

// statementBoundary returns where the basic block that ends with a statement ends: before what has counts of its own.
func statementBoundary(s ast.Stmt) token.Pos {
	var parts []ast.Node
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.BlockStmt:
		return s.Lbrace
	case *ast.LabeledStmt:
		return statementBoundary(s.Stmt)
	case *ast.IfStmt:
		parts, body = []ast.Node{s.Init, s.Cond}, s.Body
	case *ast.ForStmt:
		parts, body = []ast.Node{s.Init, s.Cond, s.Post}, s.Body
	case *ast.RangeStmt:
		parts, body = []ast.Node{s.X}, s.Body
	case *ast.SwitchStmt:
		parts, body = []ast.Node{s.Init, s.Tag}, s.Body
	case *ast.SelectStmt:
		body = s.Body
	case *ast.TypeSwitchStmt:
		parts, body = []ast.Node{s.Init}, s.Body
	default:
		if pos := literalIn(s); pos.IsValid() {
			return pos
		}
		return s.End()
	}
	for _, n := range parts {
		if pos := literalIn(n); pos.IsValid() {
			return pos
		}
	}
	return body.Lbrace
}

// literalIn returns where the body of the first function literal in a node begins, NoPos if there is none: hasFuncLiteral.
func literalIn(n ast.Node) (pos token.Pos) {
	if n == nil {
		return token.NoPos
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && !pos.IsValid() {
			pos = lit.Body.Lbrace
		}
		return !pos.IsValid()
	})
	return pos
}

// findElse returns the offset of the word else behind a position, where there are only blanks and comments before it.
func (f *file) findElse(pos token.Pos) int {
	src := f.src
	for i := f.tokens.Offset(pos); i < len(src); i++ {
		rest := src[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("else")):
			return i
		case bytes.HasPrefix(rest, []byte("//")):
			i += max(0, bytes.IndexByte(rest, '\n')) // there is one before else
		case bytes.HasPrefix(rest, []byte("/*")):
			i += max(0, bytes.Index(rest, []byte("*/"))+1)
		}
	}
	panic("BUG: no else in an if statement that has one")
}
