//go:build goprofinstr_std && goprofinstr_sampler && linux && (arm64 || riscv64)

package rt

import "unsafe"

// storeLength returns the length of an instruction.
func storeLength(unsafe.Pointer) uintptr { return 4 }
