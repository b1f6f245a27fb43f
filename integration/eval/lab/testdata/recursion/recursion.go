// Package recursion recurses without a bound that anybody could guess, on ways that are hardly ever the same: it has more calling contexts
// than any memory.
package recursion

import "math/rand/v2"

// Walk recurses to a depth, from one of three functions into another at each step.
func Walk(r *rand.Rand, depth int) int {
	if depth == 0 {
		return 0
	}
	switch r.IntN(3) {
	case 0:
		return left(r, depth)
	case 1:
		return right(r, depth)
	}
	return Walk(r, depth-1) + 1
}

//go:noinline
func left(r *rand.Rand, depth int) int {
	n := 0
	for range depth % 8 {
		n += r.IntN(2)
	}
	return n + Walk(r, depth-1)
}

//go:noinline
func right(r *rand.Rand, depth int) int {
	n := Walk(r, depth-1)
	for range depth % 8 {
		n += r.IntN(2)
	}
	return n
}
