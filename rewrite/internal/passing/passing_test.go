package passing

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestBroken has a call with an argument too many: whoever compiles it says so.
func TestBroken(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", "package a; func reset() {}; func init() { reset(1) }", 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}
	config := types.Config{Importer: importer.Default(), Error: func(error) {}}
	config.Check("a", fset, []*ast.File{f}, info)
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			fn := info.Uses[c.Fun.(*ast.Ident)].(*types.Func)
			if list := ToCall(info, c, fn); len(list) > 0 {
				t.Errorf("%d arguments are passed to a function without parameters", len(list))
			}
		}
		return true
	})
}
