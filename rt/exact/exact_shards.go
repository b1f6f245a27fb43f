//go:build goprofinstr_shards && linux && (amd64 || arm64 || riscv64) && !goprofinstr_basic

package exact

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Exact counting in shards: see shards.go, and runtime.go.txt for who counts in which one.

// useShards has every thread take a shard that create has made.
//
//go:linkname useShards
func useShards(create func() uintptr)

// counters returns the part of the program's data that has all counter arrays.
//
//go:linkname counters
func counters() (lo, hi uintptr)

// UseShards is called before each package's Register. Without it everything is counted in the arrays, which loses counts.
//
//go:norace
func UseShards() U {
	if runfile.Recording() && shards.hi == 0 { // packages are initialised one after the other
		spanShards(counters())
		useShards(newShard)
	}
	return 0
}

// Exact adds one to a counter. It loses nothing under concurrency, but is for
// counters in arrays only and seen by the race detector.
func Exact(p *U) { *(*U)(runtime.GoprofinstrOwn(unsafe.Pointer(p)))++ }

// CountExact is Count with Exact.
func CountExact(c *U) U {
	*(*U)(runtime.GoprofinstrOwn(unsafe.Pointer(c)))++
	return 0
}
