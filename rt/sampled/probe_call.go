//go:build goprofinstr_std && goprofinstr_sampler && (!linux || !(amd64 || arm64 || riscv64) || goprofinstr_basic)

package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Where no faults can be handled, probes call. Their twins, which do not, are in probe_fault.go, with what they are.

// Sample notes that a path has ended.
func Sample(of *Switch, p *U) { end(of.counted, uintptr(unsafe.Pointer(p)), 0, 0) }

// SampleMark is Sample in a function whose activations have an activation word.
func SampleMark(of *Switch, p, word *U) {
	end(of.counted, uintptr(unsafe.Pointer(p)), 0, uintptr(unsafe.Pointer(word)))
}

// SamplePath is Sample for a path that has its estimate in a hash table.
func SamplePath(h *rt.Hash, path U) { end(false, uintptr(unsafe.Pointer(h))|isHash, path, 0) }

// SamplePathMark is SamplePath with an activation word.
func SamplePathMark(h *rt.Hash, path U, word *U) {
	end(false, uintptr(unsafe.Pointer(h))|isHash, path, uintptr(unsafe.Pointer(word)))
}
