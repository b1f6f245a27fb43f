//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/replicate"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Counters of entries. A function that has fallen is entered by its counter, which adds to a word and goes on in the original. So
// it is known how often such functions were called, and windows see them, too: that tells how large estimates are. A counter
// takes little, but too much where a function is entered all the time. Then its entry is what it was.

// entries are the functions that are entered by counters.
var entries entriesType

type entriesType struct {
	list      []uint32 // their numbers, in the first n
	n         U
	words     []U      // by function: how often its counter was entered
	last      []U      // by function: that when it was looked at last
	lately    []uint32 // by function: records of entries since the last tick, while it is cold
	seen      []uint32 // by target: activations that windows saw begin
	known     []U      // by function: the address of what the run file has of it, 0 if that is nothing
	allowance sampler.Allowance
}

// entryCost is what a counter takes, ns.
const entryCost = 2

// allotEntries allocates what is to be known of entries, of which there are counters in the image. It returns an error of the
// system.
//
//go:norace
func allotEntries() sys.Errno {
	im, e := &coldImage, &entries
	n, targets := int(im.Functions), len(program.decoder.Targets)
	p, err := sys.MmapPrivate(U(n)*(4+8+4+8) + U(targets)*4 + 8)
	if err != 0 {
		return err
	}
	next := func(size int) unsafe.Pointer {
		at := p
		p = unsafe.Add(p, size)
		return at
	}
	e.words = unsafe.Slice((*U)(sys.Pointer(uintptr(im.Counts))), n)
	e.last = unsafe.Slice((*U)(next(8*n)), n)
	e.known = unsafe.Slice((*U)(next(8*n)), n)
	e.list = unsafe.Slice((*uint32)(next(4*n)), n)
	e.lately = unsafe.Slice((*uint32)(next(4*n)), n)
	e.seen = unsafe.Slice((*uint32)(next(4*targets)), targets)
	program.decoder.Begun = e.seen
	return 0
}

// entryOf returns what the first eight bytes of a function are that falls: a jump to its counter, or what they were. Few tells
// that it is seldom entered.
//
//go:norace
func (c *coldType) entryOf(k uint32) U {
	f, e := &c.functions[k], &entries
	few := U(e.lately[k]) <= e.allowance.Left()/8
	e.lately[k] = 0
	if f.Counter == 0 || image.Mode != Sampled || !few {
		return f.Entry
	}
	e.last[k] = e.words[k]
	e.list[e.n] = k
	sys.Store64(&e.n, e.n+1)
	return jumpTo(f.Entry, uintptr(f.At), program.from+uintptr(f.Counter))
}

// countEntries counts what was entered since it was called last, some CPU time ago. If that is too much, functions that are entered
// most have entries as they were. Cold's lock is held, and tick.Sampling.
//
//go:norace
func countEntries(time, between U) {
	e := &entries
	all, most := U(0), U(0)
	for _, k := range e.list[:e.n] {
		n := e.words[k] - e.last[k]
		all, most = all+n, max(most, n)
	}
	cold.cost += all * entryCost
	g := &tick.Sampling.Governor
	e.allowance.Earn(g.EntryBound(time, entryCost), g.EntryBound(between, entryCost))
	kept := e.n
	for left, some := e.allowance.Left(), most/2; all > left && most > 0; most, some = most/2, some/2 {
		all, kept = e.choose(kept, all, left, some)
	}
	all += e.drop(kept)
	e.allowance.Spent(all)
	for _, k := range e.list[:e.n] {
		e.last[k] = e.words[k]
		e.tell(k)
	}
}

// tellAll has the run file say how often all functions with counters were entered.
//
//go:norace
func (e *entriesType) tellAll() {
	for _, k := range e.list[:e.n] {
		e.tell(k)
	}
}

// tell has the run file say how often a function was entered, unless its page is what it was.
//
//go:norace
func (e *entriesType) tell(k uint32) {
	if e.words[k] == 0 {
		return
	}
	if e.known[k] == 0 {
		e.known[k] = U(uintptr(unsafe.Pointer(replicate.Of(runfile.EntriesOf|U(k), 0, 0))))
	}
	known := e.words[k]
	if program.stats.Pages > 0 && !underJump(uintptr(cold.functions[k].At)) {
		known = 0
	}
	if e.known[k] != 0 { // or there is no room
		(*runfile.Replicate)(sys.Pointer(uintptr(e.known[k]))).Samples = known
	}
}

// choose has those of the first n functions be behind the others that were entered more than some times, until all is what is
// left or less. It returns what all is then, and how many others there are.
//
//go:norace
func (e *entriesType) choose(n, all, left, some U) (others, kept U) {
	list := e.list[:n]
	for i, k := range list {
		if entered := e.words[k] - e.last[k]; all > left && entered > some {
			all -= entered
			continue
		}
		list[i], list[kept] = list[kept], k
		kept++
	}
	return all, kept
}

// drop has functions have their entries as they were, but for the first ones, which are kept. It returns how often those were
// entered whose entries cannot be written.
//
//go:norace
func (e *entriesType) drop(kept U) (entered U) {
	dropped := e.list[kept:e.n]
	if len(dropped) == 0 {
		return 0
	}
	for k := range coldText.runs {
		cold.restore(&coldText.runs[k], dropped)
	}
	for _, k := range dropped {
		if underJump(uintptr(cold.functions[k].At)) { // the system does not let it be written
			entered += e.words[k] - e.last[k]
			e.list[kept] = k
			kept++
		} else if e.known[k] != 0 { // it was counted for a part of the time only
			(*runfile.Replicate)(sys.Pointer(uintptr(e.known[k]))).Samples = 0
		}
	}
	e.n = kept
	return entered
}

// restore has the entries of functions that begin in a run of pages be what they were, if the system lets them be written.
//
//go:norace
func (c *coldType) restore(r *ColdRun, list []uint32) {
	first, last := c.pagesIn(r, list)
	if !mayBeWritten {
		for _, k := range list {
			if page := c.page(k); page >= first && page <= last && underJump(uintptr(c.functions[k].At)) {
				c.restoreAnew(page, list)
			}
		}
		return
	}
	if last == 0 || sys.Mprotect(first, last+runfile.Page-first, protRead|protWrite|protExec) != 0 {
		return
	}
	for _, k := range list {
		if page := c.page(k); page >= first && page <= last {
			sys.Store64((*U)(sys.Pointer(uintptr(c.functions[k].At))), c.functions[k].Entry)
		}
	}
	sys.Mprotect(first, last+runfile.Page-first, protRead|protExec)
}

// restoreAnew has a copy take the place of a page, where the entries of functions are what they were.
//
//go:norace
func (c *coldType) restoreAnew(page uintptr, list []uint32) {
	anew := copyPage(page)
	if anew == 0 {
		return
	}
	for _, k := range list {
		if c.page(k) == page {
			c.enter(anew, k, c.functions[k].Entry)
		}
	}
	placePage(anew, page)
}

// forget has a new window see nothing yet.
//
//go:norace
func (e *entriesType) forget() {
	for _, k := range e.list[:sys.Load64(&e.n)] {
		e.seen[cold.functions[k].Target] = 0
	}
}

// weigh counts the activations that a window saw begin, each of which stands for a weight.
//
//go:norace
func (e *entriesType) weigh(group, weight U) {
	for _, k := range e.list[:sys.Load64(&e.n)] {
		if n := U(e.seen[cold.functions[k].Target]); n > 0 {
			replicate.Add(runfile.EntriesOf|U(k), 0, group, tick.Sampling.Record.Windows, n, weight)
		}
	}
}
