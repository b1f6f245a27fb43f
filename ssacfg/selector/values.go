package selector

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// valueDirective is a comment behind a statement that asks for the values of the variables it assigns to.
const valueDirective = "//goprofinstr:value"

// values returns the selectors of the variables that are marked.
func (s *Finder) values(fn *mark.Func, file *ast.File) (list []*Selector) {
	lines := s.marked[file]
	if len(lines) == 0 {
		return nil
	}
	add := func(id *ast.Ident, within, after token.Pos) {
		if id.Name != "_" {
			list = append(list, s.value(id, within, after))
		}
	}
	if _, ok := lines[s.line(fn.Node.Pos())]; ok && s.line(fn.Node.Pos()) == s.line(fn.Body.Lbrace) {
		for _, field := range funcType(fn.Node).Params.List {
			for _, id := range field.Names {
				add(id, fn.Opened.Pos, fn.Opened.Pos)
			}
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		for _, stmt := range statementList(n) {
			if _, ok := lines[s.line(stmt.End())]; ok {
				for _, id := range assignees(stmt) {
					add(id, id.Pos(), stmt.End())
				}
			}
		}
		return true
	})
	return list
}

func funcType(n ast.Node) *ast.FuncType {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Type
	case *ast.FuncLit:
		return n.Type
	}
	panic("BUG: a function that is neither declared nor a literal")
}

func statementList(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// assignees returns the variables that a statement assigns to.
func assignees(stmt ast.Stmt) (list []*ast.Ident) {
	add := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			list = append(list, id)
		}
	}
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		for _, e := range stmt.Lhs {
			add(e)
		}
	case *ast.IncDecStmt:
		add(stmt.X)
	case *ast.DeclStmt:
		for _, spec := range stmt.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					add(id)
				}
			}
		}
	}
	return list
}

// value returns the selector of a variable. The statement that looks at it is in the innermost scope around within: where
// after is, the scope of a clause may have ended.
func (s *Finder) value(id *ast.Ident, within, after token.Pos) *Selector {
	sel := &Selector{Kind: table.Numbers, Pos: id.Pos(), Text: id.Name, After: after}
	obj := s.info.ObjectOf(id)
	if _, ok := obj.(*types.Const); ok {
		sel.Declined = "a constant has one value"
		return sel
	}
	t := obj.Type()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsUnsigned != 0:
			sel.Type = Unsigned
		case info&types.IsInteger != 0:
			sel.Type = Signed
		case info&types.IsBoolean != 0:
			sel.Type = Boolean
		case info&types.IsString != 0:
			sel.Kind, sel.Type = table.Texts, String
		default:
			sel.Declined = "a " + t.String() + " has too many values"
		}
	case *types.Slice, *types.Map, *types.Chan:
		sel.Type, sel.Text = Length, "len("+id.Name+")"
		if _, obj := s.pkg.Scope().Innermost(within).LookupParent("len", after); obj != types.Universe.Lookup("len") {
			sel.Declined = "len is another thing here"
		}
	default:
		sel.Declined = "of a " + t.String() + " there is no number"
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		sel.Declined = "its type is a type parameter"
	}
	return sel
}
