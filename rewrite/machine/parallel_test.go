package machine

import (
	"slices"
	"testing"
)

// TestInParallel calls a function for each number once, and panics where that does.
func TestInParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		times := make([]int, n)
		InParallel(n, func() func(int) { return func(k int) { times[k]++ } })
		if slices.ContainsFunc(times, func(k int) bool { return k != 1 }) {
			t.Errorf("%d numbers: %v", n, times)
		}
	}
	defer func() {
		if p := recover(); p != "two" {
			t.Errorf("it panics with %v", p)
		}
	}()
	InParallel(3, func() func(int) {
		return func(k int) {
			if k == 2 {
				panic("two")
			}
		}
	})
}
