//go:build goprofinstr_std && goprofinstr_sampler

package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/native"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Path ends with their context. Which ones: a stack takes some microseconds, so they are few. A probe whose log has had mostEnds
// path ends does not note the next one. It has the path end looked at, by a fault (trap_fault.go) or a call (trap_call.go). So
// path ends are trapped by having their log seem to be full, or to be so after some others.
//
// The path ends trapped are
//
//   - the first after the tick, of which one gets the time: see match;
//   - some at a random time after the window, where they cost nothing of it. They are of all functions and of those that are
//     counted in turn: next to none would be of the latter. The path ends of functions that are sampled share what all path
//     ends of the burst stand for.

const (
	// contextsOfBurst is how many path ends are trapped after the window.
	contextsOfBurst = 4
	// firstThreads is how many threads that is for: the others' logs are not touched before they are used.
	firstThreads = 8
	// mostOthers is how many path ends are passed by at most: some microseconds of probes.
	mostOthers = 1 << 12
)

var traps struct {
	armed       [threads]bool
	base, start [threads]U // path ends in an armed log when that began, and what it counts from

	// Of the burst:

	wanted   int // path ends that are still to be trapped for their context
	times    U   // path ends that were trapped in the window
	inWindow U   // ns that their handlers took
	paths    [contexts.AtStart]pcct.Ref
	n        int // of them
}

// startContexts has contexts found, of which a sample may have most new frames. Marks is as in Sampling.
//
//go:norace
func startContexts(most U, marks bool) {
	if guard() && contexts.Start(most, marks) {
		trapAtStart()
	}
}

// trapAtStart has the first path ends of the program trapped.
//
//go:norace
func trapAtStart() {
	if native.On() || copies.On() {
		return
	}
	traps.wanted = contexts.AtStart
	for i := range U(firstThreads) {
		startTrap(i, 0)
	}
}

// startTrap has the path ends of a log trapped that come after some others.
//
//go:norace
func startTrap(log, others U) {
	w := &traps
	w.base[log], w.start[log] = seen(log), U(mostEnds)-others
	setEnds(log, U(mostEnds)-others)
	w.armed[log] = true
}

// stopTrap ends that.
//
//go:norace
func stopTrap(log U) {
	n := seen(log)
	traps.armed[log] = false
	setEnds(log, n)
}

// seen returns how many path ends a log has, and the first entry that is in use.
//
//go:norace
func seen(log U) U {
	w, n := &traps, ends(log)
	if w.armed[log] && n >= w.start[log] { // it is less if Sample has undone it
		n = w.base[log] + n - w.start[log]
	}
	return n
}

// full handles a path end of a log that seems to be full. Counted tells whether the log has counted it.
//
//go:norace
func full(at unsafe.Pointer, e ended, word U, counted bool) {
	t := &tick.Sampling
	w, log := &traps, sys.Thread()%threads
	if !t.TryLock() {
		stopTrap(log)
		return
	}
	if w.armed[log] {
		s := &sampling
		inWindow, began := s.timed() && s.closed == 0, tick.ReadClock(s.clock)
		if fullArmed(at, log, e, word, counted); inWindow {
			trapOver(began)
		}
		t.Cost += contexts.TrapCost
	} else if ends(log) >= U(mostEnds) {
		closeFull(log)
	} // else the goroutine was in another thread when it began with the probe
	t.Unlock()
}

// trapOver accounts for a trap in the window. Its handler began at some time by the window's clock. If a signal ends the
// window, it does so as much later as the trap takes. Otherwise next to nothing would be left of it where a stack takes long
// to find.
//
//go:norace
func trapOver(began U) {
	w, s := &traps, &sampling
	if s.signals && s.closed == 0 && tick.OwnTicks {
		passed := began - min(s.opened, began)
		passed -= min(passed, trapTime()) // the window has been longer for these
		tick.EndWindow(s.planned - min(passed, s.planned) + U(s.window.Signals()))
	}
	now := tick.ReadClock(s.clock)
	w.times++
	w.inWindow += now - min(began, now) // the window's thread may have ended
}

