//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64)

package sampled

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// A probe whose log has had mostEnds path ends stores what it
// would note to a page that may not be written, and package runtime hands the fault to us before it makes a panic of it. A call would be the ordinary way. It would be in every
// probe, and functions that call nothing else would need a stack frame for it: 1.142 against 1.119 of plain on 14 benchmarks.

// trapCost is what a trapped path end takes, in ns.
const trapCost = 3500

// guardPage is what probes store to.
var guardPage struct {
	at      uintptr // may not be written; 0 if there is none
	handler U       // of SIGSEGV: package runtime's
}

// guard makes the page that probes store to after mostEnds, and reports whether that could be done. It is there without contexts, too: it ends bursts
// that have gone on for too long.
//
//go:norace
func guard() bool {
	p, err := sys.MmapGuard(runfile.Page)
	if err != 0 {
		return false
	}
	guardPage.at, over = p, (*uintptr)(sys.Pointer(p))
	guardPage.handler = sys.SegvHandler()
	return true
}

// spare is where probes store after mostEnds when faults are not handled any more.
var spare uintptr

// guarded reports whether faults are still handled by package runtime. If not, C code has taken them over, and no probe makes any from then on.
//
//go:norace
func guarded() bool {
	if guardPage.at == 0 {
		return false
	}
	if sys.SegvHandler() == guardPage.handler {
		return true
	}
	*(*uintptr)(unsafe.Pointer(&over)) = uintptr(unsafe.Pointer(&spare)) // a pointer would need a write barrier, which signal handlers cannot have
	neverArm()                                                           // a thread that has no log yet would fault
	contexts.Stop()
	traps.armed = [threads]bool{}
	return false
}

// fault handles a fault in a probe.
//
//go:norace
func fault(address uintptr, at unsafe.Pointer) bool {
	g := &guardPage
	if address == 0 && stubTrapped(at) {
		return true
	}
	if e, ok := undoStub(at, address); ok {
		sys.UnblockBus()
		stubFault(at, e)
		return true
	}
	if g.at == 0 || address != g.at {
		return false
	}
	register, length := sys.DecodeStore(sys.Pointer(runtime.GoprofinstrPC(at)))
	if length == 0 { // by a compiler that we do not know
		sys.MmapNothing(g.at, runfile.Page)
		return true
	}
	sys.UnblockBus()
	runtime.GoprofinstrSkip(at, length)
	l := &logs[sys.Thread()%threads]
	e, word := ended{uintptr(runtime.GoprofinstrRegister(at, register)), l.last}, l.word
	l.word = 0
	full(at, e, word, true)
	return true
}
