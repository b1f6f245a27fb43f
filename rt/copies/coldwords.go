//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// The words of functions of the source in the run file say which of them are sampled. Such a function is counted exactly as
// long as all machine code that it is in, its own and what it was inlined into, is of cold functions.

// mostPackages is how many packages may have functions that are counted exactly.
const mostPackages = 1 << 12

// packages are those whose words are known.
var packages struct {
	list [mostPackages]uintptr // addresses: a garbage collector would read as many pointers each time
	n    U

	fence U // what is written before it is added to is seen by who reads after adding to it
}

// useCold has the words of a package say which functions are sampled, from now on. A function may fall meanwhile: it is noted
// first that it has, and then in words, so that what is looked up last here is right.
//
//go:norace
func (p *Package) useCold() {
	exact := cold.on
	if exact {
		if k := sys.FetchAdd64(&packages.n, 1); k < mostPackages {
			packages.list[k] = uintptr(unsafe.Pointer(p))
			sys.Inc64(&packages.fence)
		} else {
			exact = false
		}
	}
	for i := range p.N {
		if k := exactAt(p.place(i)); !exact || k < 0 || cold.sampled[k] != 0 {
			*sys.Word(p.Words, i) |= runfile.SiteSampled
		}
	}
}

// exactAt returns the number of what is at some place among functions that began as counted exactly, -1 if it is none.
//
//go:norace
func exactAt(place U) int {
	lo, hi := 0, len(cold.exact)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); cold.exact[mid] < place {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(cold.exact) || cold.exact[lo] != place {
		return -1
	}
	return lo
}

// tell has the words of functions of the source say that these are sampled which are in a function that is cold no more.
//
//go:norace
func (c *coldType) tell(k uint32) {
	f := &c.functions[k]
	for t := f.Target; t < f.Target+f.Targets; t++ {
		place := program.decoder.Targets[t].At &^ pathlog.Inlined
		n := exactAt(place)
		if n < 0 || c.sampled[n] != 0 {
			continue
		}
		c.sampled[n] = 1
		sys.Inc64(&packages.fence)
		for _, at := range packages.list[:min(sys.Load64(&packages.n), mostPackages)] {
			if p := (*Package)(sys.Pointer(at)); p != nil && p.has(place) {
				p.setSampled(place)
			}
		}
	}
}

// has reports whether a place may be one of a package's.
//
//go:norace
func (p *Package) has(place U) bool {
	if place&pathlog.IsHash != 0 {
		return place > U(uintptr(unsafe.Pointer(p.Hashes)))
	}
	return place >= U(uintptr(unsafe.Pointer(p.Counters)))
}

// setSampled has the word of the function at a place say that it is sampled.
//
//go:norace
func (p *Package) setSampled(place U) {
	for i := range p.N {
		if p.place(i) == place {
			*sys.Word(p.Words, i) |= runfile.SiteSampled
		}
	}
}
