//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64)

package rt

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Calling contexts: PCCT sections 4 and 5. Package pcct has the tree.
//
// A tick finds the stack that it has interrupted in the signal handler itself, and attaches it to the tree with the CPU time since
// the last tick. At the path ends that follow there would be no garbage collection, no allocation and no
// library any more.
//
// Path ends have a context, too, though not all: a stack takes some microseconds. A probe whose log has had mostEnds path ends stores what it
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
	// contextsOfBurst is how many path ends are trapped then.
	contextsOfBurst = 4
	// firstContexts is how many path ends are trapped when the program starts: whoever tries it on a small one wants to see all contexts.
	firstContexts = 64
	// firstThreads is how many threads that is for: the others' logs are not touched before they are used.
	firstThreads = 8
	// mostOthers is how many path ends are passed by at most: some microseconds of probes.
	mostOthers = 1 << 13
	// trapCost is what a trapped path end takes, in ns.
	trapCost = 4000
)

// pastStacks is how many stacks are remembered: that of a goroutine is in the place of its number modulo this.
const pastStacks = 64

var contexts struct {
	on     bool
	most   int // new frames of a sample
	tree   pcct.Tree
	stacks [pastStacks]pcct.Stack

	// located has the locations of addresses in code; for addresses + 1<<63, of what a function was called from there for any line.
	located [4096]struct {
		address U
		at      pcct.Ref
	}

	frames [pcct.MostDepth]runtime.GoprofinstrFrame
	places [pcct.MostDepth]pcct.Place
	page   uintptr // that may not be written

	// Of the burst:

	interrupted [pcct.MostDepth]place // what the tick has interrupted, innermost first
	depth       int
	time        U // CPU time that the tick stands for
	armed       [threads]bool
	base, start [threads]U // path ends in an armed log when that began, and what it counts from
	matches     int        // path ends that are still to be looked at for the interrupted one
	traps       int        // path ends that are still to be trapped for their context
	trapped     U          // ns that traps took in the window
	paths       [firstContexts]pcct.Ref
	n           int // of them
}

// place is a frame and where it is, or the function of it that a path has ended in.
type place struct {
	fp uintptr
	at pcct.Ref
}

// startContexts has contexts found, of which a sample may have most new frames.
//
//go:norace
func startContexts(most U) {
	c := &contexts
	guard, err := mmapGuard(page)
	if err != 0 {
		return
	}
	c.page, over = guard, (*uintptr)(pointer(guard))
	if feed(); most == 0 || c.tree.Hungry() {
		return
	}
	c.most, c.on = int(min(most, pcct.MostDepth)), true
	c.traps = firstContexts
	for i := range U(firstThreads) {
		startTrap(i, 0)
	}
}

// startTrap has the path ends of a log trapped that come after some others.
//
//go:norace
func startTrap(log, others U) {
	c := &contexts
	c.base[log], c.start[log] = seen(log), mostEnds-others
	logs[log].ends = mostEnds - others
	c.armed[log] = true
}

// stopTrap ends that.
//
//go:norace
func stopTrap(log U) {
	n := seen(log)
	contexts.armed[log] = false
	logs[log].ends = n
}

// seen returns how many path ends a log has, and the first entry that is in use.
//
//go:norace
func seen(log U) U {
	c, n := &contexts, logs[log].ends
	if c.armed[log] && n >= c.start[log] { // it is less if Sample has undone it
		n = c.base[log] + n - c.start[log]
	}
	return n
}

// feed gives the tree memory.
//
//go:norace
func feed() {
	t := &contexts.tree
	for t.Hungry() {
		chunk := newContexts(U(t.Chunks()))
		if chunk == 0 {
			return
		}
		t.Feed(chunk)
	}
}

// tickContext attaches what a tick has interrupted, which stands for some CPU time.
//
//go:norace
func tickContext(at unsafe.Pointer, time U) {
	c := &contexts
	c.depth, c.time, c.matches = 0, time, 0
	if !c.on {
		return
	}
	feed()
	n, parent := attach(at)
	if n == 0 {
		return
	}
	leaf := c.tree.Node(parent, locationOf(U(c.frames[0].Call)))
	if leaf == 0 {
		leaf = parent // there is no room
	}
	if leaf != 0 {
		*c.tree.Word(leaf, pcct.NodeTime) += time
		*c.tree.Word(leaf, pcct.NodeSamples)++
	}
	countNew(at, n, leaf, time)
	for i, f := range c.frames[:n] {
		c.interrupted[i] = place{f.FP, locationOf(U(f.Call))}
	}
	c.depth, c.matches = n, mostMatches
}

