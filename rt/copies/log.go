//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Logs of threads, and what becomes of them where the scheduler is at work.

// words are the words that a thread has (m.tls).
type words = [6]uintptr

// Their indices.
const (
	nextRecord    = 1 // where the next record is noted; 0 outside of bursts
	savedRegister = 2
	ownLog        = 3
	lastRecord    = 4 // where the records end, if nextRecord is 0
	waits         = 5 // 1 if a window waits for the next goroutine that the thread runs
	inWindow      = 4 // 1 in a window, where functions begin cold; lastRecord has no meaning then
)

// logRecords is how many records a log has room for. Behind it there is a page that may not be written.
const logRecords = 1 << 13

const mostLogs = 10_000

// logs has those that there are.
var logs struct {
	list [mostLogs]struct {
		words uintptr // of the thread; 0 if none has the log
		first uintptr
	}
	n int
}

// logOf returns the log of the calling thread, 0 if there can be none. No other thread is at it.
//
//go:norace
func logOf(w *words) uintptr {
	if w[ownLog] != 0 {
		return w[ownLog]
	}
	i := 0
	for i < logs.n && logs.list[i].words != 0 {
		i++
	}
	if i == mostLogs {
		return 0
	}
	l := &logs.list[i]
	if l.first == 0 {
		const size = logRecords * pathlog.RecordSize
		p, err := sys.MmapGuard(size + runfile.Page)
		if err != 0 {
			return 0
		}
		if sys.MmapNothing(p, size) != 0 {
			sys.Munmap(sys.Pointer(p), size+runfile.Page)
			return 0
		}
		l.first = p
		logs.n = i + 1
	}
	l.words = uintptr(unsafe.Pointer(w))
	w[ownLog] = l.first
	return l.first
}

// records returns those from one address to another.
//
//go:norace
func records(from, to uintptr) []pathlog.Record {
	return unsafe.Slice((*pathlog.Record)(sys.Pointer(from)), int((to-from)/pathlog.RecordSize))
}

// lock waits until no other thread decodes. The calling thread is on a stack of its own, and not on a goroutine's: who runs next
// in the thread would wait for ever. It is made sure of each time, since bursts that do not end are for tests.
//
//go:norace
func lock() {
	runtime.GoprofinstrOwnStack()
	for !sys.CAS64(&program.busy, 0, 1) {
		sys.Yield()
	}
}

//go:norace
func unlock() { sys.Store64(&program.busy, 0) }

// drain decodes the calling thread's log and begins it anew, where bursts do not end.
//
//go:norace
func drain(w *words) {
	lock()
	log := logOf(w)
	if w[nextRecord] != 0 {
		program.stats.Records += U(w[nextRecord]-log) / pathlog.RecordSize
		program.decoder.Decode(records(log, w[nextRecord]))
	}
	w[nextRecord] = log
	unlock()
}

// begin has the calling thread note records, where bursts do not end. It would leave copies otherwise that it comes back to.
//
//go:norace
func begin() { drain(runtime.GoprofinstrWords()) }

// switched is called when the calling thread leaves its goroutine in a burst.
//
//go:norace
func switched() {
	w := runtime.GoprofinstrWords()
	switch {
	case cold.on:
		switchedCold(w)
	case image.Mode == Always:
		drain(w)
	default:
		cutOff(w)
	}
}

// cutOff ends the calling thread's burst, if there is one. It is counted when the burst's time is over.
//
//go:norace
func cutOff(w *words) {
	if w[nextRecord] != 0 {
		sys.Inc64(&program.stats.Cut)
		cut(w)
	}
}

// moved is called when a stack has been copied. Frames are known by their addresses, so a burst of the thread ends.
//
//go:norace
func moved(to, from, size uintptr) {
	w := runtime.GoprofinstrWords()
	if cold.on {
		movedCold(w, uint32(to), uint32(from), uint32(size))
		return
	}
	if image.Mode != Always {
		cutOff(w)
		return
	}
	if w[nextRecord] != 0 {
		drain(w)
	}
	lock()
	program.decoder.Move(uint32(to), uint32(from), uint32(size), program.moved)
	unlock()
}

// ended is called when the calling thread ends.
//
//go:norace
func ended() {
	w := runtime.GoprofinstrWords()
	switch {
	case cold.on:
		endedCold(w)
		return
	case image.Mode == Always:
		drain(w)
		lock()
		freeLog(w) // whoever finishes looks at words of threads that have one
		unlock()
		return
	case burst.words == uintptr(unsafe.Pointer(w)):
		closeBurst(w)
	}
	freeLog(w)
}

// freeLog takes the log from a thread that ends.
//
//go:norace
func freeLog(w *words) {
	for i := range logs.n {
		if l := &logs.list[i]; l.words == uintptr(unsafe.Pointer(w)) {
			l.words = 0
		}
	}
	w[nextRecord], w[ownLog], w[waits] = 0, 0, 0
}

// finish counts what is left: the process is about to exit.
//
//go:norace
func finish() { runtime.GoprofinstrUnmoved(finishUnmoved) }

//go:norace
func finishUnmoved() {
	if image.Mode != Always && image.Interval > 0 {
		sys.SetTimer(tickTimer, 0, 0)
	}
	if cold.on {
		finishCold()
		return
	}
	if image.Mode != Always {
		return
	}
	lock()
	for i := range logs.n {
		l := &logs.list[i]
		if l.words == 0 {
			continue
		}
		w := (*words)(sys.Pointer(l.words))
		if next := w[nextRecord]; next != 0 {
			program.decoder.Decode(records(l.first, next))
			w[nextRecord] = l.first // which is right for the calling thread, and for those that do nothing
		}
	}
	unlock()
	if lost := program.decoder.Lost; lost > 0 {
		sys.Warn("goprofinstr: counting copies: ", sys.Decimal(lost), " records lost\n")
	}
}
