package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// syntax is that of a file.
type syntax struct {
	fset *token.FileSet
	file *ast.File
}

func (file *File) parse() (*syntax, error) {
	s := &syntax{fset: token.NewFileSet()}
	var err error
	s.file, err = parser.ParseFile(s.fset, "", file.Text, parser.SkipObjectResolution)
	return s, err
}

// find returns by how many lines f is further down than it was, if all of it is as it was. Then lines have been added
// or taken away above it. The declaration must have the name, so that f is not found in what only looks like it.
func (file *File) find(f *profile.Function) (by int, ok bool) {
	if f.Table.Body.Line == 0 {
		return 0, false
	}
	syntax, err := file.syntax()
	if err != nil {
		return 0, false
	}
	try := func(body *ast.BlockStmt) {
		n := syntax.fset.PositionFor(body.Lbrace, false).Line - f.Table.Body.Line
		if file.has(moved(f.Table, n)) && (!ok || abs(n) < abs(by)) {
			by, ok = n, true
		}
	}
	for _, decl := range syntax.file.Decls {
		literal := true
		if fn, isFunc := decl.(*ast.FuncDecl); isFunc {
			rest, isNamed := named(f, fn)
			if !isNamed || fn.Body == nil {
				continue
			}
			if literal = strings.Contains(rest, "."); !literal {
				try(fn.Body)
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if lit, isLit := n.(*ast.FuncLit); isLit && literal {
				try(lit.Body)
			}
			return true
		})
	}
	return by, ok
}

// named reports whether f is declared so, or is a literal within what is, and what else there is of its name.
func named(f *profile.Function, decl *ast.FuncDecl) (rest string, ok bool) {
	rest = strings.TrimPrefix(f.Table.Name, f.Package+".")
	if decl.Recv != nil {
		if receiver := strings.Index(rest, "."+decl.Name.Name); receiver >= 0 {
			rest, ok = rest[receiver+1:], true
		}
	}
	rest, cut := strings.CutPrefix(rest, decl.Name.Name)
	return rest, cut && ok == (decl.Recv != nil) && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func abs(n int) int { return max(n, -n) }

// move returns the file with its lines further up by a number of them.
func (file *File) move(by int) *File {
	if by == 0 {
		return file
	}
	if file.moved[by] == nil {
		m := *file
		m.Moved, m.moved = by, nil
		if by > 0 {
			m.Lines = file.Lines[by:]
		} else {
			m.Lines = append(make([]string, -by), file.Lines...)
		}
		m.Text = strings.Join(m.Lines, "\n")
		if file.moved == nil {
			file.moved = make(map[int]*File)
		}
		file.moved[by] = &m
	}
	return file.moved[by]
}

// moved returns the place of a function when it is further down by a number of lines.
func moved(t *table.Function, by int) *table.Function {
	m := *t
	shift := func(b table.Block) table.Block {
		if b.Line > 0 {
			b.Line, b.EndLine = b.Line+by, b.EndLine+by
		}
		return b
	}
	m.Line, m.EndLine, m.Body = t.Line+by, t.EndLine+by, shift(t.Body)
	m.Blocks = nil
	for _, b := range t.Blocks {
		m.Blocks = append(m.Blocks, shift(b))
	}
	return &m
}
