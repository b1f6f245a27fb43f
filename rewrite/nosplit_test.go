package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestNosplit reads directives as the compiler does.
func TestNosplit(t *testing.T) {
	for _, test := range []struct {
		comments string
		want     bool
	}{
		{"", false},
		{"// F is go:nosplit.\n", false},
		{"//go:nosplit\n", true},
		{"// F does nothing.\n//\n//go:noinline\n//go:nosplit\n", true},
		{"//go:nosplit // it runs on the signal stack\n", true},
		{"//go:nosplitter\n", false},
		{"// go:nosplit\n", false},
		{"//go:nosplit\n\n", true},
		{"//go:nosplit\n\n// F does nothing.\n", true},
		{"import _ \"unsafe\"\n\n//go:nosplit\n\n// F does nothing.\n", true},
		{"var x = 1 // is not F's\n//go:nosplit\n// Nor is this.\n\n", true},
		{"//go:nosplit\nfunc G() {}\n\n// F does nothing.\n", false},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n\n"+test.comments+"func F() {}\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := hasNosplit(f, f.Decls[len(f.Decls)-1].(*ast.FuncDecl)); got != test.want {
			t.Errorf("%q: %t", test.comments, got)
		}
	}
}
