package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/native"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Sampling: PEP section 4.4. Package sampler makes the decisions.
//
// A tick begins a burst, in which probes note the paths that end there; at the next tick those that
// the policy takes for samples are counted. A short time after the tick, when the window is over, there is another signal, which ends the
// burst. What is counted is what ended in the thread that had the tick, since that used the CPU time: Linux has a timer of
// the process's CPU time expire in a thread that is running. The path ends in the window and the CPU time that the thread had for them
// tell at what rate paths end. (Where it is not known whose the tick was, it is what ended in all threads, and the time is that of the clock.)
//
// Where few paths end, the window is as long as the time to the next tick. There is no other signal then, the path ends of
// all threads are in the logs, and each is a sample that stands for itself.
//
// All of this runs in signal handlers, on their stacks, but for what begins and ends it. Nothing here waits for
// anything, and the race detector sees none of it.

// signalCost is what is not measured of the cost of sampling, besides tick.ProbeCost, in ns: a signal's way to the handler and back.
const signalCost = 5000

var sampling state

type state struct {
	window sampler.Window

	last    U    // CPU time of the process at the last tick
	first   U    // entry of the logs for the first path end, so that they are full when no more are needed
	resting bool // there is no burst until the next tick

	// If the window ends before the next tick:

	timed  bool
	burst  sampler.Policy // what is sampled
	skip   U              // path ends before the first sample
	thread U              // that had the tick
	clock  uintptr        // its CPU time
	opened U              // that, when the handler of the tick was left: then probes come to work
	passed bool           // the signal at the end of the window has come
	closed U              // that, when the window ended; 0 if it has not yet
	ends   U              // in its log then, if probes go on; the most in any log if it is not known whose the tick was
}

// Sampling says how paths are sampled.
type Sampling struct {
	Kind, Samples, Stride U // of a sampler.Policy

	Budget U // the share of CPU time that sampling may take, in millionths
	Period U // CPU time between ticks, in ns, if there is no reason for more
	Frames U // how many new frames of a calling context a sample may find; 0 if there are to be no contexts

	Marks bool // activations have a word for ticks to mark
}

// StartSampling starts sampling, if nothing has. It returns 0.
//
//go:norace
func StartSampling(how *Sampling) U {
	s, t := &sampling, &tick.Sampling
	if t.Record != nil {
		return 0
	}
	head, err := runfile.NewRecord(runfile.KindSampling, runfile.Page)
	if err != 0 {
		runfile.TellUnwritten(err)
	}
	if head == nil {
		return 0
	}
	record := (*runfile.SamplingRecord)(unsafe.Pointer(head))
	t.Policy = sampler.Policy{Kind: sampler.PolicyKind(how.Kind), Samples: how.Samples, Stride: how.Stride}
	t.Governor = sampler.Governor{Budget: float64(how.Budget) / 1e6, Period: how.Period}
	record.Policy, record.Samples, record.Stride = how.Kind, how.Samples, how.Stride
	record.Burst, record.Period = how.Samples, how.Period
	record.Publish()
	t.Record = record
	tick.Handle(tick.Handlers{Tick: ticked, WindowOver: windowOver, Fault: fault, Finish: finishSampling})
	if !native.Start() {
		return 0
	}
	t.Governor.Whole = native.On() // it is to arm the sites that costs
	startContexts(how.Frames, how.Marks)
	native.StartTraps()
	// As if there had been a tick: what a program does that ends before the first one is all in this burst.
	s.last = t.Begin()
	if !native.On() {
		setBurst(1)
	}
	tick.Start(how.Period)
	return 0
}

