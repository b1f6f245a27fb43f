//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Sites are written to through a second mapping of the pages that have some. Where there can be none, the pages are
// made writable for a moment.
//
// The second mapping: a file in memory has what these pages have, at the offsets at which the program's file has it.
// The text maps it privately, to be read and executed, and the view maps it shared, to be written. The text sees what
// is written to the view, but for pages of which it has copies of its own. A debugger has written breakpoints to
// these. Such pages become pages of the file again, with the breakpoints (see adopt).
//
// So a site is armed by a store. No system call, no page table and no other processor has to do with it, and no memory
// is ever writable and executable.

// text is the second mapping.
var text struct {
	view uintptr // where the text from base on can be written; 0 if its pages have to be made writable
	base uintptr
	size U
	last uintptr // page that writeSite has looked at last, since openText; 0 if none
	mine *uint32 // is 1 in the process that made the view, and 0 in those that fork has made of it
}

// gap is how many pages without sites are taken along with those before and behind, rather than in another system call.
const gap = 16

// textName is the name of the file in memory. What is added to package runtime/pprof knows it, too.
const textName = "goprofinstr\x00"

// A textRun is some pages of the text.
type textRun struct {
	begin, end uintptr
	next       uintptr // site behind them
}

// startText finds out how sites can be written to, given the program's file, and reports whether they can be.
//
//go:norace
func startText(fd uintptr) bool {
	if mapText(fd) {
		return true
	}
	first := textRun{begin: native.from, end: native.from + runfile.Page}
	return openText(first) && closeText(first)
}

// openText has sites of some pages be writable until closeText. It reports whether they are.
//
//go:norace
func openText(r textRun) bool {
	const read, write, exec = 1, 2, 4
	text.last = 0
	if InChild() {
		text.view = 0 // it is not there
	}
	return text.view != 0 || sys.Mprotect(r.begin, r.end-r.begin, read|write|exec) == 0
}

// closeText ends that.
//
//go:norace
func closeText(r textRun) bool {
	const read, exec = 1, 4
	return text.view != 0 || sys.Mprotect(r.begin, r.end-r.begin, read|exec) == 0
}

// writeSite writes the first byte of a site. A site that has a byte of another kind stays as it is: a debugger has a
// breakpoint there.
//
//go:norace
func writeSite(site uintptr, to byte) {
	t := &text
	p := (*byte)(sys.Pointer(site))
	if t.view == 0 {
		if isSite(*p) {
			*p = to
		}
		return
	}
	view := (*byte)(sys.Pointer(t.view + site - t.base))
	if !isSite(*view) && *p == *view {
		return
	}
	*view = to
	if page := pageOf(site); page != t.last { // one site tells of a page whether it is a copy
		t.last = page
		if *p != to {
			adopt(page)
		}
	}
}

// isSite reports whether a site may have b as first byte.
//
//go:norace
func isSite(b byte) bool { return b == armed || b == disarmed }

// adopt makes a page of the text, which is a copy, one of the file again, with what a debugger has written to it.
// Otherwise its sites would stay as they were when it was copied.
//
//go:norace
func adopt(page uintptr) {
	t := &text
	at, view := sys.Pointer(page), sys.Pointer(t.view+page-t.base)
	for i := range uintptr(runfile.Page) {
		is, to := *(*byte)(unsafe.Add(at, i)), (*byte)(unsafe.Add(view, i))
		if is != *to && !(isSite(is) && isSite(*to)) {
			*to = is
		}
	}
	sys.Forget(page, runfile.Page)
}

// mapText makes the second mapping, and reports whether it is there. Nothing has to be undone if not: the text is the
// same from wherever it is mapped.
//
//go:norace
func mapText(fd uintptr) bool {
	t := &text
	offset, ok := textOffset(fd)
	if !ok {
		return false
	}
	t.base, t.size = native.from, U(native.to-native.from)
	if t.mine == nil {
		t.mine = sys.WipedOnFork()
	}
	if t.mine == nil || sys.FileLimit() < offset+t.size {
		return false // a file that is too large would be a signal
	}
	memory, err := sys.MemoryFile(textName)
	if err != 0 {
		return false
	}
	ok = copyText(memory, fd, offset) && mapCopy(memory, offset)
	sys.CloseFile(memory)
	return ok
}

