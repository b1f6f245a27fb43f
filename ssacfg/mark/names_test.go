package mark

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestGenericMethod has a method with type parameters of its own, which only Go 1.27 parses.
func TestGenericMethod(t *testing.T) {
	const src = "package p; func (*T[K]) M() { func() {}() }"
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Decls[0].(*ast.FuncDecl).Type.TypeParams = &ast.FieldList{List: []*ast.Field{{
		Names: []*ast.Ident{ast.NewIdent("V")}, Type: ast.NewIdent("any"),
	}}}
	var p Package
	for i, fn := range p.File(f).Funcs {
		if want := []string{"(*T[...]).M[...]", "(*T[...]).M[...].func1"}[i]; fn.Name != want {
			t.Errorf("%s, want %s", fn.Name, want)
		}
	}
}
