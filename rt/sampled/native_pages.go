//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Which sites are armed: package sampler decides it (sampler.Pages), and this writes to the text.

// pages are the pages of the text that have sites.
var pages struct {
	memory *sampler.Page // of the list, which is not in the heap
	n      uintptr
	sampler.Pages
}

// pageList returns the list.
//
//go:norace
func pageList() []sampler.Page { return unsafe.Slice(pages.memory, int(pages.n)) }

// pageAt returns page i.
//
//go:norace
func pageAt(i uintptr) *sampler.Page {
	return (*sampler.Page)(unsafe.Add(unsafe.Pointer(pages.memory), i*unsafe.Sizeof(sampler.Page{})))
}

// listPages makes the list of pages, and reports whether there is memory for it.
//
//go:norace
func listPages() bool {
	w, p := &native, &pages
	most := (w.to - w.from) / runfile.Page
	memory := mmapMemory(U(most * unsafe.Sizeof(sampler.Page{})))
	if memory == 0 {
		return false
	}
	p.memory = (*sampler.Page)(sys.Pointer(memory))
	for i := range w.n {
		address := pageOf(w.site(i))
		if p.n == 0 || pageAt(p.n-1).Address != address {
			*pageAt(p.n) = sampler.Page{Address: address, First: uint32(i), Idle: sampler.Inactive}
			p.n++
		}
		pageAt(p.n - 1).Next = uint32(i) + 1
	}
	return true
}

// choosePages decides on what the next tick arms.
//
//go:norace
func choosePages() { pages.Choose(pageList()) }

// arm arms what has been chosen.
//
//go:norace
func arm() {
	pages.Arm(pageList())
	setSites(armed)
}

// disarm disarms what has been armed.
//
//go:norace
func disarm() {
	setSites(disarmed)
	for i := range pages.n {
		pageAt(i).Armed = false
	}
}

// setSites writes the first byte of the sites of all pages that are to be armed.
//
//go:norace
func setSites(to byte) {
	for i := uintptr(0); i < pages.n; i++ {
		if !pageAt(i).Armed {
			continue
		}
		j := i + 1
		end := pageAt(i).Address + runfile.Page
		for k := j; k < pages.n && pageAt(k).Address-end <= gap*runfile.Page; k++ {
			if pageAt(k).Armed {
				j, end = k+1, pageAt(k).Address+runfile.Page
			}
		}
		setPages(i, j, to)
		i = j - 1
	}
}

// setPages is setSites for the pages from i to j.
//
//go:norace
func setPages(i, j uintptr, to byte) {
	r := textRun{begin: pageAt(i).Address, end: pageAt(j-1).Address + runfile.Page}
	if !openText(r) {
		return
	}
	for ; i < j; i++ {
		t := pageAt(i)
		if !t.Armed {
			continue // it lies between others
		}
		for k := t.First; k < t.Next; k++ {
			writeSite(native.site(uintptr(k)), to)
		}
	}
	closeText(r)
}

// share returns how many ticks' path ends entry n of a log stands for.
//
//go:norace
func share(log, n U) U {
	if !pages.Weighs(pageList()) {
		return 1
	}
	_, site := entry(log, n).split()
	return pages.Share(pageList(), site)
}

// seenPages notes which pages are active, of some path ends of a log.
//
//go:norace
func seenPages(log, from, to U) {
	list := pageList()
	if !pages.Weighs(list) {
		return
	}
	for i := from; i < to; i++ {
		_, site := entry(log, i).split()
		pages.Seen(list, site)
	}
}

// agePages has pages grow older at a full tick.
//
//go:norace
func agePages() { pages.Age(pageList()) }
