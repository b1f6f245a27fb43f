//go:build goprofinstr_blocks && linux && (amd64 || arm64 || riscv64)

package rt

import (
	"runtime"
	"unsafe"
)

// Event counts an event of a stratum in word at of an array that starts at p, if it is a message. Every rate-th one is.
//
//go:norace
func Event(i U, p *U, at U, rate uint32) {
	s := (*uint32)(runtime.GoprofinstrOwn(stratum(i)))
	*s--
	if int32(*s) <= 0 {
		*s = rate
		*(*U)(runtime.GoprofinstrOwn(unsafe.Add(unsafe.Pointer(p), at*8)))++
	}
}

// EventPath is Event for messages that are counted in a hash table, by path or another value.
//
//go:norace
func EventPath(i U, h *Hash, value U, rate uint32) {
	s := (*uint32)(runtime.GoprofinstrOwn(stratum(i)))
	*s--
	if int32(*s) <= 0 {
		*s = rate
		Path(h, value)
	}
}
