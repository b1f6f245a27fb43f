//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Entries of functions. The program's file has the pages of the text with entries twice: as they are, and with jumps to copies.
// Where functions begin cold, the second ones are mapped in the place of the first. So nothing is written when the program
// starts, and nothing is where the program is not to be counted.
//
// A function that falls has its first eight bytes written back at once: they are aligned, and a processor fetches either. HotSpot
// writes jumps over entries so. The bytes behind the jump do not change. On arm64 no thread may execute what is written
// meanwhile. There a copy of the page takes its place, and only that is written. Where the system does not let memory be executed
// that was written, the whole page is what it was: it is mapped elsewhere, and moved.

// coldText is what is known of runs.
var coldText struct {
	runs    []ColdRun
	aliases [mostRuns]uintptr // where pages of the plain text are mapped, too
}

// mostRuns is how many runs there may be.
const mostRuns = 256

const (
	protRead, protWrite, protExec = 1, 2, 4
	mapPrivate, mapFixed          = 2, 0x10
)

// startCold has functions begin cold, given the program's file. It returns why that is not so, "" if it is or if it is not
// wanted.
//
//go:norace
func startCold(fd uintptr) (why string) {
	im, c, t := &coldImage, &cold, &coldText
	if im.Flags == 0 {
		return ""
	}
	if im.Runs > mostRuns {
		return "the text is in too many pieces"
	}
	size := im.Functions*U(unsafe.Sizeof(ColdFunction{})) + im.Runs*U(unsafe.Sizeof(ColdRun{})) + im.Exact*8 + 1
	begin := im.Offset &^ (runfile.Page - 1)
	at, err := sys.MmapAs(0, size+im.Offset-begin, protRead, mapPrivate, fd, begin)
	if err != 0 {
		return "mapping what is known of cold functions: " + err.Text()
	}
	at += uintptr(im.Offset - begin)
	c.functions = unsafe.Slice((*ColdFunction)(sys.Pointer(at)), int(im.Functions))
	at += uintptr(im.Functions) * unsafe.Sizeof(ColdFunction{})
	t.runs = unsafe.Slice((*ColdRun)(sys.Pointer(at)), int(im.Runs))
	at += uintptr(im.Runs) * unsafe.Sizeof(ColdRun{})
	c.exact = unsafe.Slice((*U)(sys.Pointer(at)), int(im.Exact))
	if why := allotCold(); why != "" {
		return why
	}
	c.on = true
	useCold()
	if image.Mode == Sampled && traced() || !ledText(fd) { // all are sampled
		for k := range c.flags {
			c.fell(uint32(k))
		}
	}
	return ""
}

// allotCold allocates what is to be known of functions.
//
//go:norace
func allotCold() (why string) {
	const anonymous, there = 0x20, 0x100000
	im, c := &coldImage, &cold
	n := int(im.Functions)
	flags, err := sys.MmapAs(uintptr(im.Flags), sys.RoundUp(im.Counts+8*im.Functions+1-im.Flags, runfile.Page), protRead|protWrite,
		mapPrivate|anonymous|there, ^uintptr(0), 0)
	if err == sys.Exists || err == 0 && flags != uintptr(im.Flags) {
		return "there is something in the place of flags"
	}
	states, err1 := sys.MmapPrivate((im.Functions + 1) * U(unsafe.Sizeof(sampler.Site{})))
	touched, err2 := sys.MmapPrivate(im.Functions*4 + im.Exact + 1)
	c.decoder = program.decoder
	moved := newTables(&c.decoder, fewestStates)
	err3 := allotEntries()
	if moved == nil || max(err, err1, err2, err3) != 0 {
		return "mapping what is to be known of cold functions: " + max(err, err1, err2, err3).Text()
	}
	setSlice(unsafe.Pointer(&c.moved), moved, len(c.decoder.Frames))
	c.decoder.Forget()
	c.flags = unsafe.Slice((*byte)(sys.Pointer(flags)), n)
	c.states = unsafe.Slice((*sampler.Site)(states), n)
	c.touched = unsafe.Slice((*uint32)(touched), n)
	c.sampled = unsafe.Slice((*byte)(unsafe.Add(touched, 4*n)), int(im.Exact))
	c.decoder.Tally, c.decoder.Ended = nil, nil
	if image.Mode == Sampled {
		c.decoder.Ended = coldEnd
	}
	program.decoder.Flags = c.flags
	for k := range c.flags {
		c.flags[k] = 1
	}
	return ""
}

// ledText maps the pages with jumps, and reports whether it could. If not, the pages that are mapped already are as they were.
//
//go:norace
func ledText(fd uintptr) bool {
	t := &coldText
	for k := range t.runs {
		r := &t.runs[k]
		alias, err := sys.MmapAs(0, r.Size, protRead|protExec, mapPrivate, fd, r.Plain)
		if t.aliases[k] = alias; err == 0 {
			_, err = sys.MmapAs(uintptr(r.At), r.Size, protRead|protExec, mapPrivate|mapFixed, fd, r.Led)
		}
		if err != 0 {
			for _, r := range t.runs[:k] {
				sys.MmapAs(uintptr(r.At), r.Size, protRead|protExec, mapPrivate|mapFixed, fd, r.Plain)
			}
			return false
		}
	}
	return true
}

