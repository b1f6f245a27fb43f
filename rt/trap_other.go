//go:build goprofinstr_std && goprofinstr_sampler && linux && (arm64 || riscv64)

package rt

import (
	"runtime"
	"unsafe"
)

// decodeStore returns the number of the register that an instruction at p stores, and its length. It has not been
// done for riscv64.
//
//go:norace
func decodeStore(p unsafe.Pointer) (register, length uintptr) {
	code := *(*uint32)(p)
	if runtime.GOARCH != "arm64" || code>>22 != 0x3e4 { // STR Xt, [Xn, #offset]
		return 0, 0
	}
	return uintptr(code & 31), 4
}
