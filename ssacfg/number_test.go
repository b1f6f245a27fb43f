package ssacfg

import (
	"go/token"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestDissolve has the clauses "case !(a || b), c: x; default: y", where the test of c has no place. Behind a, control may come
// to b without a test of c. Behind b, it comes to x or makes that test: the two cannot be told apart.
func TestDissolve(t *testing.T) {
	var a, b, c, x, y Block
	connect(&a, &c, table.CondTrue, 1)
	connect(&a, &b, table.CondFalse, 1)
	connect(&b, &c, table.CondTrue, 2)
	connect(&b, &x, table.CondFalse, 2)
	connect(&c, &x, table.CondTrue, 3)
	connect(&c, &y, table.CondFalse, 3)
	g := new(Graph)
	g.dissolveBlock(&c)
	type edge struct {
		to  *Block
		pos token.Pos
	}
	for _, test := range []struct {
		name string
		of   *Block
		want []edge
	}{
		{"a", &a, []edge{{&b, 1}, {&x, 3}, {&y, 3}}},
		{"b", &b, []edge{{&x, 3}, {&y, 3}}},
	} {
		if !slices.EqualFunc(test.of.out, test.want, func(e *Edge, w edge) bool { return e.To == w.to && e.Pos == w.pos }) {
			t.Errorf("edges out of %s are not in the order of its tests:", test.name)
			for _, e := range test.of.out {
				t.Errorf("%s at %d", e.Kind, e.Pos)
			}
		}
	}
	if g.Merged != 1 {
		t.Errorf("%d edges merged, want 1", g.Merged)
	}
}
