package mark

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// PkgPath is the import path of the package that declares the markers. It
// exists only as the [types.Package] that [NewPackage] makes.
const PkgPath = "goprofinstr/mark"

// pkgName is the marker package's name in marked files. No source file can have
// an identifier with this character, so it is not shadowed.
const pkgName = "·mark"

// The marker functions.
const (
	stmtFunc = "Stmt" // func(id int)
	exprFunc = "Expr" // func(id int) int, compared with 0
)

// NewPackage returns the package that marked files import.
func NewPackage() *types.Package {
	pkg := types.NewPackage(PkgPath, pkgName)
	intVar := func(name string) *types.Var { return types.NewParam(token.NoPos, pkg, name, types.Typ[types.Int]) }
	declare := func(name string, params []*types.Var, results ...*types.Var) {
		sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), false)
		pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, name, sig))
	}
	declare(stmtFunc, []*types.Var{intVar("id")})
	declare(exprFunc, []*types.Var{intVar("id")}, intVar(""))
	pkg.MarkComplete()
	return pkg
}

// importSpec is the declaration that a marked file starts with.
func importSpec(pos token.Pos) *ast.ImportSpec {
	return &ast.ImportSpec{
		Name: &ast.Ident{Name: pkgName, NamePos: pos},
		Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(PkgPath), ValuePos: pos},
	}
}

func call(pos token.Pos, name string, id int) *ast.CallExpr {
	return &ast.CallExpr{
		Fun: &ast.SelectorExpr{
			X:   &ast.Ident{Name: pkgName, NamePos: pos},
			Sel: &ast.Ident{Name: name, NamePos: pos},
		},
		Lparen: pos,
		Args:   []ast.Expr{intLit(pos, id)},
		Rparen: pos,
	}
}

func intLit(pos token.Pos, n int) *ast.BasicLit {
	return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(n), ValuePos: pos}
}

func stmtMarker(pos token.Pos, id int) ast.Stmt {
	return &ast.ExprStmt{X: call(pos, stmtFunc, id)}
}

// exprMarker returns mark.Expr(id) == 0, which is true.
func exprMarker(pos token.Pos, id int) ast.Expr {
	return compareMarker(pos, id, token.EQL)
}

// falseMarker returns mark.Expr(id) != 0, which is false.
func falseMarker(pos token.Pos, id int) ast.Expr {
	return compareMarker(pos, id, token.NEQ)
}

func compareMarker(pos token.Pos, id int, op token.Token) ast.Expr {
	return &ast.BinaryExpr{X: call(pos, exprFunc, id), OpPos: pos, Op: op, Y: intLit(pos, 0)}
}

// IsMarker reports whether e is a marker that was put before an operand.
func IsMarker(e ast.Expr) bool {
	cmp, ok := e.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	return isCall(cmp.X)
}

// IsStmt reports whether st is a marker that was put before a statement.
func IsStmt(st ast.Stmt) bool {
	x, ok := st.(*ast.ExprStmt)
	return ok && isCall(x.X)
}

// Without returns e without parentheses, and without the markers that were put before or behind it.
func Without(e ast.Expr) ast.Expr {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.BinaryExpr:
			switch {
			case IsMarker(x.X):
				e = x.Y
			case IsMarker(x.Y):
				e = x.X
			default:
				return x
			}
		default:
			return x
		}
	}
}

// isCall reports whether e is a call of a marker function.
func isCall(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == pkgName
}
