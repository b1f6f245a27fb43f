// Calc evaluates arithmetic expressions, wrong ones among them, and prints the results.
//
// An error deep in an expression is a panic that eval recovers. So it ends the functions on its way in the middle of
// their paths: README.md shows how that is counted.
package main

import (
	"fmt"
	"slices"
	"strings"
)

// The test derives the path counts from these and from wrong.
var expressions = []string{
	"1+2*3",
	"(1+2)*3",
	"-(4-10)*-(2+3)",
	"((((7))))",
	"100/(2*5)/2",
	strings.Repeat("1+", 999) + "1",
	strings.Repeat("(", 100) + "1" + strings.Repeat("+1)", 100),
}

var wrong = []string{
	"",
	"1+",
	"2*(3+4",
	"((1/0))",
	"1)",
}

func main() {
	for _, src := range slices.Concat(expressions, wrong) {
		value, err := eval(src)
		if len(src) > 20 {
			src = src[:10] + "…" + src[len(src)-10:]
		}
		if err != nil {
			fmt.Printf("%q: %v\n", src, err)
			continue
		}
		fmt.Printf("%q = %d\n", src, value)
	}
}

// An evalError is an error in an expression. The parser panics with it.
type evalError struct {
	pos int
	msg string
}

func (e *evalError) Error() string {
	return fmt.Sprintf("at byte %d: %s", e.pos, e.msg)
}

// eval returns the value of an expression of whole numbers, + - * / and parentheses.
func eval(src string) (value int, err error) {
	defer func() {
		if e, ok := recover().(*evalError); ok {
			err = e
		}
	}()
	p := &parser{src: src}
	value = p.sum()
	if p.pos < len(src) {
		p.fail("operator expected")
	}
	return value, nil
}

// A parser evaluates while it parses, by recursive descent.
type parser struct {
	src string
	pos int // of the next byte
}

func (p *parser) fail(msg string) {
	panic(&evalError{p.pos, msg})
}

// peek returns the next byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// sum evaluates terms joined by + and -.
func (p *parser) sum() int {
	v := p.product()
	for {
		switch p.peek() {
		case '+':
			p.pos++
			v += p.product()
		case '-':
			p.pos++
			v -= p.product()
		default:
			return v
		}
	}
}

// product evaluates operands joined by * and /.
func (p *parser) product() int {
	v := p.operand()
	for {
		switch p.peek() {
		case '*':
			p.pos++
			v *= p.operand()
		case '/':
			p.pos++
			d := p.operand()
			if d == 0 {
				p.fail("division by zero")
			}
			v /= d
		default:
			return v
		}
	}
}

// operand evaluates a number, a parenthesis, or the negative of an operand.
func (p *parser) operand() int {
	switch c := p.peek(); c {
	case '-':
		p.pos++
		return -p.operand()
	case '(':
		p.pos++
		v := p.sum()
		if p.peek() != ')' {
			p.fail("missing )")
		}
		p.pos++
		return v
	default:
		return p.number()
	}
}

func (p *parser) number() int {
	v, from := 0, p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		v = 10*v + int(c-'0')
		p.pos++
	}
	if p.pos == from {
		p.fail("number expected")
	}
	return v
}
