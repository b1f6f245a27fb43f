package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// U is the type of counters, path registers and path numbers. Rewritten code
// uses it instead of uint64, which its package may have redeclared.
type U = uint64

// NoHash stands for no hash tables in calls of Register: nil may be redeclared.
var NoHash *Hash

// Exact, the one for -atomic, is in exact/exact_shards.go and its twin.

// The functions below are small enough for the compiler to inline, which
// TestInlined checks. Those that stand in expressions return 0, so that the
// rewriter can write rt.Add(&r, 5) == 0 && cond.

// Inc adds one to a counter. It loses nothing under concurrency and is not
// seen by the race detector; it is for -race.
//
//go:norace
func Inc(p *U) { sys.Add64(p, 1) }

// Add adds v to a path register and returns 0.
func Add(r *U, v U) U {
	*r += v
	return 0
}

// Set gives a path register a value and returns 0.
func Set(r *U, v U) U {
	*r = v
	return 0
}

// Count adds one to a counter and returns 0. Concurrent updates may be lost.
func Count(c *U) U {
	*c++
	return 0
}

// CountInc is Count with Inc.
//
//go:norace
func CountInc(c *U) U {
	sys.Add64(c, 1)
	return 0
}

// CountPath counts one execution of a path in a hash table and returns 0.
//
//go:norace
func CountPath(h *Hash, path U) U {
	Path(h, path)
	return 0
}

// Word returns the address of word i of an array that starts at p. Rewritten code finds the counter of a path with it, without
// the bounds check that an index expression has. A bounds check is a compare, a branch and, since it may panic, a stack frame in
// functions that need none otherwise.
func Word(p *U, i U) *U { return (*U)(unsafe.Add(unsafe.Pointer(p), i*8)) }

// Pad is the number of words that a counter array has before and after its counters.
const Pad = sys.Pad

// HashSize is the size of a Hash, in bytes.
const HashSize = runfile.HashSize
