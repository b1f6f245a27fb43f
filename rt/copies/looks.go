//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Path ends with their contexts. The log is full at some random records of a window. If such a record ends a path, the thread is
// right there, and its stack is that of the path. If it does not there is no look: the next path end is more often one behind
// much that ends no path. A try stands for as many records as there are for one. Paths of calls that were inlined have no looks,
// since nothing says which of the functions at an address they are of.

// mostTries is how many looks are tried in a window, at most.
const mostTries = 2

// one has the record that is looked at.
var one [1]pathlog.Record

// startLooks decides how many looks are tried.
//
//go:norace
func (x *windowType) startLooks() {
	switch {
	case !contexts.On():
	case tick.Sampling.Governor.Spare() || tick.Sampling.Record.Ticks%2 == 0:
		x.tries = mostTries
	}
}

// room returns how many records the log is to have room for.
//
//go:norace
func (x *windowType) room() uintptr {
	if x.tries == 0 {
		return logRecords
	}
	const gap = windowRecords / mostTries * 2
	return uintptr(1 + sampler.Spread(tick.Sampling.Record.Ticks*mostTries+x.tries, gap))
}

// look counts the record that has found the log full, and looks at the stack if it ends a path. It reports false if the record
// is of another form, and is to be made.
//
//go:norace
func (x *windowType) look(at unsafe.Pointer, pc, register uintptr) bool {
	x.looking = false
	site, rest, ok := siteAt(pc)
	if !ok {
		return false
	}
	one[0] = pathlog.Record{Site: site, SP: uint32(runtime.GoprofinstrRegister(at, stackRegister))}
	tally.Note()
	if !cold.on {
		program.decoder.Decode(one[:])
	} else if w := runtime.GoprofinstrWords(); lockCold(w) {
		decodeCold(one[:], true)
		unlockCold()
	}
	x.records++
	program.stats.Records++
	x.tried++
	if target, path, ok := tally.Noted(program.decoder.Targets); ok && x.nLooks < len(x.looks) {
		estimate, number := estimateOf(&program.decoder.Targets[target], path)
		end := contexts.PathEnd{Estimate: estimate, Number: number, Word: contexts.Unsaid, Whole: true}
		if path := contexts.Attach(at, end); path != 0 {
			x.looks[x.nLooks] = path
			x.nLooks++
		}
	}
	runtime.GoprofinstrResume(at, rest, register, 0) // which is restored there
	return true
}

// weighLooks has looks stand for executions. Each path end of the window stands for so many, in units of sampler.One.
//
//go:norace
func (x *windowType) weighLooks(weight U) {
	for _, path := range x.looks[:x.nLooks] {
		contexts.Executed(path, weight*max(x.records/x.tried, 1))
	}
	x.nLooks = 0
}
