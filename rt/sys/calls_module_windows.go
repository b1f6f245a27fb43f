//go:build !goprofinstr_std && !386

package sys

import "syscall"

// call is the twin of calls_std_windows.go's for tests and tools: what the arguments point to goes to the heap.
//
//go:uintptrescapes
func call(fn, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, _, err := syscall.SyscallN(fn, a1, a2, a3, a4, a5, a6)
	if r != 0 {
		return r, 0
	}
	return 0, errnoOf(uintptr(err))
}
