package difffuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/progen"
)

// maxTries bounds the time that shrinking takes: a try builds and runs two programs.
const maxTries = 400

// Shrink deletes packages, declarations and statements as long as check finds a failure of the same kind as f. check
// returns none for what does not build.
func Shrink(files map[string]string, f *Failure, check func(map[string]string) []*Failure) map[string]string {
	tries := 0
	still := func(candidate map[string]string) bool {
		tries++
		return tries <= maxTries && slices.ContainsFunc(check(candidate), func(g *Failure) bool { return g.Kind == f.Kind })
	}
	if smaller := onePackage(files, f.File); smaller != nil && still(smaller) {
		files = smaller
	}
	for changed := true; changed && tries < maxTries; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !strings.HasPrefix(name, "p") {
				continue
			}
			for at := 0; tries < maxTries; at++ {
				src, ok := without(files[name], at)
				if !ok {
					break
				}
				if src == "" {
					continue
				}
				candidate := maps.Clone(files)
				candidate[name] = src
				if still(candidate) {
					files = candidate
					changed = true
					at-- // what follows has its number now
				}
			}
		}
	}
	return files
}

// onePackage returns the program with no other package than that of the file.
func onePackage(files map[string]string, file string) map[string]string {
	pkg, _, ok := strings.Cut(file, "/")
	if !ok {
		return nil
	}
	smaller := map[string]string{"go.mod": files["go.mod"], "tr/tr.go": files["tr/tr.go"], file: files[file]}
	smaller["main.go"] = "package main\n\nimport \"" + progen.Module + "/" + pkg + "\"\n\nfunc main() { " + pkg + ".Run() }\n"
	return smaller
}

// without returns src without its n-th part; false if there are fewer. Parts come in the
// order of a breadth-first walk, large before small.
func without(src string, n int) (string, bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	type part struct{ from, to token.Pos }
	var parts []part
	cut := func(n ast.Node) { parts = append(parts, part{n.Pos(), n.End()}) }
	for _, d := range f.Decls {
		cut(d)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		case *ast.LabeledStmt:
			cut(&ast.BadStmt{From: n.Pos(), To: n.Colon + 1})
		case *ast.IfStmt:
			if n.Else != nil {
				cut(&ast.BadStmt{From: n.Body.End(), To: n.Else.End()})
			}
			cut(&ast.BadStmt{From: n.Pos(), To: n.Body.Pos()})
		case *ast.BinaryExpr:
			cut(&ast.BadStmt{From: n.Pos(), To: n.Y.Pos()})
			cut(&ast.BadStmt{From: n.X.End(), To: n.Y.End()})
		}
		for _, s := range list {
			cut(s)
		}
		return true
	})
	slices.SortStableFunc(parts, func(a, b part) int { return int(b.to-b.from) - int(a.to-a.from) })
	if n >= len(parts) {
		return "", false
	}
	from, to := fset.Position(parts[n].from).Offset, fset.Position(parts[n].to).Offset
	return src[:from] + src[to:], true
}
