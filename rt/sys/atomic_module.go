//go:build !goprofinstr_std

package sys

import (
	"sync/atomic"
	"unsafe"
)

// The twin of atomic_std.go for tests and tools.

func Add64(p *U, v U)             { atomic.AddUint64(p, v) }
func Inc64(p *U)                  { atomic.AddUint64(p, 1) }
func FetchAdd64(p *U, v U) U      { return atomic.AddUint64(p, v) - v }
func Load64(p *U) U               { return atomic.LoadUint64(p) }
func Store64(p *U, v U)           { atomic.StoreUint64(p, v) }
func CAS64(p *U, old, new U) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func Load32(p *uint32) uint32     { return atomic.LoadUint32(p) }
func CAS32(p *uint32, old, new uint32) bool {
	return atomic.CompareAndSwapUint32(p, old, new)
}

func LoadP(p *unsafe.Pointer) unsafe.Pointer { return atomic.LoadPointer(p) }
func CASP(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return atomic.CompareAndSwapPointer(p, old, new)
}
