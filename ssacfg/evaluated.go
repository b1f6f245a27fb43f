package ssacfg

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// evaluates notes what instr, which comes next in b, says of the source: the expression whose value it has, or where it stands
// itself. The positions of markers and of variables mean nothing.
func (b *Block) evaluates(instr ssa.Instruction, isMarker bool) {
	if d, ok := instr.(*ssa.DebugRef); ok {
		b.Exprs = append(b.Exprs, d.Expr)
		return
	}
	if _, ok := instr.(*ssa.Alloc); !ok && !isMarker && instr.Pos().IsValid() {
		b.Points = append(b.Points, instr.Pos())
	}
}

// A Test is the condition of a branch.
type Test struct {
	Op   token.Token    // of a comparison: ==, !=, <, <=, > or >=; ILLEGAL if the condition is a value by itself
	With constant.Value // what is compared with, which is on the right, if it is constant
	Type types.Type     // of what is compared
	Nil  bool           // what is compared with is nil
	Call bool           // the condition is the result of a call
}

// mirrored is the operator that says the same with operands exchanged.
var mirrored = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ}

func newTest(cond ssa.Value) *Test {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		_, call := cond.(*ssa.Call)
		return &Test{Type: cond.Type(), Call: call}
	}
	t := &Test{Op: b.Op, Type: b.X.Type()}
	if c, ok := b.Y.(*ssa.Const); ok {
		t.With, t.Nil = c.Value, c.Value == nil
	} else if c, ok := b.X.(*ssa.Const); ok {
		t.With, t.Nil, t.Type = c.Value, c.Value == nil, b.Y.Type()
		if op, ok := mirrored[b.Op]; ok {
			t.Op = op
		}
	}
	return t
}

// alsoTests notes the conditions of an edge that is merged into e.
func (e *Edge) alsoTests(o *Edge) {
	if o.Test != nil && o.True {
		e.Also = append(e.Also, o.Test)
	}
	e.Also = append(e.Also, o.Also...)
}
