//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/replicate"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Windows: after a tick the thread that had it runs copies for a short time. The paths that begin in this time are counted. When
// it is over, the thread stays in copies until these paths have ended: it drains. So a long path is as likely to be
// counted as a short one.
//
// If the thread leaves its goroutine the window goes on with the next one. It would see too much of what comes before goroutines
// wait if it ended there, since ticks come at any time and the end always is the same.
//
// All of this is done by one thread at a time, which holds tick.Sampling.

// The phases of a window.
const (
	over     = iota // there is none
	open            // the paths that begin are counted
	draining        // they are followed to their ends
)

// window is the last window.
var window windowType

type windowType struct {
	phase   uint8
	weighed bool // its path ends have been counted, or there is none
	empty   bool // there was nothing that has a copy: the time has no paths
	inC     bool // its thread has not come back from C code in which it began
	cut     bool // it has seen nothing that can be told of all the time

	words uintptr // of its thread; 0 if there is none
	from  uintptr // where the records begin that have not been decoded

	clock          uintptr // of the thread's CPU time
	length         U       // it is to be open for, ns
	opened, closed U       // CPU time of the thread
	inHandlers     U       // of that, what handlers took
	records        U       // while it was open
	drained        U       // records since
	extended       int

	tries   U    // looks that are still to be tried
	tried   U    // looks that were
	looking bool // one is being tried
	looks   [mostTries]pcct.Ref
	nLooks  int
}

// The windows' sizes. A record takes some nanoseconds, and a path end not much more.
const (
	// A window is to have so many records, and is open for so long: ns of the thread's CPU time. Most of a tick's cost does not
	// depend on them. So four times as many records take half as much more, and estimates are better: see docs/lab/copies.md.
	windowRecords = 6144
	shortest      = 20_000
	longest       = 240_000

	// longestDrain is for how long paths are followed to their ends, ns of the thread's CPU time.
	longestDrain = 60_000
	// mostDrained is for how many records they are.
	mostDrained = 1 << 13
	// drainRoom is how many records the log has room for first: when it is full, it is found out whether paths are left. Then it
	// has room for as many as there have been.
	drainRoom = 128
	// mostExtended is how often a window is made longer whose thread has slept.
	mostExtended = 2

	// fewRecords tell nothing of how long it takes to decode one.
	fewRecords = 500

	// recordCost is what a record takes besides its decoding, faultCost what it takes to come to the handler of a fault and back;
	// ns.
	recordCost = 7
	faultCost  = 2500
	// interruptCost is what a timer takes before the handler of its signal begins, besides what package sampled has for signals, ns.
	// In a virtual machine it interrupts twice.
	interruptCost = 10_000
)

// unstood is CPU time that no window stands for yet, ns.
var unstood U

// pace is how many records there are in how much time, in the last windows.
var pace struct{ records, length float64 }

// decoding is how long that takes.
var decoding sampler.Decoding

// process is the process that counts. Mine is 1 in it, and 0 in those that fork has made of it: these count nothing. It is nil
// where the system has no such memory.
var (
	process U
	mine    *uint32
)

// setProcess has this process be the one that counts.
//
//go:norace
func setProcess() {
	process, mine = sys.Getpid(), sys.WipedOnFork()
	if mine != nil {
		*mine = 1
	}
}

// inChild reports whether fork has made this process.
//
//go:norace
func inChild() bool {
	if mine != nil {
		return *mine == 0
	}
	return process != sys.Getpid()
}

// Settings returns the address of the Sampling of package sampled with which sampling is to start before any package that is
// counted is initialized; nil if there is none.
func Settings() unsafe.Pointer { return sys.Pointer(uintptr(image.Sampling)) }

// Start maps the image, if the program has one, and reports whether there can be sampling.
//
//go:norace
func Start() bool {
	if image.Code == 0 {
		return true // the program has no package that is counted so: see UsePackage
	}
	if image.Mode != Sampled {
		return true
	}
	if why := mapImage(); why != "" {
		sys.Warn(noCopies(why))
		return false
	}
	tick.KeepFaults()
	program.decoder.Tally = &tally
	on = true
	tick.StartUsage()
	if cold.on {
		startAllowances()
		keepHolding()
	}
	tick.Sampling.Record.Counted = runfile.CountsRare
	return true
}

