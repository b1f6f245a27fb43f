//go:build !goprofinstr_std

package rt

import (
	"sync/atomic"
	"unsafe"
)

// The twin of atomic_std.go for tests and tools.

func add64(p *U, v U)             { atomic.AddUint64(p, v) }
func fetchAdd64(p *U, v U) U      { return atomic.AddUint64(p, v) - v }
func load64(p *U) U               { return atomic.LoadUint64(p) }
func store64(p *U, v U)           { atomic.StoreUint64(p, v) }
func cas64(p *U, old, new U) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func load32(p *uint32) uint32     { return atomic.LoadUint32(p) }
func cas32(p *uint32, old, new uint32) bool {
	return atomic.CompareAndSwapUint32(p, old, new)
}

func loadp(p *unsafe.Pointer) unsafe.Pointer { return atomic.LoadPointer(p) }
func casp(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return atomic.CompareAndSwapPointer(p, old, new)
}
