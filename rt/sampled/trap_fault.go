//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64) && !goprofinstr_basic

package sampled

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/native"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// A probe whose log has had mostEnds path ends stores what it would note to a page that may not be written. Package runtime hands
// the fault to us before it makes a panic of it. A call would be the ordinary way. The call would be in every probe, and
// functions that call nothing else would need a stack frame for it. On 14 benchmarks that took 1.142 of plain, against 1.119.

// guardPage is what probes store to: it may not be written. It is 0 if there is none.
var guardPage uintptr

// guard makes the page that probes store to after mostEnds, and reports whether that could be done. It is there without
// contexts, too: it ends bursts that have gone on for too long.
//
//go:norace
func guard() bool {
	p, err := sys.MmapGuard(runfile.Page)
	if err != 0 {
		return false
	}
	guardPage, over = p, (*uintptr)(sys.Pointer(p))
	tick.KeepFaults()
	return true
}

// spare is where probes store after mostEnds when faults are not handled any more.
var spare uintptr

// guarded reports whether faults are still handled by package runtime. If not, C code has taken them over, and no probe
// makes any from then on.
//
//go:norace
func guarded() bool {
	if guardPage == 0 {
		return false
	}
	if tick.HandlesFaults() {
		return true
	}
	*(*uintptr)(unsafe.Pointer(&over)) = uintptr(unsafe.Pointer(&spare)) // a pointer would need a write barrier, which signal handlers cannot have
	contexts.Stop()
	traps.armed = [threads]bool{}
	return false
}

// fault handles a fault in a probe.
//
//go:norace
func fault(address uintptr, at unsafe.Pointer) bool {
	if native.Fault(address, at) {
		return true
	}
	if guardPage == 0 || address != guardPage {
		return false
	}
	register, length := sys.DecodeStore(sys.Pointer(runtime.GoprofinstrPC(at)))
	if length == 0 { // by a compiler that we do not know
		sys.MmapNothing(guardPage, runfile.Page)
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
