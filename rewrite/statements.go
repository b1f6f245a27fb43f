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
	s := newStarts(fn)
	for _, p := range fn.Places {
		s.add(p.Pos, s.at(p.ID))
	}
	s.addElses(fn.Body)
	slices.SortStableFunc(s.list, func(a, b start) int { return cmp.Compare(a.pos, b.pos) })
	var list []table.Statement
	for _, x := range s.list {
		pos := fset.PositionFor(x.pos, false)
		list = append(list, table.Statement{Line: pos.Line, Col: pos.Column, Block: x.block, Index: x.index})
	}
	return list
}

// starts collects the starts of a function's runs of statements. Most are the places
// in front of statements. Else branches come from the marked syntax tree: a coverage
// tool takes them to begin behind the brace before the else.
type starts struct {
	list   []start
	places map[int]where // by number, those in a block
}

type start struct {
	pos token.Pos
	where
}

// where is a place in the graph. index is as in table.Statement.
type where struct{ block, index int }

// dead is where control never comes.
var dead = where{block: -1}

func newStarts(fn *ssacfg.Func) *starts {
	s := &starts{places: make(map[int]where)}
	for i, b := range fn.Graph.Blocks {
		n := 0
		for _, p := range b.Places {
			if p.Kind == mark.Stmt {
				s.places[p.ID] = where{i, n}
				n++
			} else {
				// Not a run of statements that positions count: it has been reached with the one before it.
				s.places[p.ID] = where{i, n - 1}
			}
		}
	}
	return s
}

// at returns where the place with the given number is.
func (s *starts) at(place int) where {
	if w, ok := s.places[place]; ok {
		return w
	}
	return dead
}

func (s *starts) add(pos token.Pos, w where) { s.list = append(s.list, start{pos, w}) }

// addElses adds the else branches in a body.
func (s *starts) addElses(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // a function of its own
		case *ast.IfStmt:
			if e, ok := n.Else.(*ast.BlockStmt); ok { // as all are once they are marked
				if place, ok := markerOf(e.List[0]); ok {
					s.add(n.Body.End(), s.at(place))
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
