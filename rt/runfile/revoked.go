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