// fullArmed handles a path end that is to be trapped.
//
//go:norace
func fullArmed(at unsafe.Pointer, log U, e ended, word U, counted bool) {
	w, n := &traps, seen(log)
	if !counted {
		w.base[log]++
	} else {
		n--
	}
	if (ends(log) > U(mostEnds) || !counted) && n < sampler.MaxReach {
		*entry(log, n) = e
	}
	if trapped(e, word, at) {
		stopTrap(log)
	} else if sampling.timed() && w.wanted > 0 {
		startTrap(log, tick.Sampling.Policy.Stride-1)
	}
}

// closeFull ends the window when the log of a thread is full. Then the signal at its end is late, or path ends come faster than
// they did. Where there is none, something is counted that ends too often, and it is decided anew.
//
//go:norace
func closeFull(log U) {
	s := &sampling
	switch {
	case s.open && s.timed() && log == s.thread:
		s.close()
	case s.open && s.timed() && tick.OwnTicks:
		setEnds(log, 0) // nobody looks at it
	default:
		mine := tick.ThreadTime()
		endBurst(tick.CPUTime())
		s.resting = false // no probe of this thread is interrupted
		beginBurst(false)
		tick.Sampling.Cost += tick.ThreadTime() - mine
	}
}

// trapped looks at a path end that has been trapped, and reports whether there have been enough.
//
//go:norace
func trapped(e ended, word U, at unsafe.Pointer) (enough bool) {
	s, w := &sampling, &traps
	end := contexts.PathEnd{Estimate: U(e.at), Word: word}
	if e.at&isHash != 0 {
		end.Number = e.path
	}
	path := contexts.Claim(at, end)
	if w.wanted > 0 {
		w.wanted--
		switch {
		case path == 0:
		case isCounted(&e):
			contexts.Executed(path, sampler.One)
		case w.n < len(w.paths):
			w.paths[w.n] = path
			w.n++
		}
		if w.wanted == 0 && !s.open {
			armHot(false)
		}
	}
	return !contexts.Matching() && w.wanted == 0
}

// trapFirst has the path ends trapped that may get the time of a tick in a thread. It is called when a burst begins.
//
//go:norace
func trapFirst(log U) {
	w := &traps
	w.wanted, w.times, w.inWindow, w.n = 0, 0, 0, 0
	if !guarded() || !contexts.On() || !contexts.Matching() {
		return
	}
	for i := range U(threads) {
		if i == log || contexts.AnyThread {
			startTrap(i, 0)
		}
	}
}

// dropTraps has no path end trapped.
//
//go:norace
func dropTraps() { traps.armed = [threads]bool{} }

// contextsWanted reports whether path ends are to have contexts.
//
//go:norace
func contextsWanted() bool { return contexts.On() }

// trapSome has some path ends trapped, in threads that have had some since the tick: of all functions, or of those that
// are counted.
//
//go:norace
func trapSome(all bool) {
	w, s := &traps, &sampling
	w.wanted = contextsOfBurst
	others := U(0)
	if all {
		others = s.others()
	}
	tick.Sampling.Cost += others * tick.ProbeCost
	for i := range slots() {
		if (i == s.thread || s.looked || ends(i) != s.first) && !w.armed[i] {
			startTrap(i, others)
		}
	}
}

// others returns how many path ends are to be passed by before some are trapped.
//
//go:norace
func (s *state) others() U {
	t := &tick.Sampling
	if !s.timed() {
		return 0 // all are in the log
	}
	window := max(s.closed, s.opened+1) - s.opened
	return sampler.Others(t.Record.Ticks, s.ends, window, t.Governor.Interval(), mostOthers)
}

// trapTime returns what traps took of the window, in ns. A fault takes as much besides its handler as the signals at the window's
// ends do, for caches have to be filled again. Where the window is not that of a thread, traps of all threads are in its time.
//
//go:norace
func trapTime() U {
	w := &traps
	if !tick.OwnTicks {
		return w.inWindow
	}
	return w.inWindow + w.times*U(sampling.window.Signals())
}

// countContexts adds what the path ends of a burst stand for to those of them that have a context.
//
//go:norace
func countContexts(total U) {
	w := &traps
	if total > 0 {
		for _, path := range w.paths[:w.n] {
			contexts.Executed(path, total/U(w.n))
		}
	}
	w.n = 0
}