// mapCopy maps the file in memory.
//
//go:norace
func mapCopy(memory uintptr, offset U) bool {
	const readWrite, readExec = 1 | 2, 1 | 4
	const shared, private, fixed = 1, 2, 0x10
	t := &text
	view, err := sys.MmapAs(0, t.size, readWrite, shared, memory, offset)
	if err != 0 {
		return false
	}
	if sys.KeepFromChildren(view, t.size) != 0 {
		sys.Munmap(sys.Pointer(view), t.size)
		return false
	}
	for i := uintptr(0); i < native.n; {
		r := runAt(i)
		i = r.next
		// The mapping takes the place of what is mapped there at once. A thread that runs there waits for the page,
		// if it has to, and goes on.
		at, err := sys.MmapAs(r.begin, U(r.end-r.begin), readExec, private|fixed, memory, offset+U(r.begin-t.base))
		if err != 0 || at != r.begin {
			sys.Munmap(sys.Pointer(view), t.size)
			return false
		}
	}
	*t.mine, t.view = 1, view
	return true
}

// pageOf returns the page that has an address.
//
//go:norace
func pageOf(address uintptr) uintptr { return address &^ (runfile.Page - 1) }

// runAt returns the pages of a site and of those behind it, up to where there are many pages without.
//
//go:norace
func runAt(site uintptr) textRun {
	w, i := &native, site
	r := textRun{begin: pageOf(w.site(i))}
	for r.end = r.begin; i < w.n && pageOf(w.site(i)) <= r.end+gap*runfile.Page; i++ {
		r.end = pageOf(w.site(i)) + runfile.Page
	}
	r.next = i
	return r
}

// copyText writes the text of the program's file to that in memory. It reports false if the text in memory is not that
// of the file. Then a debugger has breakpoints there, or the kernel does (uprobes). The kernel's would have the process
// killed when they are not in the program's file any more.
//
//go:norace
func copyText(memory, fd uintptr, offset U) bool {
	const read, shared = 1, 1 // the kernel writes its breakpoints to private mappings only
	t := &text
	plain, err := sys.MmapAs(0, t.size, read, shared, fd, offset)
	if err != 0 {
		return false
	}
	ok := true
	for i := uintptr(0); i < native.n && ok; {
		r := runAt(i)
		i = r.next
		from := sys.Pointer(plain + r.begin - t.base)
		ok = same(from, sys.Pointer(r.begin), r.end-r.begin) &&
			sys.Pwrite(memory, from, U(r.end-r.begin), offset+U(r.begin-t.base)) == 0
	}
	sys.Munmap(sys.Pointer(plain), t.size)
	return ok && (offset == 0 || copyHead(memory, fd))
}

// copyHead writes the first page of the program's file, which has its build ID. So for the kernel and for tools that
// look at mapped files, it is the same program.
//
//go:norace
func copyHead(memory, fd uintptr) bool {
	const read, shared = 1, 1
	head, err := sys.MmapAs(0, runfile.Page, read, shared, fd, 0)
	if err != 0 {
		return false
	}
	err = sys.Pwrite(memory, sys.Pointer(head), runfile.Page, 0)
	sys.Munmap(sys.Pointer(head), runfile.Page)
	return err == 0
}

// same reports whether n bytes, which is a multiple of 8, are the same.
//
//go:norace
func same(a, b unsafe.Pointer, n uintptr) bool {
	for i := uintptr(0); i < n; i += 8 {
		if *(*U)(unsafe.Add(a, i)) != *(*U)(unsafe.Add(b, i)) {
			return false
		}
	}
	return true
}

// textOffset returns where the pages of the text begin in the program's file.
//
//go:norace
func textOffset(fd uintptr) (offset U, ok bool) {
	type segment struct {
		kind, flags              uint32
		offset, address, _, size U
		_, _                     U
	}
	var head [64]byte
	sys.Pread(fd, unsafe.Pointer(&head), U(len(head)), 0)
	at, n := *(*U)(unsafe.Pointer(&head[32])), U(*(*uint16)(unsafe.Pointer(&head[56])))
	for i := range n {
		const load, exec = 1, 1
		var s segment
		sys.Pread(fd, unsafe.Pointer(&s), U(unsafe.Sizeof(s)), at+i*U(unsafe.Sizeof(s)))
		from := U(native.from)
		if s.kind == load && s.flags&exec != 0 && from >= s.address && U(native.to) <= (s.address+s.size+runfile.Page-1)&^(runfile.Page-1) {
			offset = s.offset + from - s.address
			return offset, offset%runfile.Page == 0
		}
	}
	return 0, false
}

// InChild reports whether this is a process that fork has made, and that has not had its text since. What the parent
// arms is armed here, too.
//
//go:norace
func InChild() bool { return text.view != 0 && *text.mine == 0 }

// leaveParent gives such a process a text of its own, and has it never note anything again: it has no ticks.
//
//go:norace
func leaveParent() {
	text.view = 0
	native.off = true
	for i := uintptr(0); i < native.n; {
		r := runAt(i)
		if !openText(r) {
			return // its logs become full, and nobody looks at them
		}
		for ; i < r.next; i++ {
			writeSite(native.site(i), disarmed)
		}
		closeText(r)
	}
}