// traced reports whether a debugger has started the program. Its breakpoints are in the text. (The stepper's are in copies.)
//
//go:norace
func traced() bool {
	const name = "TracerPid:\t"
	status := string(sys.ReadFile("/proc/self/status\x00", 4096))
	for i := 0; i+len(name) < len(status); i++ {
		if status[i:i+len(name)] == name {
			return status[i+len(name)] != '0'
		}
	}
	return false
}

// fall has functions be cold no more.
//
//go:norace
func (c *coldType) fall(list []uint32) {
	for k := range coldText.runs {
		r := &coldText.runs[k]
		first, last := c.pagesIn(r, list)
		if last == 0 {
			continue
		}
		size := last + runfile.Page - first
		written := mayBeWritten && sys.Mprotect(first, size, protRead|protWrite|protExec) == 0
		for _, f := range list {
			page := c.page(f)
			switch in := page >= first && page <= last; {
			case !in || c.flags[f] == 0:
			case written:
				c.enter(page, f, c.entryOf(f))
				c.fell(f)
			case !mayBeWritten && c.fallAnew(page, list):
			case sys.Move(sys.Pointer(coldText.aliases[k]+page-uintptr(r.At)), runfile.Page, page) == 0 || mapPlain(r, page):
				c.pageFell(page)
			}
		}
		if written {
			sys.Mprotect(first, size, protRead|protExec)
		}
	}
}

// enter writes the first eight bytes of a function to its page, or to a copy of that.
//
//go:norace
func (c *coldType) enter(page uintptr, f uint32, entry U) {
	sys.Store64((*U)(sys.Pointer(page+uintptr(c.functions[f].At)%runfile.Page)), entry)
}

// fallAnew has those of some functions be cold no more that begin in a page: a copy of the page takes its place. It reports false
// if the system does not let memory that was written be executed. Then they are as they were.
//
//go:norace
func (c *coldType) fallAnew(page uintptr, list []uint32) bool {
	anew := copyPage(page)
	if anew == 0 {
		return false
	}
	counted := entries.n
	for _, f := range list {
		if c.flags[f] != 0 && c.page(f) == page {
			c.enter(anew, f, c.entryOf(f))
		}
	}
	if !placePage(anew, page) {
		sys.Store64(&entries.n, counted)
		return false
	}
	for _, f := range list {
		if c.flags[f] != 0 && c.page(f) == page {
			c.fell(f)
		}
	}
	return true
}

// copyPage returns a copy of a page of the text, which may be written; 0 if there is no memory.
//
//go:norace
func copyPage(page uintptr) uintptr {
	anew, err := sys.MmapPrivate(runfile.Page)
	if err != 0 {
		return 0
	}
	for at := uintptr(0); at < runfile.Page; at += 8 {
		*(*U)(unsafe.Add(anew, at)) = *(*U)(sys.Pointer(page + at))
	}
	return uintptr(anew)
}

// placePage has a copy of a page take its place.
//
//go:norace
func placePage(anew, page uintptr) bool {
	runtime.GoprofinstrAgree(anew, anew+runfile.Page)
	if sys.Mprotect(anew, runfile.Page, protRead|protExec) == 0 && sys.Move(sys.Pointer(anew), runfile.Page, page) == 0 {
		return true
	}
	sys.Munmap(sys.Pointer(anew), runfile.Page)
	return false
}

// mapPlain maps a page of the plain text in its place. It is for where neither may code be written nor a page be moved: system
// calls may be filtered (seccomp), but a program of Go's has to map memory.
//
//go:norace
func mapPlain(r *ColdRun, page uintptr) bool {
	fd, err := sys.Open("/proc/self/exe\x00", 0x80000) // O_RDONLY|O_CLOEXEC
	if err != 0 {
		return false
	}
	_, err = sys.MmapAs(page, runfile.Page, protRead|protExec, mapPrivate|mapFixed, fd, r.Plain+U(page-uintptr(r.At)))
	sys.CloseFile(fd)
	return err == 0
}

// pagesIn returns the first and the last page of a run that have entries of functions, 0 for the last if none has.
//
//go:norace
func (c *coldType) pagesIn(r *ColdRun, list []uint32) (first, last uintptr) {
	first = ^uintptr(0)
	for _, f := range list {
		if page := c.page(f); page-uintptr(r.At) < uintptr(r.Size) {
			first, last = min(first, page), max(last, page)
		}
	}
	return first, last
}

// page returns the page that has the entry of a function.
//
//go:norace
func (c *coldType) page(f uint32) uintptr { return uintptr(c.functions[f].At) &^ (runfile.Page - 1) }

// pageFell notes that no function is cold any more that begins in a page.
//
//go:norace
func (c *coldType) pageFell(page uintptr) {
	program.stats.Pages++
	for j := range c.functions {
		if k := uint32(j); c.page(k) == page && c.flags[k] != 0 {
			c.fell(k)
		}
	}
}

// fell notes that a function is cold no more.
//
//go:norace
func (c *coldType) fell(k uint32) {
	c.flags[k] = 0
	c.tell(k)
	c.states[k].Level = max(c.states[k].Level, 1)
	program.stats.Fallen++
}
