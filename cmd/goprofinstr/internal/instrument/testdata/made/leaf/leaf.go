// Package leaf has what export data can have.
package leaf

import (
	_ "embed"
	"errors"
	"fmt"
	str "strings"
)

// Text is embedded.
//
//go:embed leaf.txt
var Text string

// A Box is generic.
type Box[T any] struct{ list []T }

// Of returns a box.
func Of[T any](list ...T) *Box[T] {
	b := &Box[T]{}
	b.init(list)
	return b
}

func (b *Box[T]) init(list []T) {
	for _, x := range list {
		b.list = append(b.list, x)
	}
}

// Len is inlinable.
func (b *Box[T]) Len() int { return len(b.list) }

// Small is inlinable, and so is what it calls.
func Small(n int) int { return smaller(n) + 1 }

func smaller(n int) int { return n * 2 }

type counter struct{ n int }

func (c *counter) init(n int) {
	for i := range n {
		if i%3 == 0 {
			c.n += i
		}
	}
}

// Err is what Large may return.
var Err = errors.New("too large")

var start = func() (c counter) { c.init(10); return c }()

func init() {
	start.n += len(str.Repeat("x", 3))
}

// Large is not inlinable, and it alone needs some of the imports.
func Large[T any](b *Box[T]) (s string) {
	for i := range b.Len() {
		switch {
		case i > 3 && i < 10:
			s += fmt.Sprint(i)
		case i%2 == 0:
			s += str.ToUpper("even")
		}
	}
	return s + report(start.n)
}

func report(n int) string {
	defer func() { recover() }()
	if n > 1000 {
		panic(Err)
	}
	return fmt.Sprintf("%d", n)
}
