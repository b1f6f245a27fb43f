package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// mostPairs bounds the last chunk of a Hash with pairs in bytes, and all of them to twice that: some 100,000 pairs. There
// may be as many as a function has paths squared. Samples of others have one more chunk, of 2·mostPairs.
const mostPairs = 1 << 20

// A PairCache has room for lastPairs pairs.
const (
	lastBits  = 9
	lastPairs = 1 << lastBits
)

// Found is what Again says of a pair that it has counted.
const Found = true

// Pairs for which a hash table has no room are sampled, in strata: Sastry, Bodík & Smith, "Rapid profiling via stratified
// sampling" (ISCA-28, 2001), here as their B, of which each block of events has one random message. See samplePair.
const (
	pairStrataBits = 8
	pairStrata     = 1 << pairStrataBits
)

// A PairCache leads to the counts of pairs that a function has had last, so that these are not looked for in the hash table
// again. Programs repeat a few hundred pairs of the millions that a function may have. The zero value is ready. Rewritten
// code declares var Q [k]rt.PairCache.
type PairCache struct {
	strata  [pairStrata]U  // how many pairs of each stratum there were since the hash table was full
	others  unsafe.Pointer // *runfile.HashEntry of all of these; nil while there is room
	_       [8 - unsafe.Sizeof(uintptr(0))]byte
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

// Folded returns what a path adds to the number of a pair where there are too many paths to number pairs of them.
func Folded(path U) U { return runfile.FoldPath(path) }

// FoldedBefore returns what the path before adds then, and 1 more.
func FoldedBefore(path U) U { return (runfile.FoldPath(path)+1)<<runfile.FoldBits + 1 }

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
	if sys.LoadP(&q.others) != nil {
		samplePair(q, h, key)
		return
	}
	if Empty(h) {
		CounterUpTo(h, runfile.OtherPair+1, mostPairs) // while there is room
	}
	if e := entryUpTo(h, key, mostPairs); e != nil {
		remember(q, e)
		sys.Add64(&e.Count, 1)
		return
	}
	others := entryUpTo(h, runfile.OtherPair+1, mostPairs)
	if others == nil {
		runfile.Lose()
		return
	}
	sys.CASP(&q.others, nil, unsafe.Pointer(others))
	samplePair(q, h, key)
}

// samplePair counts a pair as one of those that have no counts of their own, and its weight if it is a message.
//
// The events of a stratum come in blocks, of 1, 1, 2, 4 and so on, up to PairRate. One event of each block is the message, at
// random, and its weight is how many there are. So the weights of a pair add up to its executions in the mean, whatever the
// order, and whether or not the last block is complete. The first blocks are small because few events of most strata may come.
//
//go:norace
func samplePair(q *PairCache, h *Hash, key U) {
	others := (*runfile.HashEntry)(sys.LoadP(&q.others))
	sys.Add64(&others.Count, 1)
	stratum := key * 0x9e37_79b9_7f4a_7c15 >> (64 - pairStrataBits)
	n := sys.FetchAdd64(&q.strata[stratum], 1)
	size := U(runfile.PairRate)
	for size > n && size > 1 {
		size >>= 1
	}
	place := n & (size - 1)
	// The addresses of mappings differ from run to run.
	random := sys.Mix(sys.Mix(U(uintptr(unsafe.Pointer(others)))+stratum) + n - place)
	if random&(size-1) != place {
		return
	}
	if c := CounterUpTo(h, key|runfile.SampledPair, 2*mostPairs); c != nil {
		sys.Add64(c, size)
	}
}

// remember has a PairCache lead to an entry.
//
//go:norace
func remember(q *PairCache, e *runfile.HashEntry) {
	at := &q.entries[lastPlace(e.Path)]
	sys.CASP(at, sys.LoadP(at), unsafe.Pointer(e)) // without a write barrier
}
