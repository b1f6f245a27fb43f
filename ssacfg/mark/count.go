package mark

import (
	"go/ast"
	"go/token"
	"slices"
)

// count counts the statements of a list as addCounters in Go's cmd/cover does. So a share of statements is the one that
// go test -cover prints. Each run has the number of the statements in it. The rules for blocks and labels are those of
// cover, odd as they are. Cover has no counter where no source would be before the next one. The list starts at open,
// behind a brace, which is source, or behind the colon of a clause.
func (w *walker) count(list []ast.Stmt, open token.Pos, role Role) {
	empty := func(i int, s ast.Stmt) bool { return i > 0 || role != NoRole && s.Pos() == open }
	var first ast.Stmt // of the run
	for i := 0; i < len(list); i++ {
		s := list[i]
		label, isLabel := s.(*ast.LabeledStmt)
		isLabel = isLabel && !IsControl(label.Stmt)
		switch {
		case first != nil:
			w.counted[first]++
		case !(isLabel || hasNoHead(s)) || !empty(i, s):
			first = s
			w.counted[s] = 1
		}
		if isLabel { // what it is on stands behind it, in a run of its own
			list = slices.Insert(slices.Clone(list), i+1, label.Stmt)
			first = nil
		} else if EndsCovered(s) {
			first = nil
		}
	}
}

// hasNoHead reports whether no source of a statement stands before what is in it.
func hasNoHead(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return true
	case *ast.EmptyStmt: // behind a label at the end of a list
		return s.Implicit
	}
	return false
}

// IsControl is isControl of cmd/cover: such a statement has its label as a part of it.
func IsControl(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// EndsCovered is endsBasicSourceBlock of cmd/cover: such a statement is the last of a run that has one count. A return statement
// is not.
func EndsCovered(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.ForStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.RangeStmt,
		*ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" {
				return true
			}
		}
	}
	return hasLiteral(s)
}
