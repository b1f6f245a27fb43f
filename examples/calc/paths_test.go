package main

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
)

// A counter counts the paths of sum and product by reasoning. What the two do with an expression follows from its syntax tree,
// which comes from go/parser.
type counter struct {
	sum, product function
}

// A function is what is known of sum or product: both evaluate operands that are
// joined by operators.
type function struct {
	entry, loop, ret int                   // lines
	operator         map[token.Token][]int // lines of the turn of the loop
	paths            map[string]int64
	abandoned        int64 // activations that a panic ended
}

func newCounter(t *testing.T) *counter {
	src := pathtest.ReadSource(t, "main.go")
	sum := src.Func(t, "func (p *parser) sum() int {")
	product := src.Func(t, "func (p *parser) product() int {")
	return &counter{
		sum: function{
			entry: sum.Line(t, "v := p.product()"),
			loop:  sum.Line(t, "switch p.peek() {"),
			ret:   sum.Line(t, "return v"),
			operator: map[token.Token][]int{
				token.ADD: {sum.Line(t, "case '+':") + 1},
				token.SUB: {sum.Line(t, "case '-':") + 1},
			},
			paths: make(map[string]int64),
		},
		product: function{
			entry: product.Line(t, "v := p.operand()"),
			loop:  product.Line(t, "switch p.peek() {"),
			ret:   product.Line(t, "return v"),
			operator: map[token.Token][]int{
				token.MUL: {product.Line(t, "case '*':") + 1},
				token.QUO: {product.Line(t, "case '/':") + 1, product.Line(t, "v /= d")},
			},
			paths: make(map[string]int64),
		},
	}
}

// returns counts the paths of one activation: it goes round the loop once for each
// operator, and then returns.
func (f *function) returns(operators []token.Token) {
	start, lines := "entry", []int{f.entry, f.loop}
	for _, op := range operators {
		lines = append(append(lines, f.operator[op]...), f.loop)
		f.paths[pathtest.Path(start, lines, "loop")]++
		start, lines = "loop", []int{f.loop}
	}
	f.paths[pathtest.Path(start, append(lines, f.ret), "return")]++
}

// countSum counts what sum and all below it do with an expression.
func (c *counter) countSum(e ast.Expr) {
	terms, operators := chain(e, token.ADD, token.SUB)
	for _, term := range terms {
		c.countProduct(term)
	}
	c.sum.returns(operators)
}

func (c *counter) countProduct(e ast.Expr) {
	operands, operators := chain(e, token.MUL, token.QUO)
	for _, operand := range operands {
		for {
			minus, ok := operand.(*ast.UnaryExpr)
			if !ok {
				break
			}
			operand = minus.X
		}
		if paren, ok := operand.(*ast.ParenExpr); ok {
			c.countSum(paren.X)
		}
	}
	c.product.returns(operators)
}

// countWrong counts what the parser does with a wrong expression before it panics.
func (c *counter) countWrong(t *testing.T, src string) {
	switch src {
	case "": // in number, below sum and product
		c.sum.abandoned++
		c.product.abandoned++
	case "1+": // the same for the second product
		c.countProduct(parse(t, "1"))
		c.sum.abandoned++
		c.product.abandoned++
	case "2*(3+4": // in operand, after the inner sum
		c.countSum(parse(t, "3+4"))
		c.sum.abandoned++
		c.product.abandoned++
	case "((1/0))": // in the third of three products
		c.sum.abandoned += 3
		c.product.abandoned += 3
	case "1)": // in eval, after the sum
		c.countSum(parse(t, "1"))
	default:
		t.Fatalf("do not know how %q is wrong", src)
	}
}

func parse(t *testing.T, src string) ast.Expr {
	t.Helper()
	e, err := goparser.ParseExpr(src)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// chain splits a op b op c, where op is one of two operators, into operands and operators.
func chain(e ast.Expr, op1, op2 token.Token) (operands []ast.Expr, operators []token.Token) {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != op1 && b.Op != op2 {
		return []ast.Expr{e}, nil
	}
	operands, operators = chain(b.X, op1, op2)
	return append(operands, b.Y), append(operators, b.Op)
}

func TestPaths(t *testing.T) {
	run := pathtest.Wrap(t)
	c := newCounter(t)
	for _, src := range expressions {
		c.countSum(parse(t, src))
	}
	for _, src := range wrong {
		c.countWrong(t, src)
	}
	check := func(name string, want function) {
		if diff := cmp.Diff(want.paths, run.Paths(t, name)); diff != "" {
			t.Errorf("paths of %s, -want +got:\n%s", name, diff)
		}
		if got := run.Abandoned(t, name); got != want.abandoned {
			t.Errorf("%s was abandoned %d times, want %d", name, got, want.abandoned)
		}
		run.CheckReadme(t, want.paths)
	}
	check("(*parser).sum", c.sum)
	check("(*parser).product", c.product)
}
