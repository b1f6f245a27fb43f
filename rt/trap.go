//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64)

package rt

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Path ends with their context. Which ones: a stack takes some microseconds, so they are few. A probe whose log has had mostEnds path ends stores what it
// would note to a page that may not be written, and package runtime hands the fault to us before it makes a panic of it. So path ends
// are trapped by having their log seem to be full, or to be so after some others. A call would be the ordinary way. It would be in every
// probe, and functions that call nothing else would need a stack frame for it: 1.142 against 1.119 of plain on 14 benchmarks.
//
// The path ends trapped are
//
//   - the first after the tick, until one is of a function that the tick has interrupted: that is the path it was on, which gets the time;
//   - some at a random time after the window, where they cost nothing of it. They share what all path ends of the burst stand for.

const (
	// mostMatches is how many path ends after a tick are looked at for the one of the interrupted path.
	mostMatches = 4
	// contextsOfBurst is how many path ends are trapped after the window.
	contextsOfBurst = 4
	// firstContexts is how many path ends are trapped when the program starts: whoever tries it on a small one wants to see all contexts.
	firstContexts = 64
	// firstThreads is how many threads that is for: the others' logs are not touched before they are used.
	firstThreads = 8
	// mostOthers is how many path ends are passed by at most: some microseconds of probes.
	mostOthers = 1 << 13
	// trapCost is what a trapped path end takes, in ns.
	trapCost = 3500
)

var traps struct {
	page    uintptr // that may not be written
	handler U       // of SIGSEGV: package runtime's

	armed       [threads]bool
	base, start [threads]U // path ends in an armed log when that began, and what it counts from

	// Of the burst:

	matches  int // path ends that are still to be looked at for the interrupted one
	wanted   int // path ends that are still to be trapped for their context
	inWindow U   // ns that traps took in the window
	paths    [firstContexts]pcct.Ref
	n        int // of them
}

// guard makes the page that probes store to after mostEnds, and reports whether that could be done. It is there without contexts, too: it ends bursts
// that have gone on for too long.
//
//go:norace
func guard() bool {
	p, err := mmapGuard(page)
	if err != 0 {
		return false
	}
	traps.page, over = p, (*uintptr)(pointer(p))
	traps.handler = segvHandler()
	return true
}

// spare is where probes store after mostEnds when faults are not handled any more.
var spare uintptr

// guarded reports whether faults are still handled by package runtime. If not, C code has taken them over, and no probe makes any from then on.
//
//go:norace
func guarded() bool {
	if segvHandler() == traps.handler {
		return true
	}
	*(*uintptr)(unsafe.Pointer(&over)) = uintptr(unsafe.Pointer(&spare)) // a pointer would need a write barrier, which signal handlers cannot have
	contexts.on, traps.matches = false, 0
	traps.armed = [threads]bool{}
	return false
}

