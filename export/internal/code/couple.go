package code

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"

	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
)

// couplings returns which conditions of a decision depend on each other, as far as their syntax tells. They are the
// same expression, or compare the same one. No condition between them, and neither of them, may change anything: it has
// no call but of len and cap.
func (f *Function) couplings(conditions []Tested) (list []decision.Coupling) {
	if len(conditions) > mostCoupled {
		return nil
	}
	for i := range conditions {
		if !isPure(conditions[i].expr) {
			continue
		}
		for j := i + 1; j < len(conditions) && isPure(conditions[j].expr); j++ {
			if c, ok := f.couple(i, j, conditions[i].expr, conditions[j].expr); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

// mostCoupled is how many conditions of a decision are compared with each other.
const mostCoupled = 64

// isPure reports whether an expression has no calls and no receive operations.
func isPure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			pure = pure && ok && (id.Name == "len" || id.Name == "cap")
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.FuncLit:
			pure = false
		}
		return pure
	})
	return pure
}

// couple returns how two conditions depend on each other.
func (f *Function) couple(i, j int, x, y ast.Expr) (c decision.Coupling, ok bool) {
	c = decision.Coupling{A: i, B: j}
	exclude := func(a, b decision.Value) {
		c.Excludes = append(c.Excludes, [2]decision.Literal{{Condition: i, Is: a}, {Condition: j, Is: b}})
	}
	if f.syntax.exactText(x) == f.syntax.exactText(y) {
		c.Strong = true
		exclude(decision.True, decision.False)
		exclude(decision.False, decision.True)
		return c, true
	}
	a, b := f.comparison(x), f.comparison(y)
	if a == nil || b == nil || a.of != b.of {
		return c, false
	}
	if a.with == b.with && (a.op == token.EQL && b.op == token.NEQ || a.op == token.NEQ && b.op == token.EQL) {
		c.Strong = true
		exclude(decision.True, decision.True)
		exclude(decision.False, decision.False)
		return c, true
	}
	if a.with != b.with && (a.value == nil || b.value == nil || a.value.Kind() != b.value.Kind()) {
		return c, false
	}
	for _, is := range []struct{ a, b decision.Value }{
		{decision.True, decision.True}, {decision.True, decision.False}, {decision.False, decision.True},
	} {
		if !a.fits(is.a, b, is.b) {
			exclude(is.a, is.b)
		}
	}
	return c, len(c.Excludes) > 0
}

// A comparison is of an expression with another one, by their texts.
type comparison struct {
	of, with string
	op       token.Token
	value    constant.Value // of with, if that is a literal
}

// comparison returns nil for what is none.
func (f *Function) comparison(e ast.Expr) *comparison {
	b, ok := e.(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	x, y, op := b.X, b.Y, b.Op
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return nil
	}
	if literal(x) != nil && literal(y) == nil {
		x, y = y, x
		op = map[token.Token]token.Token{token.EQL: token.EQL, token.NEQ: token.NEQ,
			token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ}[op]
	}
	return &comparison{f.syntax.exactText(x), f.syntax.exactText(y), op, literal(y)}
}

// literal returns the value of an integer, character or string; nil for others.
func literal(e ast.Expr) constant.Value {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind == token.FLOAT || l.Kind == token.IMAG {
		return nil
	}
	if v := constant.MakeFromLiteral(l.Value, l.Kind, 0); v.Kind() == constant.Int || v.Kind() == constant.String {
		return v
	}
	return nil
}

// fits reports whether two comparisons of the same can be so, both at once. It tries values below, at, between and
// above what they compare with. One of no order, as not a number, has all comparisons false but !=.
func (c *comparison) fits(is decision.Value, d *comparison, isToo decision.Value) bool {
	a, b := 0.0, 0.0
	if c.with != d.with {
		switch {
		case constant.Compare(c.value, token.LSS, d.value):
			b = 2
		case constant.Compare(d.value, token.LSS, c.value):
			a = 2
		}
	}
	for _, v := range []float64{-1, 0, 1, 2, 3, math.NaN()} {
		if holds(v, c.op, a) == (is == decision.True) && holds(v, d.op, b) == (isToo == decision.True) {
			return true
		}
	}
	return false
}

func holds(x float64, op token.Token, y float64) bool {
	switch op {
	case token.EQL:
		return x == y
	case token.NEQ:
		return x != y
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	}
	return x >= y
}
