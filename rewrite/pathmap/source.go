package pathmap

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"slices"
	"sort"

	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A Source is a package whose tokens are numbered through all files, from 0.
type Source struct {
	Files []string

	texts  [][]byte
	fset   *token.FileSet
	syntax []*ast.File // without markers
	first  []int       // token of each file
	at     []token.Pos // of each token
	text   []string    // of each token
	index  map[token.Pos]int

	Funcs []*Func
	refs  []blockRef // what block each token is of

	operators map[int]*operator // by token: && and ||
	ranges    map[int]bool      // tokens of range clauses
	over      map[int]blockRef  // tokens of what is ranged over: the header of the loop
}

// An operator is && or ||.
type operator struct {
	left   int  // a token of the operand that is evaluated just before
	right  int  // a token of the operand that is evaluated last
	lo, hi int  // tokens of the whole expression
	calls  bool // the jump of the second operand may have the position of the operator: it has calls, or is a variable
}

// blockRef is a block of a function.
type blockRef struct {
	f     *Func
	block int
}

// A Func is a function of the source with a numbered graph.
type Func struct {
	*ssacfg.Func
	blocks int
	edges  []edge
	out    [][]int // edges of each block
}

type edge struct{ from, to int }

// Read reads the files of a package.
func Read(files []string) (*Source, error) {
	s := &Source{Files: files, fset: token.NewFileSet(), index: make(map[token.Pos]int)}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(s.fset, name, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.texts, s.syntax = append(s.texts, data), append(s.syntax, f)
		s.scan(s.fset.File(f.Pos()), data)
	}
	return s, nil
}

// scan numbers the tokens of a file.
func (s *Source) scan(file *token.File, data []byte) {
	s.first = append(s.first, len(s.at))
	var sc scanner.Scanner
	sc.Init(token.NewFileSet().AddFile("", -1, len(data)), data, nil, 0)
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.SEMICOLON && lit != ";" {
			continue
		}
		at := file.Pos(int(pos) - 1)
		s.index[at] = len(s.at)
		s.at = append(s.at, at)
		if lit == "" {
			lit = tok.String()
		}
		s.text = append(s.text, lit)
	}
}

// Labelled returns file i with a line directive before each token, by which token k has line k+1.
func (s *Source) Labelled(i int) []byte {
	var b bytes.Buffer
	last, end := 0, len(s.at)
	if i+1 < len(s.first) {
		end = s.first[i+1]
	}
	for k := s.first[i]; k < end; k++ {
		offset := s.fset.PositionFor(s.at[k], false).Offset
		b.Write(s.texts[i][last:offset])
		if k != s.first[i] {
			fmt.Fprintf(&b, " /*line %s:%d:1*/", s.Files[i], k+1)
		}
		last = offset
	}
	b.Write(s.texts[i][last:])
	return b.Bytes()
}

// Analyze makes the graphs of all functions, and finds out of which block each token is.
func (s *Source) Analyze(path string, imports types.Importer) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for i, name := range s.Files {
		f, err := parser.ParseFile(fset, name, s.texts[i], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	list, err := ssacfg.Analyze(ssacfg.Input{Path: path, Fset: fset, Files: files, Importer: imports, Sizes: types.SizesFor("gc", "amd64"),
		Abandoned: true, Evaluated: true})
	if err != nil {
		return err
	}
	l := locator{Source: s, exprs: make(map[node][]blockRef), points: make(map[token.Pos][]blockRef),
		parent: make(map[ast.Node]ast.Node), below: make(map[ast.Node][]ast.Node)}
	for _, sf := range list {
		if sf.Declined != "" {
			continue
		}
		f := newFunc(sf)
		s.Funcs = append(s.Funcs, f)
		for i, b := range sf.Graph.Blocks {
			for _, e := range b.Exprs {
				n := nodeOf(e)
				l.exprs[n] = add(l.exprs[n], blockRef{f, i})
			}
			for _, p := range b.Points {
				l.points[p] = add(l.points[p], blockRef{f, i})
			}
		}
	}
	l.locate()
	return nil
}

func newFunc(sf *ssacfg.Func) *Func {
	f := &Func{Func: sf, blocks: len(sf.Graph.Blocks)}
	f.out = make([][]int, f.blocks)
	for i, e := range sf.Graph.Edges {
		f.edges = append(f.edges, edge{e.From.Index(), e.To.Index()})
		f.out[e.From.Index()] = append(f.out[e.From.Index()], i)
	}
	return f
}

func add(l []blockRef, r blockRef) []blockRef {
	if slices.Contains(l, r) {
		return l
	}
	return append(l, r)
}

// A node is an expression in both syntax trees, that with and that without markers. Both file sets have the same files in the
// same order, so that positions are the same.
type node struct {
	pos, end token.Pos
	typ      string
}

func nodeOf(n ast.Node) node { return node{n.Pos(), n.End(), reflect.TypeOf(n).String()} }

// A locator finds the blocks of tokens.
type locator struct {
	*Source
	exprs  map[node][]blockRef
	points map[token.Pos][]blockRef
	parent map[ast.Node]ast.Node
	below  map[ast.Node][]ast.Node
	inner  []ast.Node // the innermost node of each token
}

func (l *locator) locate() {
	l.inner = make([]ast.Node, len(l.at))
	l.operators, l.ranges, l.over = make(map[int]*operator), make(map[int]bool), make(map[int]blockRef)
	l.refs = make([]blockRef, len(l.at))
	headers := make(map[token.Pos]blockRef)
	for _, f := range l.Funcs {
		for i, b := range f.Graph.Blocks {
			if len(b.Out()) > 1 && b.From.IsValid() {
				headers[b.From] = blockRef{f, i}
			}
		}
	}
	for _, f := range l.syntax {
		l.index2(f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				for k := l.index[n.X.Pos()]; l.at[k] < n.X.End(); k++ {
					l.over[k] = headers[n.Range]
				}
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					l.operators[l.index[n.OpPos]] = l.operator(n)
				}
			}
			return true
		})
	}
	for k := range l.at {
		if r, ok := l.inner[k].(*ast.RangeStmt); ok && (l.at[k] == r.For || l.at[k] == r.Range || l.at[k] == r.TokPos) {
			l.refs[k], l.ranges[k] = headers[r.Range], true
			continue
		}
		if list := l.points[l.at[k]]; len(list) == 1 {
			l.refs[k] = list[0]
			continue
		}
		if r, ok := l.keyword(k); ok {
			l.refs[k] = r
			continue
		}
		l.refs[k] = l.climb(l.inner[k])
	}
}