// ticked is called at a tick. Overruns are ticks that have come to nothing, since they came too soon after others. Idle says that the
// thread runs no goroutine, or one that sleeps. Such ticks do nothing: threads that look for work, and the runtime's monitor, wake up when
// the kernel's clock ticks, which is when it finds that a timer has expired, and so have far more ticks than CPU time. They are not counted. InC says that
// the thread is in C code. At is what GoprofinstrStack takes.
//
//go:norace
func ticked(overruns U, idle, inC bool, at unsafe.Pointer) {
	s, t := &sampling, &tick.Sampling
	now, mine := tick.CPUTime(), tick.ThreadTime()
	sys.Add64(&t.Record.Overruns, overruns)
	if idle {
		return
	}
	sys.Add64(&t.Record.Ticks, 1)
	if !t.TryLock() {
		return // or another thread is at it
	}
	contexts.Tick(at, now-s.last)
	s.last = now
	if native.On() {
		native.Tick(now, inC, at) // and looks at path ends are weighed
		contexts.MakeRoom()
		t.Cost += signalCost + tick.ThreadTime() - mine
		t.Unlock()
		return
	}
	if s.resting {
		s.resting = false // and the next burst is for the time until now, too
	} else {
		endBurst(now)
	}
	contexts.MakeRoom()
	if !s.resting {
		beginBurst(inC)
	}
	t.Cost += signalCost + tick.ThreadTime() - mine
	t.Unlock()
}

// windowOver is called when the window is over, and again when there are to be path ends with their contexts. InC and at are as in ticked.
//
//go:norace
func windowOver(inC bool, at unsafe.Pointer) {
	s, t := &sampling, &tick.Sampling
	mine := tick.ThreadTime()
	if !t.TryLock() {
		return
	}
	switch {
	case native.On():
		native.WindowOver(inC, at)
	case s.timed && !s.passed:
		s.passed = true
		if Burst.On != 0 {
			s.closed, s.ends = tick.ReadClock(s.clock), s.seen()
			setBurst(0)
		} // else a full log has ended it
		if s.closed != 0 && !inC && contextsWanted() && t.OneIn(4) {
			// Not now: the thread may be in the middle of Sample, which would undo what is done to its log.
			tick.ComeBack(t.Later())
		}
	case contextsWanted():
		trapSome()
		setBurst(1)
	}
	t.Cost += signalCost + tick.ThreadTime() - mine
	t.Unlock()
}

// seen returns what ends is to be.
//
//go:norace
func (s *state) seen() U {
	ends := seen(s.thread)
	for i := range slots() {
		if !tick.OwnTicks {
			ends = max(ends, seen(i))
		}
	}
	return ends
}

// beginBurst has probes note what ends. In C code the thread may be about to sleep, and no signal shall wake it: then a full log ends the window, or the next tick.
//
//go:norace
func beginBurst(inC bool) {
	s, t := &sampling, &tick.Sampling
	s.burst = t.Policy
	s.burst.Samples = t.Governor.Burst(t.Policy)
	s.skip = t.Policy.Skip(t.Record.Ticks)
	s.thread, s.clock, s.closed, s.passed = sys.Thread()%threads, tick.BurstClock(), 0, false
	length := s.window.Length(s.burst, t.Governor.Interval())
	s.timed, s.first = length > 0, 0
	if s.timed {
		s.first = sampler.MaxReach - (s.burst.Index(s.burst.Samples-1, s.skip) + 1)
		if !inC {
			tick.EndWindow(length)
		}
	} else if !inC && contextsWanted() {
		tick.ComeBack(t.Later())
	}
	for i := range slots() {
		if ends(i) != s.first { // a cache line that nobody uses is not touched
			setEnds(i, s.first)
		}
	}
	trapFirst(s.thread)
	s.opened = tick.ReadClock(s.clock)
	setBurst(1) // right after the clock was read: this thread may stop at any moment, and others have not
}

// endBurst counts the samples of the burst.
//
//go:norace
func endBurst(now U) {
	s, t := &sampling, &tick.Sampling
	running := Burst.On != 0
	setBurst(0)
	interval := now - t.Began
	full := false
	if s.timed {
		full = countWindow(interval, running)
	} else {
		full = countAll(interval)
	}
	// A probe that has been interrupted between reading how many path ends there are and writing one more will undo what beginBurst
	// does to the log. Where paths end all the time that is likely.
	s.resting = running && full
	t.Record.CPU += interval
	t.Govern(now)
	t.Began = now
}