var on bool

// On reports whether there are windows in copies.
func On() bool { return on }

// noCopies is what the user is told.
func noCopies(why string) string {
	return "goprofinstr: counting copies: " + why + "; nothing is sampled; build with another -backend\n"
}

// noSignal handles no signal: those of windows are package tick's.
//
//go:norace
func noSignal(uintptr, unsafe.Pointer) bool { return false }

// lockSampling waits until no other thread is at it. These are in signal handlers, and soon done. It returns false if one is
// not, or nothing is counted any more.
//
//go:norace
func lockSampling() bool {
	for i := 0; i < 1<<16 && on && !inChild(); i++ {
		if tick.Sampling.TryLock() {
			return true
		}
		sys.Yield()
	}
	return false
}

// Tick counts what the last window saw, and opens another one.
//
//go:norace
func Tick(now U, inC bool, at unsafe.Pointer) {
	s, x := &tick.Sampling, &window
	w := runtime.GoprofinstrWords()
	if cold.on && (heldCold(w) || !payCold(w)) {
		return // the time until the next tick is longer
	}
	s.Cost += interruptCost
	program.stats.Ticks++
	switch {
	case x.phase == over:
	case x.isOf(w):
		x.closeNow(w)
		x.end(at, w)
	case x.otherWaits():
		x.close(tick.ReadClock(x.clock))
		x.end(nil, (*words)(sys.Pointer(x.words)))
	case x.inC: // another thread's, which may wait in C: its next record is a fault
		x.close(tick.ReadClock(x.clock))
		x.end(nil, (*words)(sys.Pointer(x.words)))
	}
	tick.NoteUsage(now)
	interval := now - s.Began
	x.weigh(interval - min(sinceLast(s.Record.Cost+s.Cost), interval))
	s.Record.CPU += interval
	s.Began = now
	s.Govern(now)
	if tickCold(w, now) && guarded(w) && x.phase == over && !(s.Record.Ticks == 1 && s.Governor.Owes()) {
		x.begin(at, w, inC)
	}
}

// isOf reports whether the window is that of a thread.
//
//go:norace
func (x *windowType) isOf(w *words) bool { return x.words == uintptr(unsafe.Pointer(w)) }

// isOpen reports whether a window counts the paths that are executed in it.
//
//go:norace
func isOpen() bool { return image.Mode == Sampled && window.phase == open }

// otherWaits reports whether the window's thread, which is another one, runs no goroutine. All that it has noted is decoded.
//
//go:norace
func (x *windowType) otherWaits() bool { return (*words)(sys.Pointer(x.words))[waits] != 0 }

// begin opens a window in the calling thread, which has had the tick. In C code the thread may be about to sleep, and no signal
// shall wake it: the window's first record is a fault then.
//
//go:norace
func (x *windowType) begin(at unsafe.Pointer, w *words, inC bool) {
	s := &tick.Sampling
	log := logOf(w)
	if log == 0 {
		return
	}
	s.Record.Windows++
	program.decoder.Forget()
	tally.Forget()
	entries.forget()
	length := nextLength()
	*x = windowType{inC: inC, length: length - length/4 + sampler.Spread(s.Record.Ticks, length/2)}
	copied := copyOf(at)
	if led := runtime.GoprofinstrLead(at, returnTo); led == 0 && copied == 0 {
		x.empty = true
		program.stats.Outside++
		return
	} else if copied == 0 {
		program.stats.Returns++
	}
	program.stats.Bursts++
	x.phase, x.words, x.clock = open, uintptr(unsafe.Pointer(w)), sys.ClockOf(sys.Gettid())
	x.startLooks()
	if copied != 0 && copied == runtime.GoprofinstrPC(at) {
		rewind(at)
		copied = 0 // it is there
	}
	if inC {
		x.beginLog(w, 0)
		x.opened = tick.ThreadTime()
		return
	}
	x.beginLog(w, x.room())
	if copied != 0 {
		runtime.GoprofinstrResume(at, copied, firstRegister, runtime.GoprofinstrRegister(at, firstRegister))
	}
	tick.EndWindow(x.length)
	x.opened = tick.ThreadTime()
}

