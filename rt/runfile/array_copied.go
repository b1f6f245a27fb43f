//go:build windows && !386

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/mirror"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Here a counter array is copied to the run file: see package mirror.

// arrayOf returns the words that begin at an address.
//
//go:norace
func arrayOf(address, size U) array { return array{address, sys.RoundUp(size, Page), size, 0} }

// keepAt has the array be copied to the part of the run file that begins at an offset, which has what it has counted by then.
//
//go:norace
func (a array) keepAt(off U) sys.Errno {
	view, err := mapPart(a.size, off)
	if err != 0 {
		return err
	}
	mirror.Keep((*U)(sys.Pointer(uintptr(a.lo))), (*U)(view), a.used/8)
	return 0
}

// startCopying has counters be copied while the program runs and when it exits.
func startCopying() {
	mirror.Start()
	AtExit(func() { mirror.Copy() }) // in case nobody tells package mirror of the exit
}

// mapPart maps size bytes of the run file, shared, anywhere.
//
//go:norace
func mapPart(size, off U) (unsafe.Pointer, sys.Errno) { return sys.MapView(size, run.fd, off) }

// discard unmaps what mapPart returned.
//
//go:norace
func discard(p unsafe.Pointer, size U) { sys.UnmapView(p) }