// attach finds the stack that a signal has interrupted and attaches the callers to the tree. It returns how many frames there are and the node of
// the innermost caller, or 0 frames.
//
//go:norace
func attach(at unsafe.Pointer) (n int, parent pcct.Ref) {
	c := &contexts
	n, whole := runtime.GoprofinstrStack(at, c.frames[:])
	if n == 0 {
		return 0, 0
	}
	for i, f := range c.frames[:n] {
		c.places[i] = pcct.Place{PC: f.PC, FP: f.FP}
	}
	root := labels(at)
	goroutine, _ := runtime.GoprofinstrGoroutine(at)
	stack := &c.stacks[goroutine%pastStacks]
	known, parent := stack.Known(root, c.places[:n], whole, runtime.GoprofinstrReturns)
	record := sampling.record
	*Word(record, SmpContexts)++
	*Word(record, SmpFrames) += U(n)
	if !whole && known == 0 || n-known > c.most {
		*Word(record, SmpTruncated)++ // PCCT 5.4.1: it is not known where the stack goes on
	}
	if n-known > c.most {
		n, known, parent = c.most, 0, root
		stack.Forget()
	}
	*Word(record, SmpNewFrames) += U(n - known)
	for i := n - 1 - known; i > 0; i-- {
		node := c.tree.Node(parent, locationOf(U(c.frames[i].Call)))
		if node == 0 {
			stack.Forget()
			break
		}
		parent = node
		stack.Push(c.places[i], parent)
	}
	return n, parent
}

// labels returns the root for the labels of the goroutine that a signal has interrupted.
//
//go:norace
func labels(at unsafe.Pointer) pcct.Ref {
	list := runtime.GoprofinstrLabels(at)
	if len(list) == 0 {
		return 0
	}
	return contexts.tree.Labels(len(list), func(i int) (string, string) { return list[i].Key, list[i].Value })
}

// anyLine is added to an address for the function there, at no line.
const anyLine = 1 << 63

// locationOf returns the location of an address.
//
//go:norace
func locationOf(address U) pcct.Ref {
	c := &contexts
	known := &c.located[(address^address>>12)%U(len(c.located))]
	if known.address != address {
		known.address, known.at = address, resolve(address)
	}
	return known.at
}

// resolve returns the location of an address. Probes are not in it.
//
//go:norace
func resolve(address U) pcct.Ref {
	var funcs [pcct.MostFrames]runtime.GoprofinstrFunc
	var frames [pcct.MostFrames]pcct.Frame
	n := runtime.GoprofinstrFuncs(uintptr(address&^anyLine), funcs[:])
	probe := 0
	for i, f := range funcs[:n] {
		frames[i] = pcct.Frame{Name: text(f.Name, f.NameLen), File: text(f.File, f.FileLen), Line: f.Line, StartLine: f.StartLine}
		if i == probe && isProbe(frames[i].Name) {
			probe++ // and what it takes is the function's
		}
	}
	if address&anyLine != 0 && probe < n {
		frames[probe].Line = 0
	}
	return contexts.tree.Location(frames[probe:n])
}

// isProbe reports whether a function is one of this package.
//
//go:norace
func isProbe(name string) bool {
	const prefix = "goprofinstr/rt."
	return len(name) > len(prefix) && name[:len(prefix)] == prefix
}

// text returns a string that is in the program's tables.
//
//go:norace
func text(address, length uintptr) string {
	return unsafe.String((*byte)(pointer(address)), int(length))
}

// fault handles a fault in a probe.
//
//go:norace
func fault(address uintptr, at unsafe.Pointer) bool {
	c := &contexts
	if c.page == 0 || address != c.page {
		return false
	}
	register, length := decodeStore(pointer(runtime.GoprofinstrPC(at)))
	if length == 0 { // by a compiler that we do not know
		mmapNothing(c.page, page)
		return true
	}
	runtime.GoprofinstrSkip(at, length)
	log := thread() % threads
	l := &logs[log]
	if !c.armed[log] {
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
	} else if sampling.timed && c.traps > 0 {
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
	c, s := &contexts, &sampling
	s.cost += trapCost
	if s.timed && s.closed == 0 {
		c.trapped += trapCost
	}
	var path pcct.Ref
	function := place{}
	feed()
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
	if c.matches > 0 {
		c.matches--
		if path != 0 && wasInterrupted(function) {
			c.matches = 0
			*c.tree.Word(path, pcct.PathTime) += c.time
			*Word(s.record, SmpMatched) += c.time
		}
	}
	if c.traps > 0 {
		c.traps--
		if path != 0 {
			c.paths[c.n] = path
			c.n++
		}
		if c.traps == 0 && s.timed {
			Burst.On = 0
		}
	}
	return c.matches == 0 && c.traps == 0
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
	c := &contexts
	if !c.on {
		return
	}
	c.traps, c.trapped, c.n = 0, 0, 0
	c.armed = [threads]bool{}
	if c.matches > 0 {
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
	c, s := &contexts, &sampling
	c.traps = contextsOfBurst
	others := s.others()
	s.cost += others * probeCost
	for i := range U(threads) {
		if l := &logs[i]; (i == s.thread || l.ends != s.first) && !c.armed[i] {
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
func trapTime() U { return contexts.trapped }

// countContexts adds what the path ends of a burst stand for to those of them that have a context.
//
//go:norace
func countContexts(total U) {
	c := &contexts
	for _, p := range c.paths[:c.n] {
		*c.tree.Word(p, pcct.PathEstimate) += total / U(c.n)
		*c.tree.Word(p, pcct.PathSamples)++
	}
	c.n = 0
}
