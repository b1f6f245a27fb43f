package rewrite

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// statements returns where the runs of statements of a function start, by position.
func statements(fset *token.FileSet, fn *ssacfg.Func) []table.Statement {
	s := starts{places: runs(fn)}
	for _, p := range fn.Places {
		s.add(p.Pos, s.places[p.ID])
		s.list[len(s.list)-1].count = p.Stmts
	}
	s.addElses(fn.Body)
	slices.SortStableFunc(s.list, func(a, b start) int { return cmp.Compare(a.pos, b.pos) })
	var list []table.Statement
	for _, x := range s.list {
		pos := fset.PositionFor(x.pos, false)
		list = append(list, table.Statement{Line: pos.Line, Col: pos.Column, Block: x.block, Index: x.index, Count: x.count})
	}
	return list
}

// starts collects the starts of a function's runs of statements. Most are the places
// where one begins. Else branches begin earlier, behind the brace before the else, where a coverage tool may put its
// counter. The marked syntax tree tells which brace that is.
type starts struct {
	list   []start
	places map[int]where
}

type start struct {
	pos   token.Pos
	count int // of statements
	where
}

// where is a run of statements in the graph: block -1 if control never comes there, and index as in table.Statement.
type where struct{ block, index int }

// runs returns where the places of fn are at which runs of statements start, by number.
func runs(fn *ssacfg.Func) map[int]where {
	places := make(map[int]where)
	for _, p := range fn.Places {
		places[p.ID] = where{block: -1}
	}
	for i, b := range fn.Graph.Blocks {
		n := 0
		for _, p := range b.Places {
			if p.StartsRun() {
				places[p.ID] = where{i, n}
				n++
			}
		}
	}
	return places
}

func (s *starts) add(pos token.Pos, w where) { s.list = append(s.list, start{pos: pos, where: w}) }

// addElses adds the else branches in a body.
func (s *starts) addElses(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // a function of its own
		case *ast.IfStmt:
			if e, ok := n.Else.(*ast.BlockStmt); ok { // as all are once they are marked
				if id, ok := markerOf(e.List[0]); ok {
					if w, ok := s.places[id]; ok { // not the place of an else that is missing
						s.add(n.Body.End(), w)
					}
				}
			}
		}
		return true
	})
}

// markers is the name of the package of markers in a marked tree.
var markers = mark.NewPackage().Name()

// markerOf returns the number of the place whose marker stmt is.
func markerOf(stmt ast.Stmt) (place int, ok bool) {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return 0, false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok {
		return 0, false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return 0, false
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != markers {
		return 0, false
	}
	place, err := strconv.Atoi(call.Args[0].(*ast.BasicLit).Value)
	return place, err == nil
}
