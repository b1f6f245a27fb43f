//go:build !goprofinstr_std || windows

// Package mirror keeps counters in a file where the file cannot be mapped over them: Windows maps nothing over a part of an
// executable.
//
// Counters are copied to a view of the file: those that have changed, ten times a second while any goroutine runs, once when
// none does any more, and when the process exits. The runtime's monitor does it (runtime.go.txt). It is a thread that is
// there anyway, and needs no goroutine. A process that is terminated loses what it has counted in the last tenth of a second.
//
// What is said here and what runtime.go.txt adds to package runtime belong together.
package mirror

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// U is the type of counters.
type U = uint64

// A kept is an array of words with the place that they are copied to.
type kept struct {
	from, to *U
	n        U              // words
	next     unsafe.Pointer // *kept
}

var (
	list   unsafe.Pointer // *kept, of the array that was added last
	latest *kept          // the same: CASP alone would not tell a garbage collection that is under way of it
	busy   U              // 1 while a thread copies
)

// Keep has n words that begin at from be copied to what begins at to, where they are already. Neither may be in the heap.
//
//go:norace
func Keep(from, to *U, n U) {
	k := &kept{from, to, n, sys.LoadP(&list)}
	latest = k
	for !sys.CASP(&list, k.next, unsafe.Pointer(k)) {
		k.next = sys.LoadP(&list)
	}
}

// Copy copies the words that have changed. It reports false, and copies nothing, while another thread does: who writes a word
// last must have read it last. It allocates nothing and waits for nothing.
//
//go:norace
func Copy() bool {
	if !sys.CAS64(&busy, 0, 1) {
		return false
	}
	for k := (*kept)(sys.LoadP(&list)); k != nil; k = (*kept)(k.next) {
		for i := range k.n {
			v, copied := *sys.Word(k.from, i), sys.Word(k.to, i)
			if *copied != v { // or all pages would have to be written to the disk
				*copied = v
			}
		}
	}
	sys.Store64(&busy, 0)
	return true
}

// mostTries is how often CopyLast tries at most: some 20 ms.
const mostTries = 1 << 17

// CopyLast is Copy for a process that is about to exit. It waits for a thread that copies, though not for ever.
func CopyLast() bool {
	for range mostTries {
		if Copy() {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// Start has words be copied as long as the process runs, and when it exits.
func Start() { onMirror(Copy) }