// countWindow counts the samples of the window. They stand for all that ended in an interval. Running
// says that probes were at work until now if the window was not closed. The result tells whether there were
// more path ends than a log has room for.
//
//go:norace
func countWindow(interval U, running bool) (full bool) {
	s := &sampling
	end := s.closed
	if end == 0 { // the signal is late
		end = tick.ReadClock(s.clock)
	}
	if end <= s.opened {
		return false // the thread has ended
	}
	stopped := s.closed == 0 && !running // by a full log, nobody knows when
	var ends, taken, total U
	for i := range slots() {
		n := s.ofWindow(seen(i))
		if n == 0 || tick.OwnTicks && i != s.thread {
			continue
		}
		if tick.OwnTicks && s.closed != 0 {
			n = s.ofWindow(s.ends) // and what came then is not of the window
		}
		length := end - s.opened
		if stopped {
			length = s.window.Time(n)
		}
		k := s.burst.Taken(n, s.skip)
		weight := sampler.Weight(n, k, sampler.Net(length-min(length, trapTime()), n, sampler.Probe), interval)
		from := s.first + s.among(n)
		for j := range k {
			at := from + s.burst.Index(j, s.skip)
			countSample(entry(i, at), weight)
			total += weight
		}
		ends, taken = ends+n, taken+k
		full = full || s.first+n > sampler.MaxReach
	}
	countContexts(total)
	if !stopped {
		s.window.Seen(ends, end-s.opened)
	}
	record(ends, taken)
	return full
}

// ofWindow returns how many path ends of a log are of the window: none if a probe that the tick interrupted has undone where the window begins in it.
//
//go:norace
func (s *state) ofWindow(ends U) U { return ends - min(ends, s.first) }

// among returns after how many of the path ends of a window samples are taken.
//
//go:norace
func (s *state) among(ends U) U {
	reach := s.burst.Index(s.burst.Samples-1, s.skip) + 1
	return sampler.Among(tick.Sampling.Record.Ticks, min(ends, sampler.MaxReach-s.first), reach)
}

// countAll counts everything that is in the logs. It is all that ended in an interval, if no log has been too small for that, which
// it reports.
//
//go:norace
func countAll(interval U) (full bool) {
	var ends, taken, total U
	for i := range slots() {
		n := seen(i)
		k := min(n, sampler.MaxReach)
		weight := sampler.Weight(n, k, 1, 1)
		for j := range k {
			countSample(entry(i, j), weight)
			total += weight
		}
		ends, taken = ends+n, taken+k
		full = full || k < n
	}
	countContexts(total)
	sampling.window.Seen(ends, interval)
	record(ends, taken)
	return full
}

// record adds what a burst has seen to the run file.
//
//go:norace
func record(ends, taken U) {
	t := &tick.Sampling
	t.Cost += ends * tick.ProbeCost
	t.Record.Ends += ends
	t.Record.Taken += taken
}

// countSample adds a sample to what a probe has noted.
//
//go:norace
func countSample(e *ended, weight U) {
	at := e.at
	if at == 0 { // by a thread that stopped in the middle of Sample
		return
	}
	if at&isHash == 0 {
		p := (*U)(sys.Pointer(at))
		*p += weight
		*sys.Word(p, 1)++
		return
	}
	h := (*rt.Hash)(sys.Pointer(at &^ isHash))
	estimate, samples := rt.CounterOf(h, e.path+1), rt.CounterOf(h, e.path|runfile.SamplesOf+1)
	if estimate == nil || samples == nil {
		runfile.Lose()
		return
	}
	*estimate += weight
	*samples++
}

// finishSampling counts the last burst: the process is about to exit.
//
//go:norace
func finishSampling() {
	s, t := &sampling, &tick.Sampling
	if t.Record == nil || native.InChild() || !native.LastTurn() {
		return
	}
	switch {
	case native.On():
		native.Finish()
	case !s.resting:
		endBurst(tick.CPUTime())
	}
	native.ResolveSites() // and stay busy: there are no more bursts
	tellNothing()
}

// tellNothing tells the user of a program that ran for a while and had no sample: an empty profile could be a mistake of ours. If wrap runs the program, its summary has
// that.
//
//go:norace
func tellNothing() {
	t := &tick.Sampling
	const while = 1e9 // ns
	if cpu := t.Record.CPU; cpu >= while && t.Record.Taken == 0 && t.Record.CountedEnds == 0 && !runfile.Linked() {
		sys.Warn("goprofinstr: no path of an instrumented function ended in " + sys.Decimal(cpu/1e9) + " s of CPU time: the profile is empty\n")
	}
}
