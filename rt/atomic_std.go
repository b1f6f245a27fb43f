//go:build goprofinstr_std

package rt

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The runtime's atomics, of which the race detector knows nothing. With those of
// sync/atomic every counted path would order the goroutines that count it, and
// hide the races of the user's program from the detector.

//go:norace
func add64(p *U, v U) { atomic.Xadd64(p, int64(v)) }

//go:norace
func fetchAdd64(p *U, v U) U { return atomic.Xadd64(p, int64(v)) - v }

//go:norace
func load64(p *U) U { return atomic.Load64(p) }

//go:norace
func store64(p *U, v U) { atomic.Store64(p, v) }

//go:norace
func cas64(p *U, old, new U) bool { return atomic.Cas64(p, old, new) }

//go:norace
func load32(p *uint32) uint32 { return atomic.Load(p) }

//go:norace
func cas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }

// loadp and casp have no write barrier: the pointers lead out of the Go heap or
// to memory that is held elsewhere (store_other.go).
//
//go:norace
func loadp(p *unsafe.Pointer) unsafe.Pointer { return atomic.Loadp(unsafe.Pointer(p)) }

//go:norace
func casp(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return atomic.Casp1(p, old, new)
}
