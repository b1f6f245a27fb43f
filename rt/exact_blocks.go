//go:build goprofinstr_blocks && linux && (amd64 || arm64 || riscv64)

package rt

import (
	"runtime"
	"unsafe"
)

// Exact counting in blocks: see blocks.go, and rewrite/target/blocks.go.txt for who counts in which one.

// useBlocks has every thread take a block that create has made.
//
//go:linkname useBlocks
func useBlocks(create func() uintptr)

// counters returns the part of the program's data that has all counter arrays.
//
//go:linkname counters
func counters() (lo, hi uintptr)

// UseBlocks is called before each package's Register. Without it everything is counted in the arrays, which loses counts.
//
//go:norace
func UseBlocks() U {
	if loadp(&run.head) != nil && blocks.hi == 0 { // packages are initialised one after the other
		lo, hi := counters()
		blocks.lo, blocks.hi = U(lo)&^(page-1), roundUp(U(hi), page)
		useBlocks(newBlock)
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
