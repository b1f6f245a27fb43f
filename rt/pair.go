package rt

import (
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// mostPairs bounds the last chunk of a Hash with pairs in bytes, and all of them to twice that: some 100,000 pairs. There
// may be as many as a function has paths squared.
const mostPairs = 1 << 20

// Pair counts a path with the one before it in the activation, in a hash table. Before is what that adds to the number of the
// pair, 0 if there was none. It loses nothing under concurrency.
//
//go:norace
func Pair(h *Hash, before, path U) {
	if before != 0 {
		countPair(h, before+path)
	}
}

// CountPair is Pair and returns 0.
//
//go:norace
func CountPair(h *Hash, before, path U) U {
	if before != 0 {
		countPair(h, before+path)
	}
	return 0
}

//go:norace
func countPair(h *Hash, pair U) {
	if Empty(h) {
		CounterUpTo(h, runfile.OtherPair+1, mostPairs) // while there is room
	}
	c := CounterUpTo(h, pair+1, mostPairs)
	if c == nil {
		c = CounterUpTo(h, runfile.OtherPair+1, mostPairs)
	}
	if c == nil {
		runfile.Lose()
		return
	}
	sys.Add64(c, 1)
}