// keyword returns the block of the condition of an if or for statement, whose keyword token k is: jumps that test a variable have
// its position.
func (l *locator) keyword(k int) (blockRef, bool) {
	var cond ast.Expr
	switch n := l.inner[k].(type) {
	case *ast.IfStmt:
		if l.at[k] == n.If {
			cond = n.Cond
		}
	case *ast.ForStmt:
		if l.at[k] == n.For {
			cond = n.Cond
		}
	}
	if cond == nil {
		return blockRef{}, false
	}
	list := l.all(cond, nil)
	if len(list) != 1 {
		return blockRef{}, false
	}
	return list[0], true
}

// index2 finds the nodes around each token of a file.
func (l *locator) index2(f *ast.File) {
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			up := stack[len(stack)-1]
			l.parent[n] = up
			l.below[up] = append(l.below[up], n)
		}
		stack = append(stack, n)
		k := sort.Search(len(l.at), func(i int) bool { return l.at[i] >= n.Pos() })
		for ; k < len(l.at) && l.at[k] < n.End(); k++ {
			l.inner[k] = n
		}
		return true
	})
}

func (l *locator) operator(b *ast.BinaryExpr) *operator {
	o := &operator{left: l.index[lastOperand(b.X).Pos()], right: l.index[lastOperand(b.Y).Pos()], lo: l.index[b.Pos()]}
	for o.hi = o.lo; o.hi < len(l.at) && l.at[o.hi] < b.End(); o.hi++ {
	}
	_, o.calls = lastOperand(b.Y).(*ast.Ident)
	ast.Inspect(b.Y, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); !ok || types.Universe.Lookup(id.Name) == nil {
				o.calls = true
			}
		}
		return true
	})
	return o
}

// lastOperand returns the operand of a condition that is evaluated last.
func lastOperand(x ast.Expr) ast.Expr {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
			continue
		case *ast.UnaryExpr:
			if e.Op == token.NOT {
				x = e.X
				continue
			}
		case *ast.BinaryExpr:
			if e.Op == token.LAND || e.Op == token.LOR {
				x = e.Y
				continue
			}
		}
		return x
	}
}

func (l *locator) known(n ast.Node) []blockRef { return l.exprs[nodeOf(n)] }

// all returns the blocks of what is below n, function literals left out.
func (l *locator) all(n ast.Node, to []blockRef) []blockRef {
	for _, r := range l.known(n) {
		to = add(to, r)
	}
	for _, r := range l.points[n.Pos()] {
		to = add(to, r)
	}
	for _, c := range l.below[n] {
		if _, lit := c.(*ast.FuncLit); !lit {
			to = l.all(c, to)
		}
	}
	return to
}

// climb returns the block of the innermost node around n for which that is known, within its statement.
func (l *locator) climb(n ast.Node) blockRef {
	for n != nil {
		if list := l.known(n); len(list) == 1 {
			return list[0]
		} else if len(list) > 1 {
			return blockRef{}
		}
		switch x := n.(type) {
		case *ast.CaseClause:
			return l.tag(l.parent[l.parent[n]])
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			return l.tag(n)
		case *ast.IfStmt, *ast.ForStmt, *ast.SelectStmt, *ast.BlockStmt, *ast.CommClause, *ast.FuncLit, *ast.FuncDecl, *ast.LabeledStmt,
			*ast.BranchStmt, *ast.RangeStmt:
			return blockRef{}
		case ast.Stmt:
			return l.statement(x)
		}
		if isLogical(n) || isLogical(l.parent[n]) {
			return blockRef{}
		}
		n = l.parent[n]
	}
	return blockRef{}
}

func isLogical(n ast.Node) bool {
	b, ok := n.(*ast.BinaryExpr)
	return ok && (b.Op == token.LAND || b.Op == token.LOR)
}

// tag returns the block of what a switch is about.
func (l *locator) tag(n ast.Node) blockRef {
	var list []blockRef
	switch sw := n.(type) {
	case *ast.SwitchStmt:
		if sw.Tag != nil {
			list = l.known(sw.Tag)
		}
	case *ast.TypeSwitchStmt:
		list = l.all(sw.Assign, nil)
	}
	if len(list) == 1 {
		return list[0]
	}
	return blockRef{}
}

// statement returns the block of a statement that is in one, and of an assignment that of what is evaluated last.
func (l *locator) statement(s ast.Stmt) blockRef {
	list := l.all(s, nil)
	if a, ok := s.(*ast.AssignStmt); ok && len(list) > 1 {
		list = l.known(a.Rhs[len(a.Rhs)-1])
	}
	if len(list) == 1 {
		return list[0]
	}
	return blockRef{}
}

// Position returns where a position of the graphs is.
func (s *Source) Position(p token.Pos) token.Position { return s.fset.PositionFor(p, false) }
