//go:build goprofinstr_std && (amd64 || arm64 || riscv64)

package sys

import "internal/runtime/syscall/linux"

// syscall6 makes a system call. Arguments that are converted pointers stay valid
// during the call: the objects are kept alive and, the function needing no more
// stack, do not move.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, _, e := linux.Syscall6(num, a1, a2, a3, a4, a5, a6)
	return r, Errno(e)
}
