//go:build (linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386)

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// There is a list of the parts of the run file that are in memory: see revoked.go, and array_copied.go for Windows.

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
