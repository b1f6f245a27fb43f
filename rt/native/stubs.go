//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Stubs are in a file in memory that is mapped twice: to be executed, and to be written. Their first byte says whether
// they are trapped.

// stubsView is where the stubs can be written; 0 if they cannot be.
var stubsView uintptr

// mapStubs maps the stubs twice, and reports whether they are there. Otherwise nothing is.
//
//go:norace
func mapStubs(fd uintptr) bool {
	const read, readWrite, readExec = 1, 1 | 2, 1 | 4
	const shared, private, there = 1, 2, 0x100000 // MAP_FIXED_NOREPLACE
	im := &image
	if sys.FileLimit() < im.Code {
		return false // a file that is too large would be a signal
	}
	plain, err := sys.MmapAs(0, im.Code, read, private, fd, im.Offset)
	if err != 0 {
		return false
	}
	defer sys.Munmap(sys.Pointer(plain), im.Code)
	memory, err := sys.MemoryFile("goprofinstr\x00")
	if err != 0 {
		return false
	}
	defer sys.CloseFile(memory)
	if sys.Pwrite(memory, sys.Pointer(plain), im.Code, 0) != 0 {
		return false
	}
	view, err := sys.MmapAs(0, im.Code, readWrite, shared, memory, 0)
	if err != 0 {
		return false
	}
	code, err := sys.MmapAs(uintptr(im.Base), im.Code, readExec, private|there, memory, 0)
	if err != 0 || code != uintptr(im.Base) || sys.KeepFromChildren(view, im.Code) != 0 {
		sys.Munmap(sys.Pointer(view), im.Code)
		if err == 0 {
			sys.Munmap(sys.Pointer(code), im.Code)
		}
		return false
	}
	stubsView = view
	return true
}

// stubOf returns the address of the stub of a site.
//
//go:norace
func stubOf(number U) uintptr {
	site := native.site(uintptr(number))
	return site + 5 + uintptr(*(*int32)(sys.Pointer(site + 1)))
}

// trapStub has the stub of a site be trapped, or not.
//
//go:norace
func trapStub(number U, on bool) {
	first := byte(StubBegin)
	if on {
		first = StubTrap
	}
	*(*byte)(sys.Pointer(stubsView + stubOf(number) - uintptr(image.Base))) = first
	siteState(number).Trapped = on
}

// siteAt returns the number of the site at an address.
//
//go:norace
func siteAt(address uintptr) U {
	low, high := uintptr(0), native.n
	for low < high {
		if middle := (low + high) / 2; native.site(middle) < address {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return U(low)
}

// endAt returns what the stub of a site is about to note.
//
//go:norace
func endAt(at unsafe.Pointer, number U) ended {
	base := U(*(*uint32)(sys.Pointer(native.sites + (native.n+uintptr(number))*4)))
	isHashed := base&runfile.SiteHash != 0
	code := (*[16]byte)(sys.Pointer(stubOf(number)))
	register, path := StubPath(code, isHashed)
	if register >= 0 {
		path = runtime.GoprofinstrRegister(at, uintptr(register))
	}
	if base &^= runfile.SiteHash | runfile.SiteRegister; isHashed {
		return ended{uintptr(base|isHash) | uintptr(number)<<32, path}
	}
	return ended{uintptr(base + path*16), number}
}
