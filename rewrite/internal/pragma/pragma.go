// Package pragma finds what the compiler is told about functions, such as
//
//	//go:nosplit
//
//	// F does nothing.
//	func F() {}
//
// The compiler reads all directives between the declaration before a function and the function, wherever blank lines are
// (takePragma of cmd/compile/internal/syntax). So the syntax tree's doc comment has not all of them.
package pragma

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Of returns the directives of a function of a file, which has been parsed with comments.
func Of(f *ast.File, decl *ast.FuncDecl) (list []*ast.Comment) {
	from := f.Name.End()
	if i, _ := slices.BinarySearchFunc(f.Decls, decl.Pos(), comparePos[ast.Decl]); i > 0 {
		// Behind the name of the package are imports only, and package mark adds one that is not in the source.
		if g, ok := f.Decls[i-1].(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			from = f.Decls[i-1].End()
		}
	}
	i, _ := slices.BinarySearchFunc(f.Comments, from, comparePos[*ast.CommentGroup])
	for _, group := range f.Comments[i:] {
		if group.Pos() >= decl.Pos() {
			break
		}
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				list = append(list, c)
			}
		}
	}
	return list
}

func comparePos[N ast.Node](n N, pos token.Pos) int { return cmp.Compare(n.Pos(), pos) }
