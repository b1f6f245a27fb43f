package selector

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// ValueDirective is a comment behind a statement that asks for the values of the variables it assigns to. On the line that a
// function begins on it asks for those of the parameters.
const ValueDirective = "//goprofinstr:value"

// marked returns the directives for values in a file, by line.
func marked(fset *token.FileSet, f *ast.File) map[int]token.Pos {
	lines := make(map[int]token.Pos)
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.TrimRight(c.Text, " \t") == ValueDirective {
				lines[line(fset, c.Pos())] = c.Pos()
			}
		}
	}
	return lines
}

// Idle returns the directives for values in a file, parsed with comments, that ask for none: nothing on their lines is a
// parameter, or assigned by a statement that ends there.
func Idle(fset *token.FileSet, f *ast.File) (idle []token.Pos) {
	lines := marked(fset, f)
	used := func(pos token.Pos, ids []*ast.Ident) {
		if slices.ContainsFunc(ids, func(id *ast.Ident) bool { return id.Name != "_" }) {
			delete(lines, line(fset, pos))
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				used(n.Pos(), parameters(fset, n, n.Body))
			}
		case *ast.FuncLit:
			used(n.Pos(), parameters(fset, n, n.Body))
		}
		for _, stmt := range statementList(n) {
			used(stmt.End(), assignees(stmt))
		}
		return true
	})
	return slices.Sorted(maps.Values(lines))
}

// parameters returns those of a function that a directive on its first line asks for.
func parameters(fset *token.FileSet, fn ast.Node, body *ast.BlockStmt) (list []*ast.Ident) {
	if line(fset, fn.Pos()) != line(fset, body.Lbrace) {
		return nil
	}
	for _, field := range funcType(fn).Params.List {
		list = append(list, field.Names...)
	}
	return list
}

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
	if _, ok := lines[s.line(fn.Node.Pos())]; ok {
		for _, id := range parameters(s.fset, fn.Node, fn.Body) {
			add(id, fn.Opened.Pos, fn.Opened.Pos)
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
	case *ast.LabeledStmt:
		return assignees(stmt.Stmt)
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
