//go:build goprofinstr_shards && linux && (amd64 || arm64 || riscv64) && !goprofinstr_basic

package strata

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Event counts an event of a stratum in word at of an array that starts at p, if it is a message. Every rate-th one is.
//
//go:norace
func Event(i U, p *U, at U, rate uint32) {
	if IsMessage(i, rate) {
		*(*U)(runtime.GoprofinstrOwn(unsafe.Add(unsafe.Pointer(p), at*8)))++
	}
}

// Due counts an event of a stratum, unless it is a message. If it is one, nothing has changed, and EventPath is to count the
// event: in between the goroutine may have come to another thread, where it is none. So code in line is this and a call that
// is made once in a while.
//
// What is compared is memory, before it is changed in memory: that is one instruction each, where the compiler has no jump
// by the result of a decrement.
//
//go:norace
func Due(i U) bool {
	s := (*uint32)(runtime.GoprofinstrOwn(stratum(i)))
	if *s <= 1 {
		return true
	}
	*s--
	return Passed
}

// EventPath is Event for messages that are counted in a hash table, by path or another value.
//
//go:norace
//go:noinline
func EventPath(i U, h *rt.Hash, value U, rate uint32) {
	if IsMessage(i, rate) {
		rt.Path(h, value)
	}
}

// IsMessage counts an event of a stratum of the thread's.
//
//go:norace
func IsMessage(i U, rate uint32) bool {
	s := (*uint32)(runtime.GoprofinstrOwn(stratum(i)))
	if *s <= 1 {
		*s = rate
		return true
	}
	*s--
	return false
}
