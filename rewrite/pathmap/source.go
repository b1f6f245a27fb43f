package pathmap

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"iter"
	"os"
	"reflect"
	"slices"
	"sort"
	"sync"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Source is a package with labels, whose pieces are numbered through all files, from 0.
type Source struct {
	Funcs []*Func

	GoVersion  string // language version such as "go1.26" for Analyze, or ""
	RangeNames bool   // release.Compiler.RangeNames, for Analyze

	Translated [][]byte // for Analyze: what cgo makes of files that import "C", which are compiled in their place

	files  []label.File
	texts  [][]byte
	fset   *token.FileSet
	syntax []*ast.File    // without markers
	pieces []piece        // of all files
	number map[string]int // of pieces, by the name that a file has with the label

	tokens []lexeme          // of all files
	index  map[token.Pos]int // of tokens

	refs      []blockRef        // by piece: what block it is of
	operators map[int]*operator // by piece: && and ||
	ranges    map[int]bool      // pieces of range clauses
	over      map[int]blockRef  // pieces of what is ranged over: the header of the loop

	returns map[Place]bool // of return statements
	callers map[Place][]caller

	comparisons comparisons

	path   string // of the package
	values *arguments
}

// A piece is a label with its file.
type piece struct {
	file int
	label.Label
}

// A lexeme is a token with the piece that it is in, which is -1 for those outside of functions.
type lexeme struct {
	at    token.Pos
	text  string
	piece int
}

// An operator is && or ||.
type operator struct {
	left   int  // piece of the operand that is evaluated just before
	right  int  // piece of the operand that is evaluated last
	lo, hi int  // pieces of the whole expression
	nested bool // the second operand has && or || itself: its last jump has the position of this operator
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
	out    [][]int       // edges of each block
	posts  map[int]*post // by piece
	defers int           // piece of deferred calls where the function ends, -1 if there is none
	facts  func() [][]table.Fact
}

type edge struct{ from, to int }

// Read reads the files of a package with labels.
func Read(t *label.Table) (*Source, error) { return ReadFrom(t, os.ReadFile) }

// ReadFrom reads the files of a package with labels, by a function that returns the contents of one.
func ReadFrom(t *label.Table, read func(name string) ([]byte, error)) (*Source, error) {
	s := &Source{files: t.Files, fset: token.NewFileSet(), index: make(map[token.Pos]int), number: make(map[string]int)}
	for i, f := range t.Files {
		data, err := read(f.Name)
		if err != nil {
			return nil, err
		}
		syntax, err := parser.ParseFile(s.fset, f.Name, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.texts, s.syntax = append(s.texts, data), append(s.syntax, syntax)
		first := len(s.pieces)
		for k, l := range f.Labels {
			for _, name := range f.Names() {
				s.name(label.Name(name, k), len(s.pieces))
			}
			s.pieces = append(s.pieces, piece{i, l})
		}
		s.scan(s.fset.File(syntax.Pos()), data, first)
	}
	return s, nil
}

// name notes what a piece is called in line tables. Where line directives of several files name one, nothing tells their pieces
// apart.
func (s *Source) name(name string, piece int) {
	if old, ok := s.number[name]; ok && old != piece {
		piece = -1
	}
	s.number[name] = piece
}

// piece returns which piece a name in the line table is, -1 for none.
func (s *Source) piece(file string) int {
	if k, ok := s.number[file]; ok {
		return k
	}
	return -1
}

// ref returns the block of what has a name in the line table.
func (s *Source) ref(file string) blockRef { return s.of(s.piece(file)) }

// of returns the block of a piece, none if there is no piece.
func (s *Source) of(piece int) blockRef {
	if piece < 0 {
		return blockRef{}
	}
	return s.refs[piece]
}

// scan reads the tokens of a file, whose pieces begin with the first.
func (s *Source) scan(file *token.File, data []byte, first int) {
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
		offset := int(pos) - 1
		for first < len(s.pieces) && s.pieces[first].To <= offset {
			first++
		}
		l := lexeme{at: file.Pos(offset), text: lit, piece: -1}
		if first < len(s.pieces) && s.pieces[first].From <= offset {
			l.piece = first
		}
		if lit == "" {
			l.text = tok.String()
		}
		s.index[l.at] = len(s.tokens)
		s.tokens = append(s.tokens, l)
	}
}

// pieceAt returns the piece of the token at a position.
func (s *Source) pieceAt(p token.Pos) int { return s.tokens[s.index[p]].piece }