// nextLength returns how long windows are to be, in the mean. That depends on earlier ones only: a window that ended when it has
// seen enough would see too much of what is frequent.
//
//go:norace
func nextLength() U {
	p := &pace
	if p.records*longest <= windowRecords*p.length {
		return longest
	}
	return max(U(windowRecords*p.length/p.records), shortest)
}

// copyOf returns where the thread goes on in a copy that a tick has interrupted, 0 if it cannot.
//
//go:norace
func copyOf(at unsafe.Pointer) uintptr {
	if !runtime.GoprofinstrUser(at) {
		return 0
	}
	pc := runtime.GoprofinstrPC(at)
	if pc >= program.from && pc < program.to {
		return pc // it was about to find out that there is no window
	}
	return entrance(pc)
}

// beginLog has the calling thread note records where there is room for n. All before have been decoded.
//
//go:norace
func (x *windowType) beginLog(w *words, n uintptr) {
	if cold.on {
		beginColdLog(w, n)
		return
	}
	x.from = w[ownLog] + (logRecords-n)*pathlog.RecordSize
	w[nextRecord] = x.from
}

// decode counts what the thread has noted.
//
//go:norace
func (x *windowType) decode(w *words) {
	n := x.noted(w)
	if n == 0 {
		return
	}
	began := U(0)
	if n > fewRecords {
		began = tick.ThreadTime()
	}
	if cold.on {
		n = decodeWindow(w)
	} else {
		to := x.from + uintptr(n)*pathlog.RecordSize
		program.decoder.Decode(records(x.from, to))
		x.from = to
		program.stats.Records += n
	}
	if began > 0 {
		decoding.Took(tick.ThreadTime()-began, n)
	}
	program.stats.Lost = program.decoder.Lost
	tick.Sampling.Cost += n * recordCost
	if x.phase == open {
		x.records += n
	} else {
		x.drained += n
		program.stats.Drained += n
	}
}

// noted returns how many records a thread has noted that have not been decoded.
//
//go:norace
func (x *windowType) noted(w *words) U {
	from, to := x.from, w[nextRecord]
	if cold.on {
		from = *counted(w)
	} else if to == 0 {
		to = w[lastRecord]
	}
	if to <= from {
		return 0
	}
	return U(to-from) / pathlog.RecordSize
}

// close has the window count no path that begins from now on. What the thread has noted is decoded. Now is its CPU time.
//
//go:norace
func (x *windowType) close(now U) {
	if x.inC {
		now = min(now, x.opened+x.length)
	}
	if x.phase == open {
		x.phase, x.closed = draining, now
		program.decoder.Draining = true
	}
}

// closeNow closes the window of the calling thread.
//
//go:norace
func (x *windowType) closeNow(w *words) {
	now := tick.ThreadTime()
	x.decode(w)
	x.close(now)
}

// end ends the window. At is nil if no signal has interrupted the thread.
//
//go:norace
func (x *windowType) end(at unsafe.Pointer, w *words) {
	if cold.on {
		leaveWindow(at, w)
	} else {
		if at != nil {
			leave(at)
		}
		w[nextRecord], w[lastRecord], w[waits] = 0, 0, 0
	}
	x.phase, x.words = over, 0
	if program.decoder.Open > 0 {
		program.stats.Cut++
		program.stats.Unknown += U(program.decoder.Open)
		program.decoder.Cut()
	}
}

