package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// mostPairs bounds the last chunk of a Hash with pairs in bytes, and all of them to twice that: some 100,000 pairs. There
// may be as many as a function has paths squared.
const mostPairs = 1 << 20

// A PairCache has room for lastPairs pairs.
const (
	lastBits  = 9
	lastPairs = 1 << lastBits
)

// Found is what Again says of a pair that it has counted.
const Found = true

// A PairCache leads to the counts of pairs that a function has had last, so that these are not looked for in the hash table again.
// Programs repeat a few hundred pairs of the millions that a function may have. The zero value is ready. Rewritten code
// declares var Q [k]rt.PairCache.
type PairCache struct {
	entries [lastPairs]unsafe.Pointer // *runfile.HashEntry or nil
}

// Again counts a pair that the cache leads to, and reports whether it does. Key is the number of the pair plus 1. Like other
// counters, a count may be lost if two threads count the same pair at the same time. It never is one of another pair: an entry of
// a hash table keeps its key.
//
//	if !rt.Again(&Q[0],p+r) { rt.Pair(&Q[0],&H[3],p,r) }
//
//go:norace
func Again(q *PairCache, key U) bool {
	e := (*runfile.HashEntry)(q.entries[lastPlace(key)])
	if e == nil || e.Path != key {
		return false
	}
	e.Count++
	return true
}

// AgainAtomic is Again and loses nothing under concurrency.
//
//go:norace
func AgainAtomic(q *PairCache, key U) bool {
	e := (*runfile.HashEntry)(q.entries[lastPlace(key)])
	if e == nil || e.Path != key {
		return false
	}
	sys.Add64(&e.Count, 1)
	return true
}

// lastPlace returns where a PairCache has a pair: Knuth's multiplicative hash of 32 bits, whose multiplier is part of an
// instruction.
func lastPlace(key U) uint32 { return uint32(key) * 0x9e37_79b9 >> (32 - lastBits) }

// Pair counts a path with the one before it in the activation, in a hash table. Before is what that adds to the number of the
// pair, and 1 more; 0 if there was none. It loses nothing under concurrency.
//
//go:norace
//go:noinline
func Pair(q *PairCache, h *Hash, before, path U) {
	if before != 0 {
		countPair(q, h, before+path)
	}
}

// CountPair is Pair and returns 0.
//
//go:norace
func CountPair(q *PairCache, h *Hash, before, path U) U {
	Pair(q, h, before, path)
	return 0
}

//go:norace
func countPair(q *PairCache, h *Hash, key U) {
	if Empty(h) {
		CounterUpTo(h, runfile.OtherPair+1, mostPairs) // while there is room
	}
	e := entryUpTo(h, key, mostPairs)
	if e != nil {
		remember(q, e)
		sys.Add64(&e.Count, 1)
		return
	}
	if c := CounterUpTo(h, runfile.OtherPair+1, mostPairs); c != nil {
		sys.Add64(c, 1)
		return
	}
	runfile.Lose()
}

// remember has a PairCache lead to an entry.
//
//go:norace
func remember(q *PairCache, e *runfile.HashEntry) {
	at := &q.entries[lastPlace(e.Path)]
	sys.CASP(at, sys.LoadP(at), unsafe.Pointer(e)) // without a write barrier
}
