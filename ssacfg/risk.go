package ssacfg

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// A Risk is code from which control may not come back. It can panic, block, end the goroutine or the process, or call
// something that does. A Risk has the sources of all such code between two places, in their order and each once; nil
// if there is none.
type Risk []Source

// A Source is the part of a statement or condition that something in it belongs to. A line of a stack trace tells no
// smaller part. From is NoPos if it is not known.
type Source struct{ From, To token.Pos }

// sources finds the statement or condition around a position.
type sources struct{ list []Source } // by From; where two overlap, the later is in the earlier

// newSources collects the statements and conditions of files that control runs through as a whole.
func newSources(files []*ast.File) *sources {
	s := new(sources)
	add := func(n ast.Node) { s.list = append(s.list, Source{n.Pos(), n.End()}) }
	cond := func(e ast.Expr) {
		if e != nil {
			add(e)
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt, *ast.ExprStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.GoStmt, *ast.DeferStmt,
				*ast.ReturnStmt, *ast.DeclStmt:
				add(n)
			case *ast.IfStmt:
				cond(n.Cond)
			case *ast.ForStmt:
				cond(n.Cond)
			case *ast.RangeStmt:
				s.list = append(s.list, Source{n.For, n.X.End()})
			case *ast.SwitchStmt:
				cond(n.Tag)
			case *ast.CaseClause:
				for _, e := range n.List {
					add(e)
				}
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					add(n.X)
					add(n.Y)
				}
			}
			return true
		})
	}
	sort.SliceStable(s.list, func(i, j int) bool {
		a, b := s.list[i], s.list[j]
		return a.From < b.From || a.From == b.From && a.To > b.To
	})
	return s
}

// around returns the innermost source around pos, or just pos if there is none.
func (s *sources) around(pos token.Pos) Source {
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].From > pos })
	for i--; i >= 0 && pos-s.list[i].From < maxSource; i-- {
		if pos < s.list[i].To {
			return s.list[i]
		}
	}
	return Source{pos, pos}
}

// maxSource bounds the bytes of a source, and so how far back one is looked for.
const maxSource = 1 << 16

// of returns the source of an instruction: that of the nearest before it that has a position, if it has none itself.
func (s *sources) of(instrs []ssa.Instruction, i int) Source {
	for ; i >= 0; i-- {
		if pos := instrs[i].Pos(); pos.IsValid() {
			return s.around(pos)
		}
	}
	return Source{}
}

// compare orders sources as they stand in the files.
func (s Source) compare(other Source) int {
	return cmp.Or(cmp.Compare(s.From, other.From), cmp.Compare(s.To, other.To))
}

// add adds a source to r, which nothing else refers to. Code mostly comes in the order of its sources: some functions have
// ten thousands in one block.
func (r *Risk) add(s Source) {
	if n := len(*r); n == 0 || (*r)[n-1].compare(s) < 0 {
		*r = append(*r, s)
	} else if i, found := slices.BinarySearchFunc(*r, s, Source.compare); !found {
		*r = slices.Insert(*r, i, s)
	}
}

// Join returns the risks of both, and changes neither.
func (r Risk) Join(other Risk) Risk {
	switch {
	case len(other) == 0:
		return r
	case len(r) == 0:
		return other
	}
	both := slices.SortedFunc(slices.Values(slices.Concat(r, other)), Source.compare)
	return slices.Compact(both)
}
