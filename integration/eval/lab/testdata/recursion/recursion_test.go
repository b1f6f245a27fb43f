package recursion

import (
	"math/rand/v2"
	"testing"
)

// deepest is how deep a recursion gets until the next begins at depth 1: a stack of some tens of MB.
const deepest = 100_000

func BenchmarkRecursion(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	depth := 0
	for range b.N {
		depth = depth*5/4%deepest + 1
		Walk(r, depth)
	}
}
