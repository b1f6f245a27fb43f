package pathmap

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// answers returns the block whose condition decides what an inlined call returns, if a jump of the caller is behind that condition
// (if asciiAlphaNum(c)). The jump has the position of the caller's condition, which is the result of the call. Its compare has the
// position of the call's condition. So control has come there: the jump is for this call alone.
func (t *Target) answers(i *machine.Inst) (block int, ok bool) {
	test := i.Test
	if i.Kind != machine.Branch || i.Check || test == nil || test == i || len(test.Chain) <= len(i.Chain) ||
		test.Chain[len(test.Chain)-1] != t.At || !slices.Equal(test.Chain[:len(i.Chain)], i.Chain) {
		return 0, false
	}
	r := t.source.ref(test.File)
	if r.f != t.F || len(t.F.out[r.block]) != 2 || !t.source.compares(t.source.piece(test.File)) {
		return 0, false
	}
	asks := t.source.asksFor(t.source.piece(i.File))
	of := t.source.ref(test.Chain[len(i.Chain)].CallFile)
	if of.f == nil || !slices.Contains(asks, of) || !of.f.asksCall(of.block) {
		return 0, false
	}
	if to, ok := t.fused[r.block]; ok {
		return to, true
	}
	return r.block, true
}

// asksFor returns the blocks that a jump with the position of a piece may be of.
func (s *Source) asksFor(piece int) []blockRef {
	if o := s.operators[piece]; o != nil {
		return []blockRef{s.of(o.left), s.of(o.right)}
	}
	return []blockRef{s.of(piece)}
}

// asksCall reports whether a block branches on the result of a call.
func (f *Func) asksCall(block int) bool {
	out := f.out[block]
	if len(out) != 2 {
		return false
	}
	test := f.Graph.Edges[out[0]].Test
	return test != nil && test.Call
}
