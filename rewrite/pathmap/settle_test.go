package pathmap

import (
	"go/token"
	"testing"
)

// TestSameTest tries all numbers. Where sameTest says that a test of the machine is one of the source, or its contrary, it must
// be so for each.
func TestSameTest(t *testing.T) {
	settled := 0
	for _, r := range relations {
		for k := int64(-4); k <= 4; k++ {
			for _, op := range []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ} {
				for c := int64(-4); c <= 4; c++ {
					is, known := sameTest(r, k, op, c)
					if !known {
						continue
					}
					settled++
					for x := int64(-9); x <= 9; x++ {
						if x < 0 && (r.unsigned || r.op == token.EQL || r.op == token.NEQ) {
							continue
						}
						if (compare(x, r.op, k) == compare(x, op, c)) != is {
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
		r    relation
		k    int64
		op   token.Token
		c    int64
		same bool
	}{
		{relation{token.LEQ, false}, 4, token.LSS, 5, true},  // x < 5
		{relation{token.GTR, false}, 4, token.LSS, 5, false}, // its contrary
		{relation{token.NEQ, false}, 0, token.GTR, 0, true},  // len(x) > 0
	} {
		if is, known := sameTest(test.r, test.k, test.op, test.c); !known || is != test.same {
			t.Errorf("%+v: %v, %v", test, is, known)
		}
	}
}
