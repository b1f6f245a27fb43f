//go:build goprofinstr_std

package sys

import _ "unsafe" // for go:linkname

// Package runtime has these, by libc_darwin.go.txt.

//go:linkname rawSyscall
func rawSyscall(fn, a1, a2, a3 uintptr) (r1, r2, err uintptr)

//go:linkname rawSyscall6
func rawSyscall6(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, err uintptr)

// libc3 calls a function of C with up to three arguments, of which the third may be the one that a
// list of any length begins with. Arguments that are converted pointers stay valid during the call.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func libc3(fn, a1, a2, a3 uintptr) (uintptr, Errno) {
	r, _, e := rawSyscall(fn, a1, a2, a3)
	if int32(r) != -1 {
		return r, 0
	}
	return r, Errno(e)
}

//go:uintptrkeepalive
//go:nosplit
//go:norace
func libc6(fn, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, _, e := rawSyscall6(fn, a1, a2, a3, a4, a5, a6)
	if int32(r) != -1 {
		return r, 0
	}
	return r, Errno(e)
}
