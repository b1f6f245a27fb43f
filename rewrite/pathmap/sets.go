package pathmap

import (
	"go/token"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// The compiler makes a bool of a condition in place of a branch where it needs the value, as in return a && b == c. It does so,
// too, where a conditional move asks for the value.

// lookAtSet looks at the condition that a bool is made of. It is that of a block if the compare or the set has the position of
// the block's condition, and nothing else is compared there.
func (t *Target) lookAtSet(i *machine.Inst, about map[int]bool) (list []*Look) {
	if c := i.Test.Compare; c == nil || c.Float {
		return nil
	}
	for _, by := range []*machine.Inst{i.Test, i} {
		l := t.label(by)
		if l.inner || l.block < 0 || l.block == t.exit || !about[l.block] || !t.source.compares(t.source.piece(by.File)) {
			continue
		}
		test := t.testOf(l.block)
		if test == nil || test.Op == token.ILLEGAL {
			continue
		}
		if is, ok := means(i, test); ok {
			cc, _ := i.Condition()
			return append(list, t.lookAtCondition(i, cc, l.block, is))
		}
	}
	return nil
}

// A comparisons says how many operators that compare are in pieces, and in blocks.
type comparisons struct {
	in map[int]int // by piece
	of map[blockRef]int
}

// findComparisons counts the operators that compare.
func (s *Source) findComparisons() {
	s.comparisons = comparisons{make(map[int]int), make(map[blockRef]int)}
	for _, t := range s.tokens {
		if isComparison[t.text] && t.piece >= 0 {
			s.comparisons.in[t.piece]++
			s.comparisons.of[s.refs[t.piece]]++
		}
	}
}

// compares reports whether a piece is of a condition, and nothing but the condition itself is compared there: there is one
// operator that compares. Where each token is a piece it is the operator, and the only one of its block. Another one may be of
// an argument.
func (s *Source) compares(piece int) bool {
	if piece < 0 || s.comparisons.in[piece] != 1 {
		return false
	}
	switch s.pieces[piece].Kind {
	case label.Cond, label.Value:
		return true
	case label.Token:
		return s.comparisons.of[s.refs[piece]] == 1
	}
	return false
}

var isComparison = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}
