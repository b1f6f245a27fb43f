//go:build !goprofinstr_std

package sys

import (
	_ "syscall"
	_ "unsafe" // for go:linkname
)

// Package syscall has these.

//go:linkname rawSyscall syscall.rawSyscall
func rawSyscall(fn, a1, a2, a3 uintptr) (r1, r2, err uintptr)

//go:linkname rawSyscall6 syscall.rawSyscall6
func rawSyscall6(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, err uintptr)

// libc3 and libc6 are the twins of calls_std_darwin.go's for tests and tools: what the arguments point to goes to the heap.
//
//go:uintptrescapes
func libc3(fn, a1, a2, a3 uintptr) (uintptr, Errno) {
	r, _, e := rawSyscall(fn, a1, a2, a3)
	if int32(r) != -1 {
		return r, 0
	}
	return r, Errno(e)
}

//go:uintptrescapes
func libc6(fn, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, _, e := rawSyscall6(fn, a1, a2, a3, a4, a5, a6)
	if int32(r) != -1 {
		return r, 0
	}
	return r, Errno(e)
}
