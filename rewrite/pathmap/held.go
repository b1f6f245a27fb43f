package pathmap

import (
	"go/ast"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A call may panic, and what control has come to before it counts. So steps are taken in front of a call. Two things move
// them.

// A held is steps in front of a call that wait for what is behind the call. A look there tells which of several ways was
// taken: the compiler evaluates a condition late that became a conditional move.
type held struct{ steps []step }

// A holder visits the steps of a machine block, but those that wait.
type holder struct {
	t     *Target
	b     *machine.Block
	visit func(step) (goOn bool)
	steps []step
}

// hold returns what visits the steps of b, and begins with those that have waited.
func (t *Target) hold(s state, b *machine.Block, visit func(step) (goOn bool)) *holder {
	h := &holder{t: t, b: b, visit: visit}
	if s.held != nil {
		for _, st := range s.held.steps {
			h.step(st)
		}
	}
	return h
}

func (h *holder) step(st step) (goOn bool) {
	if len(h.steps) > 0 || len(st.ways) > 1 && h.t.looksBehind(h.b, st.ways) {
		h.steps = append(h.steps, st)
		return true
	}
	return h.visit(st)
}

// waiting returns the steps that wait, which are the same whenever control comes by from a state.
func (h *holder) waiting(from state) *held {
	if len(h.steps) == 0 {
		return nil
	}
	if h.t.held[from] == nil {
		h.t.held[from] = &held{h.steps}
	}
	return h.t.held[from]
}

// looksBehind reports whether a look at a block that ways leave is behind the call that ends b.
func (t *Target) looksBehind(b *machine.Block, ways [][]int) bool {
	about := make(map[int]bool)
	t.blocksOf(ways, about)
	for b.Calls() && len(b.Succs[0].Preds) == 1 {
		b = b.Succs[0]
		if slices.ContainsFunc(t.Looks, func(l *Look) bool { return about[l.Block] && !l.Rounds && slices.Contains(b.Insts, l.At) }) {
			return true
		}
	}
	return false
}

// isReturn reports whether an instruction that is evidence of a block is of a return statement. A path is counted before that is
// evaluated (return f(), where f panics).
func (t *Target) isReturn(i *machine.Inst, block int) bool {
	out := t.F.out[block]
	if len(out) != 1 || t.F.edges[out[0]].to != t.exit {
		return false
	}
	file, line := i.File, i.Line
	depth := 0
	if t.At != nil {
		depth = slices.Index(i.Chain, t.At) + 1
	}
	if depth < len(i.Chain) {
		file, line = i.Chain[depth].CallFile, i.Chain[depth].CallLine
	}
	p := t.source.Place(file, line)
	return p.Piece >= 0 && t.source.returns[p]
}

// findReturns finds the places of return statements.
func (s *Source) findReturns() {
	s.returns = make(map[Place]bool)
	for _, f := range s.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			r, ok := n.(*ast.ReturnStmt)
			if !ok {
				return true
			}
			for k := s.index[r.Pos()]; k < len(s.tokens) && s.tokens[k].at < r.End(); k++ {
				s.returns[Place{s.tokens[k].piece, s.fset.Position(s.tokens[k].at).Line}] = true
			}
			return true
		})
	}
}
