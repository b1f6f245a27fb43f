//go:build !goprofinstr_std && (amd64 || arm64 || riscv64)

package sys

import "syscall"

// syscall6 is the twin of calls_std_linux.go's for tests and tools. Here what the
// arguments point to goes to the heap, since keeping it alive on the stack is
// the standard library's privilege.
//
//go:uintptrescapes
func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, _, e := syscall.RawSyscall6(num, a1, a2, a3, a4, a5, a6)
	return r, Errno(e)
}
