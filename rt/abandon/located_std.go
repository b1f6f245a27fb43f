//go:build goprofinstr_std && goprofinstr_runtime

package abandon

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Functions without a Frame are found by the program counters of a stack that nothing will return to.

// locate tells package runtime of those of a package, while it registers itself.
func (r *hashRange) locate() {
	path := ""
	for i := uintptr(0); i*16 < uintptr(len(r.functions)); i++ {
		where := *(*[4]uint32)(unsafe.Add(unsafe.Pointer(unsafe.StringData(r.functions)), i*16))
		if where[0]&NoFrame == 0 {
			continue
		}
		if path == "" {
			path = initialised()
		}
		hash := unsafe.Add(r.hashes, i*unsafe.Sizeof(rt.Hash{}))
		locate(path, where[0]&^NoFrame, where[1], where[2], where[3], hash)
	}
}

// initialised returns the path of the package that calls Positions, as names of functions have it.
func initialised() string {
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		frame, more := frames.Next()
		if path := packageOf(frame.Function); path != "goprofinstr/rt/abandon" || !more {
			return path
		}
	}
}

// packageOf returns the part of a function's name that is the path of its package.
func packageOf(name string) string {
	i := len(name)
	for i > 0 && name[i-1] != '/' {
		i--
	}
	for i < len(name) && name[i] != '.' {
		i++
	}
	return name[:i]
}

// locate makes a function known by its package and file, two lines between which it starts, and a third on which it ends. file is
// the FNV-1a hash of the base name of the file.
//
//go:linkname locate
func locate(path string, from, open, end, file uint32, hash unsafe.Pointer)

// onLocated says what is to be called for the activations of such functions, with the line that they are at.
//
//go:linkname onLocated
func onLocated(f func(hash unsafe.Pointer, line uint32))

// located counts an activation. It is called on a stack of the system's, as abandoned is.
//
//go:norace
func located(hash unsafe.Pointer, line uint32) { rt.Path((*rt.Hash)(hash), LineKey(U(line), 0)) }
