//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// Native probes at work. The code of the image notes path ends in logs of its own, one for each thread (log.go).
// Sites are armed and disarmed by one byte each, while other threads may run through them: they are no-ops or calls.
// Those at which paths rarely end are armed always (counting.go), the others in windows (window.go).

// image is filled in by the program that patches the executable.
var image = Image{
	Magic:  [2]U{ImageMagic0, ImageMagic1},
	Thread: runtime.GoprofinstrThreadOffset, Cursor: runtime.GoprofinstrCursorOffset,
	Here: here,
}

// here is the function that ImageHere names. Nobody calls it.
func here() {}

var native nativeProgram

type nativeProgram struct {
	sites    uintptr // their addresses, 4 bytes each; 0 if the program has no native probes, or they cannot be used
	n        uintptr
	from, to uintptr // the pages that they are in
	off      bool    // no site is armed any more
}

// On reports whether the program has native probes.
func On() bool { return native.sites != 0 }

// Start maps the image, if the program has one, and reports whether there can be sampling.
//
//go:norace
func Start() bool {
	im := &image
	if im.Offset == 0 && usedMarkers != nil {
		sys.Warn(noNative("the linker was not run by goprofinstr wrap"))
		return false
	}
	if im.Sites == 0 {
		if im.Left > 0 {
			sys.Warn(noNative("the linked program has none that can be patched"))
		}
		return im.Left == 0
	}
	fd, err := sys.Open("/proc/self/exe\x00", 0x80000) // O_RDONLY|O_CLOEXEC
	if err != 0 {
		sys.Warn(noNative("opening the program's own file: " + err.Text()))
		return false
	}
	why := mapImage(fd)
	if why == "" && !startCounting() {
		why = "there is no memory for the list of sites"
	}
	if why == "" && !startText(fd) {
		why = "the system does not let the program write to its own text"
	}
	sys.CloseFile(fd)
	if why != "" {
		native.sites = 0
		sys.Warn(noNative(why))
		return false
	}
	tick.StartUsage()
	tick.StartSignals()
	startSites()
	onEnd(threadEnded)
	armAll(armed)
	record := tick.Sampling.Record
	record.Counted, record.Sites, record.Left = runfile.CountsRare, im.Sites, im.Left
	return true
}

// ended is what a stub notes: see EndedSize.
type ended struct {
	at   uintptr
	path U
}

// isHash tells that the estimate is in a Hash: all addresses are even.
const isHash = 1

// noNative is what the user is told.
func noNative(why string) string {
	return "goprofinstr: native probes: " + why + "; nothing is sampled; build with -backend portable\n"
}

// mapImage maps the image in the program's file. It returns why that could not be done, "" if it could.
//
//go:norace
func mapImage(fd uintptr) (why string) {
	im, w := &image, &native
	const read, exec = 1, 1 | 4
	const private, there = 2, 0x100000 // MAP_FIXED_NOREPLACE
	if size, err := sys.SizeOf(fd); err != 0 || size < im.Offset+im.Code+im.Sites*8 {
		return "what they call is not in the program's file any more"
	}
	if !mapStubs(fd) {
		code, err := sys.MmapAs(uintptr(im.Base), im.Code, exec, private|there, fd, im.Offset)
		switch {
		case err == sys.Exists || err == 0 && code != uintptr(im.Base): // before Linux 4.17 it is mapped elsewhere then
			return "something else is mapped where the code has to be that they call"
		case err != 0:
			return "mapping what they call: " + err.Text()
		}
	}
	sites, err := sys.MmapAs(0, im.Sites*8, read, private, fd, im.Offset+im.Code)
	if err != 0 {
		return "mapping the list of sites: " + err.Text()
	}
	w.sites, w.n = sites, uintptr(im.Sites)
	w.from, w.to = pageOf(w.site(0)), pageOf(w.site(w.n-1))+runfile.Page
	return ""
}

// site returns the address of a site.
//
//go:norace
func (w *nativeProgram) site(i uintptr) uintptr {
	return uintptr(*(*uint32)(sys.Pointer(w.sites + i*4)))
}

// plausible reports whether what a stub has noted can be the end of a path at its site. No other memory may ever be
// written to.
//
//go:norace
func (e *ended) plausible() bool {
	at, site := e.split()
	if site >= U(native.n) {
		return false
	}
	base := uintptr(*(*uint32)(sys.Pointer(native.sites + (native.n+uintptr(site))*4))) &^ (runfile.SiteHash | runfile.SiteRegister)
	if at&isHash != 0 {
		return at&^isHash == base
	}
	return at-base+MostPaths*16 < 2*MostPaths*16 // the register may have less than 0
}

// mmapMemory maps memory with a page behind it that may not be written, or returns 0.
//
//go:norace
func mmapMemory(size U) uintptr {
	size = (size + runfile.Page - 1) &^ (runfile.Page - 1)
	p, err := sys.MmapGuard(size + runfile.Page)
	if err != 0 || sys.MmapNothing(p, size) != 0 {
		return 0
	}
	return p
}

// neverArm has native probes never note anything again.
//
//go:norace
func neverArm() {
	if native.sites != 0 && !native.off {
		armAll(disarmed)
		native.off, nativeWindow.open = true, false
	}
}

// The stores of stubs for estimates in an array: MOVQ AX, (DX) has so many bytes, and MOVQ $k, 8(DX) so many before k.
const (
	storeEstimate = 3
	storeNumber   = 4
)

// storeAt is the first of them.
var storeAt = [storeEstimate]byte{0x48, 0x89, 0x02}

// Fault handles a fault of a stub. It reports false if the fault is not of one.
//
//go:norace
func Fault(address uintptr, at unsafe.Pointer) bool {
	if address == 0 && stubTrapped(at) {
		return true
	}
	e, ok := undoStub(at, address)
	if ok {
		sys.UnblockBus()
		stubFault(at, e)
	}
	return ok
}

// undoStub has a fault of a stub that could not note a path end return to behind the site. It returns what was to be
// noted. SIGSEGV may be from another process, too, wherever the stub is, and then it is not ours.
//
//go:norace
func undoStub(at unsafe.Pointer, address uintptr) (e ended, ok bool) {
	pc := runtime.GoprofinstrPC(at)
	if native.sites == 0 || U(pc) < image.Base || U(pc) >= image.Base+image.Code {
		return e, false
	}
	const rdx = 2
	if instruction := (*[storeEstimate]byte)(sys.Pointer(pc)); *instruction != storeAt || runtime.GoprofinstrRegister(at, rdx) != U(address) {
		return e, false
	}
	store := (*[8]byte)(sys.Pointer(uintptr(pc) + storeEstimate))
	where, path := runtime.GoprofinstrUndo(at)
	if where&isHash == 0 {
		path = U(*(*uint32)(unsafe.Pointer(&store[storeNumber]))) // which is in the store that would have been next
	}
	return ended{uintptr(where), path}, true
}
