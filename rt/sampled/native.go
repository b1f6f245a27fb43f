//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package sampled

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Native probes at work. The code of the image notes path ends in logs of its own, one for each thread. Sites are armed and disarmed by one byte
// each, while other threads may run through them: they are no-ops or calls.

// image is filled in by the program that patches the executable.
var image = Image{
	Magic:  [2]U{ImageMagic0, ImageMagic1},
	Thread: runtime.GoprofinstrThreadOffset, Number: runtime.GoprofinstrNumberOffset,
	Here: here,
}

// here is the function that ImageHere names. Nobody calls it.
func here() {}

var native nativeProgram

type nativeProgram struct {
	sites    uintptr // their addresses, 4 bytes each; 0 if the program has no native probes, or they cannot be used
	n        uintptr
	from, to uintptr // the pages that they are in

	cursors *[threads]uintptr // ends of logs: where the next path end is noted
	logs    [threads]uintptr  // where they begin; 0 if the thread has none yet
	probe   float64           // ns that a probe takes in a burst
	off     bool              // no site is armed any more
}

// nativeEnds is how many path ends a log has room for. Behind it there is a page that may not be written.
const nativeEnds = 1 << 13

// The first byte of a site.
const (
	disarmed = 0x0f // of a no-op
	armed    = 0xe8 // of a call
)

// nativeProbes reports whether the program has native probes.
func nativeProbes() bool { return native.sites != 0 }

