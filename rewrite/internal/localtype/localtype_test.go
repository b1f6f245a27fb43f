package localtype

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestTold has functions that ask for their types, or store values by them, and others that do neither.
func TestTold(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"type mark struct{}; x := mark{}; _ = x == mark{} && last == any(1)", ""},
		{"type mark struct{}; if last == any(mark{}) { return }", "mark"},
		{"type mark struct{}; if (mark{}) != last { return }", "mark"},
		{"type mark struct{}; switch last { case 1, mark{}: }", "mark"},
		{"type mark struct{}; switch { case last == nil: }; x := mark{}; _ = x == mark{}", ""},
		{"type mark struct{}; _ = last == any(any(mark{}))", "mark"},
		{"type list struct{ s []int }; value.Store(list{})", "list"},
		{"type list struct{ s []int }; value.Store(&list{})", "list"},
		{"type list struct{ s []int }; value.Store(map[string][]*list{})", "list"},
		{"type list struct{ s []int }; value.Swap(any(list{}))", "list"},
		{"type list struct{ s []int }; var p atomic.Pointer[list]; p.Store(&list{})", ""},
		{"type list struct{ s []int }; take(list{})", ""},
		{"type mark struct{}; take(mark{})", "mark"},
		{"type mark struct{}; type same = mark; _, _ = last.(*same)", "mark"},
	} {
		src := `package p; import "sync/atomic"; var last any; var value atomic.Value; func take(any) {}; func F() {` + test.body + "}"
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		}
		conf := types.Config{Importer: importer.Default()}
		if _, err := conf.Check("p", fset, []*ast.File{f}, info); err != nil {
			t.Fatalf("%s: %v", test.body, err)
		}
		if got := Told(f.Decls[len(f.Decls)-1], info); got != test.want {
			t.Errorf("%s: told by %q, want %q", test.body, got, test.want)
		}
	}
}
