package pathmap

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A condition may have several jumps, each of which asks for a part of it.

// settleTypes finds the sides of a jump of a type switch with one case, which may be for several types, and a default:
//
//	switch x.(type) {       MOVL 0x10(DX), SI
//	                        CMPL SI, $…             the type's hash
//	                        JNE …                   default, or the next type
//	case *A, *B:            LEAQ type:*A(IP), SI
//	                        CMPQ DX, SI
//	                        JE …                    case
//
// Where a side leads to another jump of the switch, that one counts.
func (t *Target) settleTypes(b *machine.Block, block int) (is bool) {
	last := b.Last()
	piece := t.source.piece(last.File)
	of, other, ok := t.typeCase(block)
	if !ok || !t.begins(piece, "switch") && !t.begins(piece, "case") {
		return false
	}
	r, asks := last.Relation()
	if !asks || r.Op != token.EQL && r.Op != token.NEQ || last.Test == nil || last.Test.Compare == nil {
		return true
	}
	equal := 0
	if r.Op == token.NEQ {
		equal = 1
	}
	switch c := last.Test.Compare; {
	case c.Self || c.IsConst && c.Const == 0: // a nil interface has none of the types
		t.sides[side{b.Index, equal}] = other
	case c.Address:
		t.sides[side{b.Index, equal}], t.sides[side{b.Index, 1 - equal}] = of, other
	case c.IsConst:
		t.sides[side{b.Index, 1 - equal}] = other
	}
	return true
}

// settleHashes finds the sides of a jump through a table that a type switch with one case makes by a type's hash. An entry
// leads to another jump of the switch, which counts, or to the default: equal hashes are not enough for the case.
func (t *Target) settleHashes(b *machine.Block, block int) (is bool) {
	_, other, ok := t.typeCase(block)
	for k := range b.Succs {
		if ok {
			t.sides[side{b.Index, k}] = other
		}
	}
	return ok
}

// typeCase returns the edge of a type switch for its case, and the other one. It is not ok if there are more, or if the case has
// interfaces or nil.
func (t *Target) typeCase(block int) (of, other int, ok bool) {
	out := t.F.out[block]
	if len(out) != 2 {
		return 0, 0, false
	}
	of, other = out[0], out[1]
	if t.F.Graph.Edges[of].Kind != table.SwitchCase {
		of, other = other, of
	}
	g := t.F.Graph.Edges[of]
	if g.Kind != table.SwitchCase || t.F.Graph.Edges[other].Kind == table.SwitchCase || g.Test == nil || !g.True {
		return 0, 0, false
	}
	for _, test := range append(g.Also[:len(g.Also):len(g.Also)], g.Test) {
		if test.Has == nil || types.IsInterface(test.Has) {
			return 0, 0, false
		}
	}
	return of, other, true
}

// settleParts finds the sides of a jump that asks for a part of whether two values are equal. Of a string and a constant that is
// the length, or some bytes; of structs it is a member.
func (t *Target) settleParts(b *machine.Block, block int) (is bool) {
	test, last := t.testOf(block), b.Last()
	if test == nil || test.Op != token.EQL && test.Op != token.NEQ || last.Test == nil {
		return false
	}
	r, asks := last.Relation()
	if !asks || r.Op != token.EQL && r.Op != token.NEQ {
		return false
	}
	if c := last.Test.Compare; test.With == nil || test.With.Kind() != constant.String {
		if !isOfNumbers(test.Type) || !comparesVariables(c) {
			return false
		}
	} else if !isPart(c, constant.StringVal(test.With)) {
		return false
	}
	equal := 0
	if r.Op == token.NEQ {
		equal = 1
	}
	t.sides[side{b.Index, 1 - equal}] = t.edgeIf(block, test.Op == token.NEQ)
	if !t.goesOn(b) {
		t.sides[side{b.Index, equal}] = t.edgeIf(block, test.Op == token.EQL)
	}
	return true
}

// isOfNumbers reports whether a type is a struct of members that are equal if one compare of the machine says so.
func isOfNumbers(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || s.NumFields() == 0 {
		return false
	}
	for k := range s.NumFields() {
		if of := s.Field(k).Type(); !plainlyEqual(of) && !isOfNumbers(of) {
			return false
		}
	}
	return true
}

// comparesVariables reports whether a compare is of two whole values of which neither is constant.
func comparesVariables(c *machine.Compare) bool {
	return c != nil && !c.IsConst && !c.Address && !c.Self && !c.Masked && !c.Float
}

// isPart reports whether a compare is with a string's length, or with bytes of it in memory.
func isPart(c *machine.Compare, text string) bool {
	switch {
	case c == nil || !c.IsConst || c.Masked || c.Bits%8 != 0:
		return false
	case !c.Memory:
		return c.Bits == 64 && c.Const == int64(len(text)) && len(text) > 0
	}
	var part strings.Builder
	for k := 0; k < c.Bits; k += 8 {
		part.WriteByte(byte(c.Const >> k))
	}
	return strings.Contains(text, part.String())
}
