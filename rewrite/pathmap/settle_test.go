package pathmap

import (
	"go/token"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// relations are all that machines ask for.
func relations() (list []machine.Relation) {
	for _, op := range []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ} {
		list = append(list, machine.Relation{Op: op}, machine.Relation{Op: op, Unsigned: true})
	}
	return append(list, machine.Relation{Op: token.EQL}, machine.Relation{Op: token.NEQ})
}

// TestSameTest tries all numbers. Where sameTest says that a test of the machine is one of the source, or its contrary, it must
// be so for each.
func TestSameTest(t *testing.T) {
	settled := 0
	for _, r := range relations() {
		for k := int64(-4); k <= 4; k++ {
			for _, op := range []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ} {
				for c := int64(-4); c <= 4; c++ {
					is, known := sameTest(r, k, op, c)
					if !known {
						continue
					}
					settled++
					for x := int64(-9); x <= 9; x++ {
						if x < 0 && (r.Unsigned || r.Op == token.EQL || r.Op == token.NEQ) {
							continue
						}
						if (compare(x, r.Op, k) == compare(x, op, c)) != is {
							t.Errorf("x %v %d is said to be x %v %d: %v; it is otherwise for %d", r, k, op, c, is, x)
						}
					}
				}
			}
		}
	}
	if settled < 200 {
		t.Errorf("%d are settled", settled)
	}
	for _, test := range []struct {
		r    machine.Relation
		k    int64
		op   token.Token
		c    int64
		same bool
	}{
		{machine.Relation{Op: token.LEQ}, 4, token.LSS, 5, true},  // x < 5
		{machine.Relation{Op: token.GTR}, 4, token.LSS, 5, false}, // its contrary
		{machine.Relation{Op: token.NEQ}, 0, token.GTR, 0, true},  // len(x) > 0
	} {
		if is, known := sameTest(test.r, test.k, test.op, test.c); !known || is != test.same {
			t.Errorf("%+v: %v, %v", test, is, known)
		}
	}
}
