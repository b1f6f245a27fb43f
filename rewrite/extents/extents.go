package extents

import (
	"cmp"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Of returns the extents of a file, sorted by the place of their counters. It also returns the base names that //line
// directives give some of its functions. The syntax tree stays as it is.
func Of(fset *token.FileSet, syntax *ast.File, src []byte, gaps bool) (list []table.Extent, names []string) {
	f := &file{fset: fset, tokens: fset.File(syntax.FileStart), src: src, gaps: gaps, seen: make(map[pair]bool)}
	f.own = filepath.Base(f.tokens.Name())
	ast.Walk(f, syntax)
	slices.SortStableFunc(f.list, func(a, b table.Extent) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return f.list, f.names
}

// A file is one that is being divided.
type file struct {
	fset   *token.FileSet
	tokens *token.File
	src    []byte
	gaps   bool

	own      string // base name
	names    []string
	function ast.Node // outermost, that the walk is in
	name     int      // of it, as table.Extent.Name

	list []table.Extent
	seen map[pair]bool
}

// A pair is where an extent starts and ends.
type pair struct{ from, to token.Position }

// Visit is that of cmd/cover's File.
func (f *file) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.BlockStmt:
		f.block(n)
	case *ast.IfStmt:
		f.ifStmt(n)
		return nil
	case *ast.SelectStmt:
		if len(n.Body.List) == 0 {
			return nil
		}
	case *ast.SwitchStmt:
		if len(n.Body.List) == 0 {
			f.walk(n.Init)
			f.walk(n.Tag)
			return nil
		}
	case *ast.TypeSwitchStmt:
		if len(n.Body.List) == 0 {
			f.walk(n.Init)
			f.walk(n.Assign)
			return nil
		}
	case *ast.FuncDecl:
		if n.Name.Name != "_" && n.Body != nil {
			f.body(n, n.Body)
		}
		return nil
	case *ast.FuncLit:
		f.body(n, n.Body)
		return nil
	}
	return f
}

// walk walks a part of a statement, which may be missing.
func (f *file) walk(n ast.Node) {
	if n != nil {
		ast.Walk(f, n)
	}
}

// body divides a function. Literals have the name of the function that they are in.
func (f *file) body(function ast.Node, body *ast.BlockStmt) {
	if f.function == nil {
		f.function, f.name = function, f.nameAt(function.Pos())
		defer func() { f.function = nil }()
	}
	ast.Walk(f, body)
}

// nameAt returns the base name of the file at a position, as table.Extent.Name.
func (f *file) nameAt(pos token.Pos) int {
	name := filepath.Base(f.fset.Position(pos).Filename)
	if name == f.own {
		return 0
	}
	i := slices.Index(f.names, name)
	if i < 0 {
		i = len(f.names)
		f.names = append(f.names, name)
	}
	return i + 1
}

// block adds the counters of a list of statements between braces, or of clauses.
func (f *file) block(n *ast.BlockStmt) {
	if len(n.List) > 0 {
		switch n.List[0].(type) {
		case *ast.CaseClause:
			for _, s := range n.List {
				clause := s.(*ast.CaseClause)
				f.addCounters(clause.Colon+1, clause.Colon+1, clause.End(), clause.Body, false)
			}
			return
		case *ast.CommClause:
			for _, s := range n.List {
				clause := s.(*ast.CommClause)
				f.addCounters(clause.Colon+1, clause.Colon+1, clause.End(), clause.Body, false)
			}
			return
		}
	}
	f.addCounters(n.Lbrace, n.Lbrace+1, n.Rbrace+1, n.List, true)
}

// ifStmt walks an if statement. What is behind else counts as a block, which begins behind the word.
func (f *file) ifStmt(n *ast.IfStmt) {
	f.walk(n.Init)
	f.walk(n.Cond)
	ast.Walk(f, n.Body)
	if n.Else == nil {
		return
	}
	pos := f.tokens.Pos(f.findElse(n.Body.End()) + len("else"))
	switch s := n.Else.(type) {
	case *ast.IfStmt:
		ast.Walk(f, &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{s}, Rbrace: s.End()})
	case *ast.BlockStmt:
		ast.Walk(f, &ast.BlockStmt{Lbrace: pos, List: s.List, Rbrace: s.Rbrace})
	}
}

// addCounters adds a counter for each basic block of a list of statements. The list starts at pos and ends at blockEnd,
// and its first counter is at insertPos.
func (f *file) addCounters(pos, insertPos, blockEnd token.Pos, list []ast.Stmt, extendToClosingBrace bool) {
	if len(list) == 0 {
		r := span{insertPos, blockEnd}
		if f.gaps {
			r = f.codeRanges(insertPos, blockEnd)[0]
			insertPos = r.pos
		}
		f.add(insertPos, r, 0)
		return
	}
	list = slices.Clone(list) // labels are taken off below
	for {
		last, end := 0, blockEnd
		for ; last < len(list); last++ {
			s := list[last]
			end = statementBoundary(s)
			if !mark.EndsCovered(s) {
				continue
			}
			if label, ok := s.(*ast.LabeledStmt); ok && !mark.IsControl(label.Stmt) {
				end = label.Pos() // the block ends before the label, and its statement starts the next one
				unlabeled := *label
				unlabeled.Stmt = &ast.EmptyStmt{Semicolon: label.Stmt.Pos(), Implicit: true}
				list[last] = &unlabeled
				list = slices.Insert(list, last+1, label.Stmt)
			}
			last++
			extendToClosingBrace = false
			break
		}
		if extendToClosingBrace {
			end = blockEnd
		}
		if pos != end { // else there is no source to cover
			f.addRun(pos, insertPos, end, list[:last])
		}
		list = list[last:]
		if len(list) == 0 {
			return
		}
		pos = list[0].Pos()
		insertPos = pos
	}
}

// addRun adds the counters of a basic block: one, or with gaps one for each range of lines with code.
func (f *file) addRun(pos, insertPos, end token.Pos, list []ast.Stmt) {
	if !f.gaps {
		f.add(insertPos, span{pos, end}, len(list))
		return
	}
	for i, r := range mergeRangesWithinStatements(f.codeRanges(pos, end), list) {
		at := r.pos
		if i == 0 {
			at = insertPos
		}
		f.add(at, r, len(list))
	}
}

// add adds a counter. What the tool has in 16 bits is cut to these.
func (f *file) add(at token.Pos, r span, stmts int) {
	place := f.fset.PositionFor(at, false)
	from, to := f.dedup(f.position(r.pos), f.position(r.end))
	f.list = append(f.list, table.Extent{
		Line: place.Line, Col: place.Column,
		StartLine: from.Line, StartCol: from.Column, EndLine: to.Line, EndCol: to.Column,
		Stmts: min(stmts, 1<<16-1), Name: f.name,
	})
}

// position returns where profiles have a position.
func (f *file) position(pos token.Pos) token.Position {
	p := f.fset.PositionFor(pos, !f.gaps)
	p.Offset = 0
	return p
}

// dedup makes the end of an extent another one until no earlier extent has both its start and end. Line directives without
// a column may make them equal (golang/go#27530, #30746).
func (f *file) dedup(from, to token.Position) (token.Position, token.Position) {
	for f.seen[pair{from, to}] {
		to.Column++
	}
	f.seen[pair{from, to}] = true
	return from, to
}