// Analyze makes the graphs of all functions, and finds out of which block each piece is.
func (s *Source) Analyze(path string, imports types.Importer) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for i, file := range s.files {
		f, err := parser.ParseFile(fset, file.Name, s.texts[i], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !importsC(f) {
			files = append(files, f)
		}
	}
	own := len(files)
	for _, text := range s.Translated {
		f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	list, err := ssacfg.Analyze(ssacfg.Input{Path: path, Fset: fset, Files: files, Importer: imports, Sizes: sizes,
		GoVersion: s.GoVersion, RangeNames: s.RangeNames, Abandoned: true, Evaluated: true})
	if err != nil {
		return err
	}
	l := &locator{Source: s, exprs: make(map[node][]blockRef), points: make(map[token.Pos][]blockRef),
		parent: make(map[ast.Node]ast.Node), below: make(map[ast.Node][]ast.Node)}
	for _, sf := range list {
		if sf.Declined != "" || slices.Contains(files[own:], sf.File) {
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
	s.path, s.values = path, s.arguments()
	s.findReturns()
	s.findPosts()
	s.findDeferred()
	s.findComparisons()
	s.findCallers()
	return nil
}

// importsC reports whether a file is not compiled, but what cgo makes of it.
func importsC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
}

func newFunc(sf *ssacfg.Func) *Func {
	f := &Func{Func: sf, blocks: len(sf.Graph.Blocks), facts: sync.OnceValue(sf.Facts)}
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

// A locator finds the blocks of pieces.
type locator struct {
	*Source
	exprs  map[node][]blockRef
	points map[token.Pos][]blockRef
	parent map[ast.Node]ast.Node
	below  map[ast.Node][]ast.Node
	inner  []ast.Node // by token: the innermost node
}

func (l *locator) locate() {
	l.inner = make([]ast.Node, len(l.tokens))
	l.operators, l.ranges, l.over = make(map[int]*operator), make(map[int]bool), make(map[int]blockRef)
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
				l.rangesOver(n, headers[n.Range])
			case *ast.BinaryExpr:
				if k := l.pieceAt(n.OpPos); mark.IsLogical(n) && k >= 0 {
					l.operators[k] = l.operator(n)
				}
			}
			return true
		})
	}
	l.refs = make([]blockRef, len(l.pieces))
	mixed := make([]bool, len(l.pieces))
	for k, t := range l.tokens {
		r := l.blockOf(k, headers)
		switch {
		case t.piece < 0 || r.f == nil || l.closes(k):
		case l.refs[t.piece].f == nil:
			l.refs[t.piece] = r
		case l.refs[t.piece] != r:
			mixed[t.piece] = true
		}
	}
	for k := range mixed {
		if mixed[k] { // control does not run through it as a whole
			l.refs[k] = blockRef{}
		}
	}
}

// within yields the tokens of a node.
func (s *Source) within(n ast.Node) iter.Seq[lexeme] {
	return func(yield func(lexeme) bool) {
		k, ok := s.index[n.Pos()]
		for ; ok && k < len(s.tokens) && s.tokens[k].at < n.End(); k++ {
			if !yield(s.tokens[k]) {
				return
			}
		}
	}
}

// rangesOver notes the pieces of a range clause, and of what is ranged over.
func (l *locator) rangesOver(r *ast.RangeStmt, header blockRef) {
	for _, p := range []token.Pos{r.For, r.TokPos, r.Range} {
		if p.IsValid() && l.pieceAt(p) >= 0 {
			l.ranges[l.pieceAt(p)] = true
		}
	}
	for x := range l.within(r.X) {
		if p := x.piece; p >= 0 && l.pieces[p].Function == l.pieces[l.pieceAt(r.X.Pos())].Function {
			l.over[p] = header
		}
	}
}

// closes reports whether a token ends what another piece has begun.
func (l *locator) closes(k int) bool {
	switch l.inner[k].(type) {
	case *ast.CaseClause, *ast.CommClause:
		return l.tokens[k].text == ":"
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.BlockStmt:
		return l.tokens[k].text == "{" || l.tokens[k].text == "}"
	}
	return false
}

// blockOf returns the block of a token, none if it is not known.
func (l *locator) blockOf(k int, headers map[token.Pos]blockRef) blockRef {
	at := l.tokens[k].at
	if r, ok := l.inner[k].(*ast.RangeStmt); ok && (at == r.For || at == r.Range || at == r.TokPos) {
		return headers[r.Range]
	}
	if list := l.points[at]; len(list) == 1 {
		return list[0]
	}
	if r, ok := l.keyword(k); ok {
		return r
	}
	return l.climb(l.inner[k])
}

// keyword returns the block of the condition of an if or for statement whose keyword token k is. Jumps that test a variable have
// the keyword's position.
func (l *locator) keyword(k int) (blockRef, bool) {
	var cond ast.Expr
	switch n := l.inner[k].(type) {
	case *ast.IfStmt:
		if l.tokens[k].at == n.If {
			cond = n.Cond
		}
	case *ast.ForStmt:
		if l.tokens[k].at == n.For {
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
		k := sort.Search(len(l.tokens), func(i int) bool { return l.tokens[i].at >= n.Pos() })
		for ; k < len(l.tokens) && l.tokens[k].at < n.End(); k++ {
			l.inner[k] = n
		}
		return true
	})
}

func (l *locator) operator(b *ast.BinaryExpr) *operator {
	o := &operator{left: l.pieceAt(lastOperand(b.X).Pos()), right: l.pieceAt(lastOperand(b.Y).Pos()), lo: l.pieceAt(b.Pos())}
	for x := range l.within(b) {
		o.hi = max(o.hi, x.piece+1)
	}
	_, o.calls = lastOperand(b.Y).(*ast.Ident)
	y, _ := ast.Unparen(b.Y).(*ast.BinaryExpr)
	o.nested = y != nil && mark.IsLogical(y)
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
		if mark.IsLogical(n) || mark.IsLogical(l.parent[n]) {
			return blockRef{}
		}
		n = l.parent[n]
	}
	return blockRef{}
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
		if list = l.all(sw.Assign, nil); len(list) != 1 {
			list = l.firstCase(sw.Body)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return blockRef{}
}

// firstCase returns the blocks that the first clause of a switch is tested in.
func (l *locator) firstCase(body *ast.BlockStmt) []blockRef {
	for _, s := range body.List {
		if list := l.points[s.Pos()]; len(list) > 0 {
			return list
		}
	}
	return nil
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