// WindowOver is called when the time of the window is over, and when that for draining is.
//
//go:norace
func WindowOver(inC bool, at unsafe.Pointer) {
	x, w := &window, runtime.GoprofinstrWords()
	if x.phase == over || !x.isOf(w) {
		return
	}
	if cold.on && heldCold(w) {
		OverLater()
		return
	}
	tick.Sampling.Cost += interruptCost
	if x.phase == draining {
		x.decode(w)
		x.end(at, w)
		return
	}
	if used := tick.ThreadTime() - x.opened; used < x.length/2 && x.extended < mostExtended {
		x.extended++
		tick.EndWindow(tick.ByClock(x.length - used))
		return
	}
	x.closeNow(w)
	if x.drainOn(w) {
		rewind(at)
		x.beginLog(w, drainRoom) // there is no signal when it is full, nor needed where nothing is noted
		return
	}
	x.end(at, w)
}

// OverLater has WindowOver called again soon: another thread is at it, or this one where a signal has interrupted it.
//
//go:norace
func OverLater() {
	const soon = 20_000 // ns
	if x := &window; x.phase != over && x.isOf(runtime.GoprofinstrWords()) {
		tick.EndWindow(soon)
	}
}

// drainOn reports whether paths are still to be followed.
//
//go:norace
func (x *windowType) drainOn(w *words) bool {
	return program.decoder.Open > 0 && x.drained < mostDrained && w[nextRecord] != 0
}

// rewind has a record that a signal has interrupted begin anew, unless it is as good as done: the log may be begun anew then.
//
//go:norace
func rewind(at unsafe.Pointer) {
	pc := runtime.GoprofinstrPC(at)
	if pc < program.from || pc >= program.to {
		return
	}
	begin, _, kind := origin(pc)
	register, record := noting(kind)
	if !record || pc == begin || isRestore(pc) {
		return
	}
	runtime.GoprofinstrResume(at, begin, register, held(at, register, begin, record))
}

// windowFault handles a fault in a copy. One of an instruction of the original's is left to the original. A record faults where
// the log is full, or the window is over. It reports false if package runtime has to handle the fault.
//
//go:norace
func windowFault(at unsafe.Pointer) bool {
	pc := runtime.GoprofinstrPC(at)
	_, _, kind := origin(pc)
	register, record := noting(kind)
	if !record {
		return leaveFault(at)
	}
	windowRecord(at, pc, register)
	return true
}

// windowRecord handles the fault of a record.
//
//go:norace
func windowRecord(at unsafe.Pointer, pc, register uintptr) {
	x, w := &window, runtime.GoprofinstrWords()
	sys.UnblockBus()
	switch {
	case cold.on && (w[inWindow] == 0 || !lockSampling()):
		w[inWindow] = 0
		coldFault(w, at, pc, register)
		return
	case cold.on:
	case w[nextRecord] == 0 || !lockSampling():
		sys.Inc64(&program.stats.Late)
		leave(at)
		cut(w)
		return
	}
	mine := tick.ThreadTime()
	switch {
	case x.isOf(w) && x.goOn(w, mine):
		if !x.looking || !x.look(at, pc, register) {
			runtime.GoprofinstrResume(at, pc, register, U(w[nextRecord]))
		}
	case cold.on:
		if x.isOf(w) {
			x.end(nil, w)
		}
		w[inWindow] = 0
		coldFault(w, at, pc, register)
	default:
		x.endIf(at, w)
	}
	took := tick.ThreadTime() - mine + faultCost
	tick.Sampling.Cost += took
	if x.phase == open {
		x.inHandlers += took
	}
	tick.Sampling.Unlock()
}

// endIf ends the window if it is the calling thread's, which has come to a record that is not noted.
//
//go:norace
func (x *windowType) endIf(at unsafe.Pointer, w *words) {
	if x.isOf(w) {
		x.end(at, w)
		return
	}
	leave(at)
	w[nextRecord] = 0
}

// goOn decodes a full log and begins it anew. It reports false if the window is to end.
//
//go:norace
func (x *windowType) goOn(w *words, now U) bool {
	if x.inC {
		return x.back(w, now)
	}
	x.decode(w)
	if x.looking = x.tries > 0 && x.phase == open; !x.looking {
		program.stats.Full++
	}
	if x.phase == open && now-x.opened > 4*x.length { // the signal is late, or lost
		x.close(now)
	}
	if x.phase == open {
		x.tries -= min(x.tries, 1)
		x.beginLog(w, x.room())
		return true
	}
	if !x.drainOn(w) || now-min(x.closed, now) > longestDrain {
		return false
	}
	x.beginLog(w, max(drainRoom, uintptr(x.drained)))
	return true
}

