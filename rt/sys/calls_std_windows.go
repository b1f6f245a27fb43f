//go:build goprofinstr_std && !386

package sys

import _ "unsafe" // for go:linkname

// Package runtime has this, by calls_windows.go.txt.
//
//go:linkname rawCall
func rawCall(fn, a1, a2, a3, a4, a5, a6 uintptr) (r, err uintptr)

// call calls a function of Windows that returns 0 if it fails. Arguments that are converted pointers stay valid during the call.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func call(fn, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, err := rawCall(fn, a1, a2, a3, a4, a5, a6)
	if r != 0 {
		return r, 0
	}
	return 0, errnoOf(err)
}