// segvHandler returns the address of the handler of SIGSEGV.
//
//go:norace
func segvHandler() U {
	const sigsegv = 11
	var action [4]U // handler, flags, …, mask
	syscall6(sysRtSigaction, sigsegv, 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	return action[0]
}

// trapAtStart has the first path ends of the program trapped.
//
//go:norace
func trapAtStart() {
	traps.wanted = firstContexts
	for i := range U(firstThreads) {
		startTrap(i, 0)
	}
}

// startTrap has the path ends of a log trapped that come after some others.
//
//go:norace
func startTrap(log, others U) {
	w := &traps
	w.base[log], w.start[log] = seen(log), mostEnds-others
	logs[log].ends = mostEnds - others
	w.armed[log] = true
}

// stopTrap ends that.
//
//go:norace
func stopTrap(log U) {
	n := seen(log)
	traps.armed[log] = false
	logs[log].ends = n
}

// seen returns how many path ends a log has, and the first entry that is in use.
//
//go:norace
func seen(log U) U {
	w, n := &traps, logs[log].ends
	if w.armed[log] && n >= w.start[log] { // it is less if Sample has undone it
		n = w.base[log] + n - w.start[log]
	}
	return n
}

// fault handles a fault in a probe.
//
//go:norace
func fault(address uintptr, at unsafe.Pointer) bool {
	w := &traps
	if w.page == 0 || address != w.page {
		return false
	}
	register, length := decodeStore(pointer(runtime.GoprofinstrPC(at)))
	if length == 0 { // by a compiler that we do not know
		mmapNothing(w.page, page)
		return true
	}
	runtime.GoprofinstrSkip(at, length)
	log := thread() % threads
	l := &logs[log]
	if !w.armed[log] {
		if l.ends >= mostEnds { // the signal at the end of the window is late
			Burst.On = 0
		} // else the goroutine was in another thread when it began with the probe
		return true
	}
	e := ended{uintptr(runtime.GoprofinstrRegister(at, register)), l.last}
	if n := seen(log) - 1; l.ends > mostEnds && n < sampler.MaxReach {
		l.path[n] = e
	}
	if !cas64(&sampling.busy, 0, 1) {
		stopTrap(log)
		return true
	}
	if trapped(e, l.mark, at) {
		stopTrap(log)
	} else if sampling.timed && w.wanted > 0 {
		startTrap(log, sampling.policy.Stride-1)
	}
	l.mark = 0
	store64(&sampling.busy, 0)
	return true
}

// trapped looks at a path end that has been trapped, and reports whether there have been enough.
//
//go:norace
func trapped(e ended, mark U, at unsafe.Pointer) (enough bool) {
	c, s, w := &contexts, &sampling, &traps
	s.cost += trapCost
	if s.timed && s.closed == 0 {
		w.inWindow += trapCost
	}
	var path pcct.Ref
	function := place{}
	feed()
	lost := c.tree.Lost()
	if n, parent := attach(at); n > 0 {
		where := locationOf(U(c.frames[0].Call) | anyLine)
		function = place{c.frames[0].FP, c.tree.Innermost(where)}
		if c.tree.Frames(where) == 1 { // not inlined
			learnMark(&c.frames[0], mark)
		}
		number := e.path
		if e.at&isHash == 0 {
			number = 0
		}
		if node := c.tree.Node(parent, where); node != 0 {
			path = c.tree.Path(node, U(e.at), number)
		}
	}
	noteCut(lost)
	if w.matches > 0 {
		w.matches--
		if path != 0 && wasInterrupted(function) {
			w.matches = 0
			*c.tree.Word(path, pcct.PathTime) += c.time
			*Word(s.record, SmpMatched) += c.time
		}
	}
	if w.wanted > 0 {
		w.wanted--
		if path != 0 && w.n < len(w.paths) {
			w.paths[w.n] = path
			w.n++
		}
		if w.wanted == 0 && s.timed {
			Burst.On = 0
		}
	}
	return w.matches == 0 && w.wanted == 0
}

//go:norace
func wasInterrupted(p place) bool {
	c := &contexts
	for _, i := range c.interrupted[:c.depth] {
		if i.fp == p.fp && c.tree.Has(i.at, p.at) { // what is inlined into the function, and so inside of it, may be nothing that has paths
			return true
		}
	}
	return false
}

// trapFirst has the path ends of a thread trapped that may be that of the interrupted path. It is called when a burst begins.
//
//go:norace
func trapFirst(log U) {
	w := &traps
	if w.page == 0 || !guarded() || !contexts.on {
		return
	}
	w.wanted, w.inWindow, w.n = 0, 0, 0
	w.armed = [threads]bool{}
	if w.matches > 0 {
		startTrap(log, 0)
	}
}

// contextsWanted reports whether path ends are to have contexts.
//
//go:norace
func contextsWanted() bool { return contexts.on }

// trapSome has some path ends trapped, in threads that have had some since the tick.
//
//go:norace
func trapSome() {
	w, s := &traps, &sampling
	w.wanted = contextsOfBurst
	others := s.others()
	s.cost += others * probeCost
	for i := range U(threads) {
		if l := &logs[i]; (i == s.thread || l.ends != s.first) && !w.armed[i] {
			startTrap(i, others)
		}
	}
}

// others returns how many path ends are to be passed by before some are trapped. What ends at some moment is more often one that took long than
// one of many that were short; after many others, as many as there are in all that a burst can see, it is any.
//
//go:norace
func (s *state) others() U {
	if !s.timed {
		return 0 // all are in the log
	}
	const golden = 0x85eb_ca6b // another than that of later
	ends, window := s.ends-s.first, max(s.closed, s.opened+1)-s.opened
	most := min(4*ends, mostOthers, ends*(s.governor.Interval()/8)/window) // the last: before the next tick
	return (*Word(s.record, SmpTicks) * golden & (1<<32 - 1)) * most >> 32
}

// trapTime returns for how long the window was open longer since path ends were trapped.
//
//go:norace
func trapTime() U { return traps.inWindow }

// countContexts adds what the path ends of a burst stand for to those of them that have a context.
//
//go:norace
func countContexts(total U) {
	w, tree := &traps, &contexts.tree
	for _, p := range w.paths[:w.n] {
		*tree.Word(p, pcct.PathEstimate) += total / U(w.n)
		*tree.Word(p, pcct.PathSamples)++
	}
	w.n = 0
}
