package steps

import (
	"math"
	"sort"
	"strconv"
)

// What is here has one path, and leaves no evidence where it is inlined.

type inner struct{ n int }

func (i inner) size() int { return i.n }

// An outer has the method of what is embedded: the compiler makes outer.size and (*outer).size.
type outer struct {
	name string
	inner
}

type sizer interface{ size() int }

//go:noinline
func Sizes(list []sizer) (n int) {
	for _, s := range list {
		n += s.size()
	}
	return n
}

// A box has a method that is called with a dictionary, by a wrapper.
type box[T any] struct{ n T }

func (b *box[T]) get() T { return b.n }

type getter interface{ get() int }

//go:noinline
func Gets(list []getter) (n int) {
	for _, g := range list {
		n += g.get()
	}
	return n
}

func first[T any](list []T) T { return list[0] }

// Firsts calls first by a wrapper, and inlined.
//
//go:noinline
func Firsts(list []int, get func([]int) int) int {
	if len(list) > 3 {
		return get(list) + first(list)
	}
	return get(list)
}

func zero() int { return 0 }

func zeros() int { return zero() + zero() }

var start = zero() + 1

// Folds has calls of which nothing is left.
//
//go:noinline
func Folds(n int) int {
	if n%3 == 0 {
		return n + zeros()
	}
	for range n {
		n += zero()
	}
	return n
}

func keep(to *int, n int) { *to = n }

// Defers has a call in a function that the compiler makes.
//
//go:noinline
func Defers(n int) (got int) {
	defer keep(&got, n)
	if n%2 == 0 {
		defer keep(&got, n+1)
	}
	return n
}

func apply(n int, do func(int) int) int { return do(n) }

// Applies calls literals that are inlined.
//
//go:noinline
func Applies(n int) int {
	if n > 4 {
		return apply(n, func(x int) int { return x + 1 })
	}
	return apply(n, func(x int) int { return x })
}

// Zero is for the tests in a package of their own.
func Zero() int { return zero() }

func least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// Leasts calls a function of two paths of which nothing is left but a conditional move (vellum's outputPrefix).
//
//go:noinline
func Leasts(list []int) (n int) {
	for i, x := range list {
		n += least(x, i)
	}
	return n
}

// Searches calls a literal that is inlined into code without labels, where it leaves evidence (btree's find).
//
//go:noinline
func Searches(list []int, x int) int {
	return sort.Search(len(list), func(i int) bool { return use(&name{list[i]}) >= x })
}

func scaled(x, y float64) float64 { return x * y }

// Floors has a call behind an inlined one which the compiler replaces by an instruction. It calls for processors without that.
//
//go:noinline
func Floors(x float64) int {
	y := scaled(x, 1.5)
	if y-math.Floor(y) > 0.25 {
		return 1
	}
	return 2
}

func formatted(base int) string { return strconv.FormatInt(1234, base) }

// Formats calls a function that calls one in code without labels. Both are inlined, and that panics in what it calls.
//
//go:noinline
func Formats() {
	defer func() {
		if recover() == nil {
			use(nil)
		}
	}()
	_ = formatted(99)
}
