//go:build goprofinstr_std

package sys

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The runtime's atomics, of which the race detector knows nothing. With those of
// sync/atomic every counted path would order the goroutines that count it, and
// hide the races of the user's program from the detector.

//go:norace
func Add64(p *U, v U) { atomic.Xadd64(p, int64(v)) }

//go:norace
func Inc64(p *U) { atomic.Xadd64(p, 1) }

//go:norace
func FetchAdd64(p *U, v U) U { return atomic.Xadd64(p, int64(v)) - v }

//go:norace
func Load64(p *U) U { return atomic.Load64(p) }

//go:norace
func Store64(p *U, v U) { atomic.Store64(p, v) }

//go:norace
func CAS64(p *U, old, new U) bool { return atomic.Cas64(p, old, new) }

//go:norace
func Load32(p *uint32) uint32 { return atomic.Load(p) }

//go:norace
func CAS32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }

// LoadP and CASP have no write barrier: the pointers lead out of the Go heap or
// to memory that is held elsewhere (store_other.go of package runfile).
//
//go:norace
func LoadP(p *unsafe.Pointer) unsafe.Pointer { return atomic.Loadp(unsafe.Pointer(p)) }

//go:norace
func CASP(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return atomic.Casp1(p, old, new)
}
