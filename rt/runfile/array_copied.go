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
	AtExit(func() {
		mirror.CopyLast() // package runtime does it behind writeInMemory, if at all
		writeInMemory()
	})
}

// safe tells whether views of the run file cannot fail. An access to a view is an exception, which would end the program, if the
// file is on another machine that is gone, or on a stick that was pulled out. There the file is in memory, and written at exit.
var safe, safeKnown bool

// mapPart maps size bytes of the run file, shared, anywhere. The first call is when the program starts.
//
//go:norace
func mapPart(size, off U) (unsafe.Pointer, sys.Errno) {
	if !safeKnown {
		safe, safeKnown = sys.OnFixedDrive(run.dir), true
	}
	if safe {
		return sys.MapView(size, run.fd, off)
	}
	p, err := sys.MmapPrivate(size)
	if err == 0 {
		noteMapping(mapping{U(uintptr(p)), size, off})
	}
	return p, err
}

// writeInMemory writes what parts of the file are in memory.
func writeInMemory() {
	for p := (*mappingPage)(sys.LoadP(&mappings)); p != nil; p = *(**mappingPage)(unsafe.Pointer(&p.next)) {
		for i := range min(sys.Load64(&p.n), U(len(p.list))) {
			m := &p.list[i]
			if lo := sys.Load64(&m.lo); lo != 0 && m.size != 0 {
				if err := sys.Pwrite(run.fd, sys.Pointer(uintptr(lo)), m.size, m.off); err != 0 {
					complain("writing a run file in", err.Text(), incomplete)
					return
				}
			}
		}
	}
}

// discard unmaps what mapPart returned.
//
//go:norace
func discard(p unsafe.Pointer, size U) {
	if safe {
		sys.UnmapView(p)
		return
	}
	forgetMapping(U(uintptr(p)))
	sys.Munmap(p, size)
}
