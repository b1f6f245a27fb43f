//go:build (linux && (amd64 || arm64 || riscv64)) || darwin

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// A file system can take back what it has promised. One that copies on write needs new room for a page that a snapshot shares,
// others lose a server, and somebody may truncate the file. The next access to the page is SIGBUS. Package runtime hands that to
// revoked, which puts memory that is in no file in the place of the page. To know whose page it is, there is a list of the parts
// of the run file that are mapped.

// A mapping is a part of the run file. An address of 0 is that of none.
type mapping struct{ lo, size, off U }

// mappingPage is some of the list. It is memory of its own, since mappings are made where nothing may be allocated.
type mappingPage struct {
	next U // address of the page before
	n    U // how many mappings there are, or more if they did not fit
	list [(4096 - 16) / unsafe.Sizeof(mapping{})]mapping
}

var mappings unsafe.Pointer // *mappingPage, the newest

// noteMapping adds a part of the run file to the list.
//
//go:norace
func noteMapping(m mapping) {
	for {
		newest := sys.LoadP(&mappings)
		if newest != nil {
			p := (*mappingPage)(newest)
			if i := sys.FetchAdd64(&p.n, 1); i < U(len(p.list)) {
				p.list[i].size, p.list[i].off = m.size, m.off
				sys.Store64(&p.list[i].lo, m.lo)
				return
			}
		}
		p, err := sys.MmapPrivate(4096)
		if err != 0 {
			return
		}
		(*mappingPage)(p).next = U(uintptr(newest))
		if !sys.CASP(&mappings, newest, p) {
			sys.Munmap(p, 4096)
		}
	}
}

// mappingOf returns the part of the run file that has an address, nil if there is none.
//
//go:norace
func mappingOf(address U) *mapping {
	for p := (*mappingPage)(sys.LoadP(&mappings)); p != nil; p = *(**mappingPage)(unsafe.Pointer(&p.next)) {
		for i := range min(sys.Load64(&p.n), U(len(p.list))) {
			if m := &p.list[i]; sys.Load64(&m.lo) <= address && address-m.lo < m.size {
				return m
			}
		}
	}
	return nil
}

// forgetMapping takes the part at an address from the list: the address may soon be another's.
//
//go:norace
func forgetMapping(lo U) {
	if m := mappingOf(lo); m != nil {
		m.size = 0
	}
}

// revoked handles SIGBUS at an address, and reports whether it is ours. What the page had stays in the file as far as it can
// be read, and what is counted from then on is lost.
//
//go:norace
func revoked(address uintptr) bool {
	m := mappingOf(U(address))
	if m == nil {
		return false
	}
	sys.UnblockBus() // of the header page, below
	skip := (U(address) - m.lo) &^ (Page - 1)
	p, err := sys.MmapPrivate(Page)
	if err != 0 {
		return false
	}
	if id, err := sys.Identify(run.fd); err == 0 && id == run.id {
		sys.Pread(run.fd, p, Page, m.off+skip)
	}
	if err := sys.Move(p, Page, uintptr(m.lo+skip)); err != 0 {
		sys.Munmap(p, Page)
		return false
	}
	Lose()
	TellIncomplete("counting in", "the file system has taken space back")
	return true
}

// mmap maps size bytes of the run file, shared, over addr, or anywhere if addr is 0.
//
//go:norace
func mmap(addr uintptr, size U, fd uintptr, off U) (unsafe.Pointer, sys.Errno) {
	p, err := sys.MapShared(addr, size, fd, off)
	if err == 0 {
		noteMapping(mapping{U(uintptr(p)), size, off})
	}
	return p, err
}

// mapPart maps size bytes of the run file, shared, anywhere.
//
//go:norace
func mapPart(size, off U) (unsafe.Pointer, sys.Errno) { return mmap(0, size, run.fd, off) }

// discard unmaps what mapPart returned and gives its disk blocks back, if the file
// system can make holes.
//
//go:norace
func discard(p unsafe.Pointer, size U) {
	sys.DropPages(p, size)
	forgetMapping(U(uintptr(p)))
	sys.Munmap(p, size)
}
