package ssacfg

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// iterators are the range statements over functions of a package. The code of an iterator is in no block of a
// function that ranges over it. Yet it runs there, and may panic or never return:
//
//	for x := range seq {   before the first iteration and behind each: control is in the header of the loop
//		if x == 1 {
//			break          behind a statement that leaves the loop: control is at the target of that statement
//		}
//		if x == 2 {
//			return         behind a return statement: the path has ended, as it has when deferred functions run
//		}
//	}
type iterators struct {
	info     *types.Info
	overFunc map[*ast.RangeStmt]bool
	loops    map[token.Pos]Source // by the keyword of the statement
	integers map[token.Pos]bool   // statements over integers, by their keywords
	left     map[*mark.Place]Risk // by the place before a statement that leaves such loops: their iterators
}

// newIterators returns the range statements of files that are in overFunc, as unrotate returns it. The files have been marked
// with places.
func newIterators(
	files []*ast.File, info *types.Info, overFunc map[*ast.RangeStmt]bool, places []*mark.Place,
) *iterators {
	it := &iterators{info, overFunc, make(map[token.Pos]Source), make(map[token.Pos]bool), make(map[*mark.Place]Risk)}
	for s, is := range overFunc {
		if is {
			it.loops[s.For] = Source{s.For, s.X.End()}
		} else {
			it.integers[s.For] = true
		}
	}
	if len(it.loops) == 0 {
		return it
	}
	before := make(map[token.Pos]*mark.Place)
	for _, p := range places {
		if p.StartsRun() {
			before[p.From] = p
		}
	}
	for _, f := range files {
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			if s, ok := n.(*ast.BranchStmt); ok {
				if risk := it.leftBy(s, stack); len(risk) > 0 {
					it.left[before[s.Pos()]] = risk
				}
			}
			return true
		})
	}
	return it
}

// leftBy returns the iterators that run when the statement s, inside the nodes of stack, leaves their loops.
func (it *iterators) leftBy(s *ast.BranchStmt, stack []ast.Node) (risk Risk) {
	for i := len(stack) - 1; i > 0; i-- {
		if _, literal := stack[i].(*ast.FuncLit); literal {
			break
		}
		target := isTarget(s, stack[i-1], stack[i])
		loop, ok := stack[i].(*ast.RangeStmt)
		if ok && it.overFunc[loop] && !(target && s.Tok == token.CONTINUE) && !it.staysIn(s, loop) {
			risk.add(it.loops[loop.For])
		}
		if target {
			break
		}
	}
	return risk
}

// isTarget reports whether s is a break or continue statement of n.
func isTarget(s *ast.BranchStmt, parent, n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		if s.Tok == token.CONTINUE {
			return false
		}
	default:
		return false
	}
	if s.Label == nil {
		return s.Tok != token.GOTO
	}
	labeled, ok := parent.(*ast.LabeledStmt)
	return ok && s.Tok != token.GOTO && labeled.Label.Name == s.Label.Name
}

// staysIn reports whether s is a goto statement to a label in the body of a loop, or one that goes to the next clause.
func (it *iterators) staysIn(s *ast.BranchStmt, loop *ast.RangeStmt) bool {
	if s.Tok != token.GOTO {
		return s.Tok == token.FALLTHROUGH
	}
	label := it.info.Uses[s.Label].Pos()
	return loop.Body.Lbrace < label && label < loop.Body.Rbrace
}

// runsIn returns the source of the range statement whose iterator runs in instr, if one does.
func (it *iterators) runsIn(instr ssa.Instruction) (s Source, ok bool) {
	next, ok := instr.(*ssa.Next)
	if !ok {
		return Source{}, false
	}
	s, ok = it.loops[next.Iter.(*ssa.Range).Pos()]
	return s, ok
}

// counts reports whether an instruction is a step of a range over an integer.
func (it *iterators) counts(next *ssa.Next) bool { return it.integers[next.Iter.(*ssa.Range).Pos()] }

// runsAfter returns the iterators that run when control goes from the end of b to the target of the statement there.
func (it *iterators) runsAfter(b *Block) Risk {
	if n := len(b.Places); n > 0 {
		return it.left[b.Places[n-1]]
	}
	return nil
}
