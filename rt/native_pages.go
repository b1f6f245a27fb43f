//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package rt

import "unsafe"

// Which sites are armed. To arm one is a store, but its page has to be made writable, and tens of thousands of sites are hundreds of pages. So what ticks arm are the
// pages where path ends have been seen of late, the active ones; and now and then, at a full tick, all. What a full tick finds in
// pages that were not active stands for all ticks since the last full one.

// A textPage is a page of the program's text with sites in it.
type textPage struct {
	address     uintptr
	first, next uint32 // sites
	idle        uint8  // full ticks since there was a path end, up to inactive
	armed       bool
	spare       bool // was inactive when it was armed
}

const (
	// inactive is after how many full ticks without a path end a page is not active any more.
	inactive = 4
	// often is how often ticks are full, if not all are: the first ones, and then one in so many.
	often = 8
	// fewPages is with how many pages all ticks are full.
	fewPages = 64
	// gap is how many pages that need not be written to are made writable with those before and behind, rather than in another system call.
	gap = 16
)

// pages are the pages of the text that have sites.
var pages struct {
	list  *textPage
	n     uintptr
	ticks U // since the last full one
	total U // all
	full  bool
	since U // how many ticks a full one stands for
}

// at returns page i.
//
//go:norace
func pageAt(i uintptr) *textPage {
	return (*textPage)(unsafe.Add(unsafe.Pointer(pages.list), i*unsafe.Sizeof(textPage{})))
}

// listPages makes the list of pages, and reports whether there is memory for it.
//
//go:norace
func listPages() bool {
	w, p := &native, &pages
	most := (w.to - w.from) / page
	memory := mmapMemory(U(most * unsafe.Sizeof(textPage{})))
	if memory == 0 {
		return false
	}
	p.list = (*textPage)(pointer(memory))
	for i := range w.n {
		address := w.site(i) &^ (page - 1)
		if p.n == 0 || pageAt(p.n-1).address != address {
			*pageAt(p.n) = textPage{address: address, first: uint32(i), idle: inactive}
			p.n++
		}
		pageAt(p.n - 1).next = uint32(i) + 1
	}
	return true
}

// choosePages decides on what the next tick arms.
//
//go:norace
func choosePages() {
	p := &pages
	p.ticks++
	p.total++
	p.full = p.n <= fewPages || p.total <= often || p.ticks >= often
	if p.full {
		p.since, p.ticks = p.ticks, 0
	}
}

// arm arms what has been chosen.
//
//go:norace
func arm() {
	p := &pages
	for i := range p.n {
		t := pageAt(i)
		t.armed = p.full || t.idle < inactive
		t.spare = t.idle >= inactive
	}
	setSites(disarmed, armed)
}

// disarm disarms what has been armed.
//
//go:norace
func disarm() {
	setSites(armed, disarmed)
	for i := range pages.n {
		pageAt(i).armed = false
	}
}

// setSites writes the first byte of the sites of all pages that are to be armed or are.
//
//go:norace
func setSites(from, to byte) {
	for i := uintptr(0); i < pages.n; i++ {
		if !pageAt(i).armed {
			continue
		}
		j := i + 1
		end := pageAt(i).address + page
		for k := j; k < pages.n && pageAt(k).address-end <= gap*page; k++ {
			if pageAt(k).armed {
				j, end = k+1, pageAt(k).address+page
			}
		}
		setPages(i, j, from, to)
		i = j - 1
	}
}

// setPages is setSites for the pages from i to j. It reports whether it may. The text can be written to while that is done, and only then. A site that has another byte than
// one of the two stays as it is: a debugger has a breakpoint there.
//
//go:norace
func setPages(i, j uintptr, from, to byte) bool {
	const read, write, exec = 1, 2, 4
	begin, end := pageAt(i).address, pageAt(j-1).address+page
	if _, err := syscall6(sysMprotect, begin, end-begin, read|write|exec, 0, 0, 0); err != 0 {
		return false
	}
	for ; i < j; i++ {
		t := pageAt(i)
		if !t.armed {
			continue // it lies between others
		}
		for k := t.first; k < t.next; k++ {
			if first := (*byte)(pointer(native.site(uintptr(k)))); *first == from {
				*first = to
			}
		}
	}
	_, err := syscall6(sysMprotect, begin, end-begin, read|exec, 0, 0, 0)
	return err == 0
}

// pageOf returns the page that has a site.
//
//go:norace
func pageOf(site U) *textPage {
	low, high := uintptr(0), pages.n-1
	for low < high {
		middle := (low + high) / 2
		if U(pageAt(middle).next) <= site {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return pageAt(low)
}

// share returns how many ticks' path ends entry n of a log stands for.
//
//go:norace
func share(log, n U) U {
	if pages.n <= fewPages || !pages.full {
		return 1
	}
	if _, site := entry(log, n).split(); !pageOf(site).spare {
		return 1
	}
	return pages.since
}

// seenPages notes which pages are active, of some path ends of a log.
//
//go:norace
func seenPages(log, from, to U) {
	if pages.n <= fewPages {
		return
	}
	for i := from; i < to; i++ {
		_, site := entry(log, i).split()
		pageOf(site).idle = 0
	}
}

// agePages has pages grow older at a full tick.
//
//go:norace
func agePages() {
	if pages.n <= fewPages {
		return
	}
	for i := range pages.n {
		if t := pageAt(i); pages.full && t.idle < inactive {
			t.idle++
		}
	}
}