// startNative maps the image, if the program has one, and reports whether there can be sampling.
//
//go:norace
func startNative() bool {
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
	if why == "" && !listPages() {
		why = "there is no memory for the list of pages"
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
	measureProbe()
	startSites()
	return true
}

// noNative is what the user is told.
func noNative(why string) string {
	return "goprofinstr: native probes: " + why + "; nothing is sampled; build with -backend portable\n"
}

// mapImage maps the image in the program's file. It returns why that could not be done, "" if it could.
//
//go:norace
func mapImage(fd uintptr) (why string) {
	im, w := &image, &native
	const read, readWrite, exec = 1, 1 | 2, 1 | 4
	const private, anonymous, there = 2, 0x20, 0x100000 // MAP_FIXED_NOREPLACE
	if size, err := sys.SizeOf(fd); err != 0 || size < im.Offset+im.Code+im.Sites*8 {
		return "what they call is not in the program's file any more"
	}
	cursors, err := sys.MmapAs(uintptr(im.Base-CursorsBelow), runfile.Page, readWrite, private|anonymous|there, ^uintptr(0), 0)
	if err != 0 || cursors != uintptr(im.Base-CursorsBelow) {
		return "mapping the ends of logs: " + err.Text()
	}
	code, err := sys.MmapAs(uintptr(im.Base), im.Code, exec, private|there, fd, im.Offset)
	if err != 0 || code != uintptr(im.Base) {
		return "mapping what they call: " + err.Text()
	}
	sites, err := sys.MmapAs(0, im.Sites*8, read, private, fd, im.Offset+im.Code)
	if err != 0 {
		return "mapping the list of sites: " + err.Text()
	}
	w.cursors = (*[threads]uintptr)(sys.Pointer(cursors))
	w.sites, w.n = sites, uintptr(im.Sites)
	w.from, w.to = w.site(0)&^(runfile.Page-1), (w.site(w.n-1)+runfile.Page)&^(runfile.Page-1)
	return ""
}

// site returns the address of a site.
//
//go:norace
func (w *nativeProgram) site(i uintptr) uintptr {
	return uintptr(*(*uint32)(sys.Pointer(w.sites + i*4)))
}

// measureProbe finds out how long a probe in a burst takes, by calling the stub of a site.
//
//go:norace
func measureProbe() {
	const calls = 1000
	site := native.site(0)
	stub := site + 5 + uintptr(*(*int32)(sys.Pointer(site + 1)))
	code := &stub
	probe := *(*func())(unsafe.Pointer(&code))
	log := sys.Thread() % threads
	newLog(log)
	best := ^U(0)
	for range 3 {
		began := threadTime()
		for range calls {
			probe()
		}
		best = min(best, threadTime()-began)
		setEnds(log, 0)
	}
	for i := range U(calls) {
		*entry(log, i) = ended{} // of paths that the registers did not have
	}
	native.probe = float64(best) / calls
}

// plausible reports whether what a stub has noted can be the end of a path at its site. A log whose reset has been undone by a stub that was interrupted
// has entries of earlier bursts, which can; no other may ever be written to.
//
//go:norace
func (e *ended) plausible() bool {
	if native.sites == 0 {
		return true
	}
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

// probeTime returns what a probe in a burst adds to the time of the program, ns.
//
//go:norace
func probeTime() float64 {
	if native.sites != 0 {
		return native.probe
	}
	return sampler.Probe
}

// newLog gives a thread a log, if it has none, and reports whether it has one.
//
//go:norace
func newLog(log U) bool {
	w := &native
	if w.logs[log] == 0 {
		const size = nativeEnds * EndedSize
		p := mmapMemory(size)
		w.logs[log], w.cursors[log] = p, p
	}
	return w.logs[log] != 0
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

// ends returns how many path ends a log has, with what it counts from.
//
//go:norace
func ends(log U) U {
	w := &native
	switch {
	case w.sites == 0:
		return logs[log].ends
	case w.logs[log] == 0:
		return 0
	}
	return U(w.cursors[log]-w.logs[log]) / EndedSize
}

// setEnds has a log count from n, from its end if it has no room for as many.
//
//go:norace
func setEnds(log, n U) {
	w := &native
	if w.sites == 0 {
		logs[log].ends = n
		return
	}
	if newLog(log) {
		// Stubs write there: path ends that were passed by before some were trapped may be more than there is room for.
		w.cursors[log] = w.logs[log] + uintptr(min(n, nativeEnds))*EndedSize
	}
}

// entry returns entry n of a log.
//
//go:norace
func entry(log, n U) *ended {
	if native.sites != 0 {
		return (*ended)(sys.Pointer(native.logs[log] + uintptr(n)*EndedSize))
	}
	return &logs[log].path[n]
}

// most returns after how many path ends a log is full.
//
//go:norace
func most() U {
	if native.sites != 0 {
		return nativeEnds
	}
	return mostEnds
}

// room returns how many entries of a log are those of the window.
//
//go:norace
func room() U {
	if native.sites != 0 {
		return nativeEnds - mostOthers
	}
	return sampler.MaxReach
}

// neverArm has native probes never note anything again.
//
//go:norace
func neverArm() {
	setBurst(0)
	native.off = native.sites != 0
}

// setBurst has probes note path ends, or not.
//
//go:norace
func setBurst(on uint32) {
	if native.off && on != 0 {
		return
	}
	if native.sites != 0 && on != Burst.On {
		if on != 0 {
			arm()
		} else {
			disarm()
		}
	}
	Burst.On = on
}

// The stores of stubs for estimates in an array: MOVQ AX, (DX) has so many bytes, and MOVQ $k, 8(DX) so many before k.
const (
	storeEstimate = 3
	storeNumber   = 4
)

// undoStub has a signal that came where a stub notes a path end return to the site, and returns what was to be noted.
//
//go:norace
func undoStub(at unsafe.Pointer) (e ended, ok bool) {
	pc := runtime.GoprofinstrPC(at)
	if native.sites == 0 || U(pc) < image.Base || U(pc) >= image.Base+image.Code {
		return e, false
	}
	store := (*[8]byte)(sys.Pointer(uintptr(pc) + storeEstimate))
	where, path := runtime.GoprofinstrUndo(at)
	if where&isHash == 0 {
		path = U(*(*uint32)(unsafe.Pointer(&store[storeNumber]))) // which is in the store that would have been next
	}
	return ended{uintptr(where), path}, true
}