// windowSwitched is called when the calling thread leaves its goroutine, and has noted records.
//
//go:norace
func windowSwitched() {
	x, w := &window, runtime.GoprofinstrWords()
	if cold.on && w[inWindow] == 0 {
		switchedCold(w)
		return
	}
	if !lockSampling() {
		if cold.on {
			w[inWindow] = 0
			switchedCold(w)
		} else {
			cut(w)
		}
		return
	}
	switch {
	case cold.on && !x.isOf(w):
		w[inWindow] = 0
		switchedCold(w)
	case !x.isOf(w):
		w[nextRecord] = 0
	case cold.on && x.phase == open:
		x.decode(w)
		w[inWindow], w[waits] = 0, 1
	case x.phase == open:
		x.decode(w)
		w[nextRecord], w[lastRecord], w[waits] = 0, 0, 1
	default:
		x.decode(w)
		x.end(nil, w)
	}
	tick.Sampling.Unlock()
}

// windowRuns is called when the calling thread is about to run a goroutine, and has noted nothing.
//
//go:norace
func windowRuns() {
	x, w := &window, runtime.GoprofinstrWords()
	if w[waits] == 0 || !lockSampling() {
		return
	}
	w[waits] = 0
	if mine := tick.ThreadTime(); x.isOf(w) && x.inC && !x.back(w, mine) {
		x.end(nil, w)
	} else if x.isOf(w) && x.phase == open {
		runtime.GoprofinstrLeadNext(returnTo, entrance)
		x.beginLog(w, x.room())
		took := tick.ThreadTime() - mine
		x.inHandlers += took
		tick.Sampling.Cost += took
		program.stats.Switched++
	}
	tick.Sampling.Unlock()
}

// windowMoved is called when a stack has been copied. Its frames go with it.
//
//go:norace
func windowMoved(to, from, size uintptr) {
	x, w := &window, runtime.GoprofinstrWords()
	if x.phase != over && lockSampling() {
		x.moved(w, uint32(to), uint32(from), uint32(size))
		tick.Sampling.Unlock()
	}
	if cold.on {
		movedCold(w, uint32(to), uint32(from), uint32(size))
	}
}

// moved has the frames of a stack that has been copied go with it.
//
//go:norace
func (x *windowType) moved(w *words, to, from, size uint32) {
	if x.phase != over {
		mine := tick.ThreadTime()
		if x.isOf(w) {
			x.decode(w)
		}
		program.decoder.Move(to, from, size, program.moved)
		took := tick.ThreadTime() - mine
		tick.Sampling.Cost += took
		if x.isOf(w) && x.phase == open {
			x.inHandlers += took
		}
	}
}

// windowEnded is called when the calling thread ends. It has no processor of the scheduler's, and may wait as long as it takes:
// its words are about to be no more.
//
//go:norace
func windowEnded() {
	x, w := &window, runtime.GoprofinstrWords()
	for tries := 0; !tick.Sampling.TryLock(); tries++ {
		if inChild() {
			return // nobody looks at words any more
		}
		if !on { // the thread that has the process exit keeps the lock
			giveBack(w)
			return
		}
		wait(tries)
	}
	if x.isOf(w) {
		x.closeNow(w)
		x.end(nil, w)
	}
	giveBack(w)
	tick.Sampling.Unlock()
}

// giveBack takes the log from a thread that ends.
//
//go:norace
func giveBack(w *words) {
	if cold.on {
		endedCold(w)
	} else {
		freeLog(w)
	}
}

// Finish counts what is left: the process is about to exit. No other goroutine runs in the thread before that is done: it might
// wait for locks that are held.
//
//go:norace
func Finish() { runtime.GoprofinstrUnmoved(finishWindows) }

