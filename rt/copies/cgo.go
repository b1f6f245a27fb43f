//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	_ "unsafe" // for linkname

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// Programs with C code: what that calls, and windows that begin in it.

// useCallbacks has package runtime know of callback.
//
//go:linkname useCallbacks
func useCallbacks(callback func(function uintptr) uintptr)

// callback returns what C code calls in place of a function of Go, where the calling thread has a log: in a burst, or in a
// window, that is the copy.
//
//go:norace
func callback(function uintptr) uintptr {
	if cold.on && runtime.GoprofinstrWords()[inWindow] == 0 {
		return function
	}
	if to := entrance(function); to != 0 {
		return to
	}
	return function
}

// back has a window go on whose thread has come back from C code. It reports false if the window's time has passed there: no path
// began in it.
//
//go:norace
func (x *windowType) back(w *words, now U) bool {
	used := now - x.opened
	if used >= x.length {
		x.close(now)
		return false
	}
	x.inC = false
	x.beginLog(w, x.room())
	tick.EndWindow(x.length - used)
	return true
}

// taken tells that C code has taken faults over, and no function is cold any more.
var taken bool

// guarded reports whether faults are still handled by package runtime. If not, C code has taken them over. Then no window is
// opened any more, and no function is cold: a thread that has no log yet would fault.
//
//go:norace
func guarded(w *words) bool {
	if taken {
		return false
	}
	if tick.HandlesFaults() {
		return true
	}
	contexts.Stop()
	if !cold.on {
		taken = true
	} else if lockCold(w) {
		taken = cold.fallAll()
		unlockCold()
	}
	return false
}

// fallAll has all functions fall. It reports false if some are cold still, for want of memory.
//
//go:norace
func (c *coldType) fallAll() (fell bool) {
	all := c.touched[:len(c.functions)]
	for k := range all {
		all[k] = uint32(k)
		c.states[k].Ends = 0
	}
	c.fall(all)
	c.nTouched, c.records = 0, 0
	fell = true
	for _, flag := range c.flags {
		fell = fell && flag == 0
	}
	return fell
}