//go:norace
func finishWindows() {
	x, w := &window, runtime.GoprofinstrWords()
	on = false
	if inChild() {
		return
	}
	if x.phase != over && x.isOf(w) {
		x.closeNow(w)
		x.end(nil, w)
	}
	if cold.on {
		finishCold()
	}
	s := &tick.Sampling
	now := tick.CPUTime()
	interval := now - min(s.Began, now)
	x.weigh(interval - min(sinceLast(s.Record.Cost+s.Cost), interval))
	s.Record.CPU += interval
	s.Record.Cost += s.Cost
	s.Record.Counted = runfile.CountedAll
}

// costThen is what sampling had cost when a window was weighed last, ns.
var costThen U

// sinceLast returns how much of a cost there has been since it was called last. That time windows do not stand for, since the
// program does not run.
//
//go:norace
func sinceLast(cost U) U {
	was := costThen
	costThen = cost
	return cost - was
}

// weigh counts what the window saw, which stands for some CPU time, and for that which no window has stood for before.
//
//go:norace
func (x *windowType) weigh(interval U) {
	unstood += interval
	if x.weighed || x.phase != over {
		return
	}
	x.weighed = true
	if x.empty {
		unstood = 0
		return
	}
	if x.closed <= x.opened {
		return // nobody knows how long it was open
	}
	length := x.closed - x.opened
	length -= min(length-1, x.inHandlers)
	net := decoding.Net(length, x.records)
	program.stats.Open += x.closed - x.opened
	program.stats.Net += net
	weight := sampler.Weight(1, 1, net, unstood)
	unstood = 0
	x.weighLooks(weight)
	const memory = 7.0 / 8
	pace.records = pace.records*memory + float64(x.records)
	pace.length = pace.length*memory + float64(length)
	record := tick.Sampling.Record
	ends := tallyEnds()
	record.Ends += ends + tally.Lost
	record.Taken += ends
	for range tally.Lost {
		runfile.Lose()
	}
	group := U(sampledLevel)<<runfile.WindowLevel | density(ends, length)<<runfile.WindowDensity
	entries.weigh(group, weight)
	for i := range tally.Len() {
		e := tally.At(i)
		at, number := estimateOf(&program.decoder.Targets[e.Target&^pathlog.OfCounted], e.Path)
		switch {
		case e.Times == 0: // see tallyEnds
		case image.Counters > 0:
			program.decoder.Counters[at] += U(e.Times) * weight
		default:
			replicate.Add(at, number, group|levelOf(e)<<runfile.WindowOf, record.Windows, U(e.Times), weight)
		}
	}
}

// The levels of functions.
const (
	countedLevel = 0
	sampledLevel = 1
)

// levelOf returns the level of a path's function.
//
//go:norace
func levelOf(e *pathlog.Tallied) U {
	if e.Target&pathlog.OfCounted != 0 {
		return countedLevel
	}
	return sampledLevel
}

// tally is that of the window.
var tally pathlog.Tally

// tallyEnds returns how many path ends the window has seen. Those of functions that nobody counts are forgotten, and so is what
// is no path.
//
//go:norace
func tallyEnds() (n U) {
	for i := range tally.Len() {
		e := tally.At(i)
		switch t := &program.decoder.Targets[e.Target&^pathlog.OfCounted]; {
		case t.Paths == 0:
			e.Times = 0
		case e.Path > t.Paths:
			program.decoder.Lost += U(e.Times)
			e.Times = 0
		}
		n += U(e.Times)
	}
	return n
}

// estimateOf returns where the estimate of a path is, and its number if that is in a Hash.
//
//go:norace
func estimateOf(t *pathlog.Target, path U) (at, number U) {
	switch {
	case image.Counters > 0:
		return t.Counter(program.decoder.Counters, path), 0
	case t.At&pathlog.IsHash != 0:
		return t.At &^ pathlog.Inlined, path
	}
	return t.At&^pathlog.Inlined + path*pairSize, 0
}

// pairSize is the size of an estimate and its number of samples.
const pairSize = 16

// density returns how many path ends there were in a nanosecond, as a logarithm.
//
//go:norace
func density(ends, length U) (log U) {
	for n := ends << 10 / max(length, 1); n > 0; n >>= 1 {
		log++
	}
	return log
}
