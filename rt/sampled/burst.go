package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/native"
	"github.com/goprofinstr/goprofinstr/rt/replicate"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Sampling: PEP section 4.4. Package sampler makes the decisions.
//
// Functions are counted as long as their path ends are rare (counting.go), and sampled otherwise. A tick begins a burst. In it
// the probes of sampled functions note the paths that end there; those of counted functions do so all the time. The policy takes
// some of these path ends for samples. They are counted when the window is over: there is another signal for this, a short time
// after the tick. What is counted is what ended in the thread that had the tick, since this thread used the CPU time. Linux has
// a timer of the process's CPU time expire in a thread that is running. The path ends in the window and the CPU time that the
// thread had for them tell at what rate paths end. (Where it is not known whose the tick was, it is what ended in all threads,
// and the time is that of the clock.) Samples of counted functions tell how far off that is.
//
// Where few paths end, the window is as long as the time to the next tick. There is no other signal then, the path ends of
// all threads are in the logs, and each is a sample that stands for itself. Where no function is sampled there is no window.
//
// All of this runs in signal handlers, on their stacks, but for what begins and ends it. Nothing here waits for
// anything, and the race detector sees none of it.

// signalCost is what is not measured of the cost of sampling, besides probes, in ns: a signal's way to the handler
// and back.
const signalCost = 5000

var sampling state

type state struct {
	window sampler.Window

	now     U    // CPU time of the process at the last tick
	last    U    // that without the runtime's monitor, as far as a context has it
	first   U    // entry of the logs for the first path end of a window, so that they are full when no more are needed
	resting bool // there is no burst until the next tick
	open    bool // there is a window
	looked  bool // nothing is in the logs that has to be looked at

	// Of the last window:

	planned U              // after which time it ends, ns; 0 for the next tick
	signals bool           // a signal ends it
	early   bool           // one that was not taken back has come too early
	burst   sampler.Policy // what is sampled
	skip    U              // path ends before the first sample
	thread  U              // that had the tick
	clock   uintptr        // its CPU time
	opened  U              // that, when the handler of the tick was left: then probes come to work
	passed  bool           // the signal at the end of the window has come
	closed  U              // that, when the window ended; 0 if it has not yet, or nobody knows
	ends    U              // that it saw
	full    bool           // there were more path ends than a log has room for
	samples [mostKept]sample
	n       int // of these

	before sampler.Backlog // what the next window stands for besides
	final  bool            // there is no next one
}

// mostKept is how many samples are kept of a window, until it is known what they stand for.
const mostKept = 4096

// A sample is one of so many that stand for the path ends of a log.
type sample struct {
	ended
	ends, taken U
}

// Sampling says how paths are sampled.
type Sampling struct {
	Kind, Samples, Stride U // of a sampler.Policy

	Budget U // the share of CPU time that sampling may take, in millionths
	Period U // CPU time between ticks, in ns, if there is no reason for more
	Frames U // how many new frames of a calling context a sample may find; 0 if there are to be no contexts

	Marks bool // activations have a word for ticks to mark
}

// A program with copies starts before packages that are counted set their variables, which may call their functions. All of
// them import this package.
func init() {
	if how := copies.Settings(); how != nil {
		StartSampling((*Sampling)(how))
	}
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
	if !native.Start() || !copies.Start() {
		return 0
	}
	t.Governor.Whole = native.On() // it is to arm the sites that costs
	t.Governor.Strict = copies.On()
	startContexts(how.Frames, how.Marks && !copies.On()) // nothing in the code marks activations there
	native.StartTraps()
	// As if there had been a tick: what a program does that ends before the first one is all in this burst.
	s.now = t.Begin()
	s.last = tick.WorkTime(s.now)
	if !native.On() && !copies.On() {
		record.Counted = runfile.CountsRare
		replicate.Start()
		tick.StartUsage()
		counting.learned = s.now
	}
	tick.Start(how.Period)
	return 0
}

// ticked is called at a tick. Overruns are ticks that have come to nothing, since they came too soon after others. Idle says
// that the thread runs no goroutine, or one that sleeps. Such ticks do nothing. Threads that look for work, and the
// runtime's monitor, wake up when the kernel's clock ticks. That is when the kernel finds that a timer has expired, so these
// threads have far more ticks than CPU time. Idle ticks are not counted. InC says that the thread is in C code. At is what
// GoprofinstrStack takes.
//
//go:norace
func ticked(overruns, looked U, idle, inC bool, at unsafe.Pointer) {
	s, t := &sampling, &tick.Sampling
	mine := tick.ThreadTime()
	sys.Add64(&t.Record.Overruns, overruns)
	if idle {
		if looked > 0 && t.TryLock() {
			s.look(min(looked, s.worked(tick.CPUTime())), at)
			t.Cost += signalCost + tick.ThreadTime() - mine
			t.Unlock()
		}
		return
	}
	sys.Add64(&t.Record.Ticks, 1)
	if !t.TryLock() {
		return // or another thread is at it
	}
	// Not before there is the lock: another thread may have a tick meanwhile, which is later, and no time is less than 0.
	now := max(tick.CPUTime(), s.now)
	time := s.worked(now)
	contexts.Tick(at, time)
	s.now, s.last = now, s.last+time
	if native.On() || copies.On() {
		if native.On() {
			native.Tick(now, inC, at) // and looks at path ends are weighed
		} else {
			copies.Tick(now, inC, at)
		}
		contexts.MakeRoom()
		t.Cost += signalCost + tick.ThreadTime() - mine
		t.Unlock()
		return
	}
	tick.NoteUsage(now)
	endBurst(now)
	contexts.MakeRoom()
	beginBurst(inC)
	t.Cost += signalCost + tick.ThreadTime() - mine
	t.Unlock()
}

// worked returns how much CPU time has passed that no context has yet. Now is that of the process.
//
//go:norace
func (s *state) worked(now U) U {
	work := tick.WorkTime(now)
	return work - min(work, s.last)
}

// look gives CPU time to the context of a thread that looks for goroutines.
//
//go:norace
func (s *state) look(time U, at unsafe.Pointer) {
	contexts.Spend(at, time)
	s.last += time
}

// windowOver is called when the window is over, and again when there are to be path ends with their contexts. InC and at are
// as in ticked.
//
//go:norace
func windowOver(inC bool, at unsafe.Pointer) {
	s, t := &sampling, &tick.Sampling
	mine := tick.ThreadTime()
	if !t.TryLock() {
		copies.OverLater()
		return
	}
	switch {
	case native.On():
		native.WindowOver(inC, at)
	case copies.On():
		copies.WindowOver(inC, at)
	case s.timed() && !s.passed:
		if s.goesOn() {
			break
		}
		s.passed = true
		if s.open { // or a full log has ended it
			s.close()
		}
		if s.closed != 0 && !inC && contextsWanted() && t.OneIn(4) {
			// Not now: the thread may be in the middle of Sample, which would undo what is done to its log.
			tick.ComeBack(t.Later())
		}
	case contextsWanted():
		if !s.open && !s.looked {
			lookAll()
			s.looked = true
		}
		all := t.Record.Ticks%2 == 0
		if trapSome(all); all {
			armHot(true)
		}
	}
	t.Cost += signalCost + tick.ThreadTime() - mine
	t.Unlock()
}

// timed reports whether the window ends before the next tick.
//
//go:norace
func (s *state) timed() bool { return s.planned > 0 }

// goesOn reports whether the window goes on, though the signal at its end has come. Before Linux 6.13 a signal that waited
// while a path end was trapped is not taken back when the end is put off.
//
//go:norace
func (s *state) goesOn() bool {
	if !s.open || s.early || trapTime() == 0 {
		return false
	}
	passed := tick.ReadClock(s.clock) - s.opened
	if passed -= min(passed, trapTime()); passed >= s.planned/2 {
		return false
	}
	s.early = true
	tick.EndWindow(s.planned - passed)
	return true
}

// beginBurst has probes note what ends, if there are functions that are sampled. In C code the thread may be about to sleep, and
// no signal shall wake it. Then a full log ends the window, or the next tick.
//
//go:norace
func beginBurst(inC bool) {
	s, t := &sampling, &tick.Sampling
	s.burst = t.Policy
	s.burst.Samples = t.Governor.Burst(t.Policy)
	s.skip = t.Policy.Skip(t.Record.Ticks)
	s.thread, s.clock, s.closed, s.passed, s.looked, s.full = sys.Thread()%threads, tick.BurstClock(), 0, false, false, false
	s.first, s.planned, s.early, s.n, s.ends, s.open = 0, 0, false, 0, 0, counting.nHot > 0 && !s.resting
	if s.open {
		s.planned = s.window.Length(s.burst, t.Governor.Interval())
		measureProbes(t.Record.Windows)
		t.Record.Windows++
	}
	if s.signals = s.timed() && !inC; s.timed() {
		s.first = sampler.MaxReach - (s.burst.Index(s.burst.Samples-1, s.skip) + 1)
		if s.signals {
			tick.EndWindow(s.planned)
		}
	} else if !inC && contextsWanted() {
		tick.ComeBack(t.Later())
	}
	restart(s.first)
	trapFirst(s.thread)
	s.opened = tick.ReadClock(s.clock)
	if s.open {
		armHot(true) // right after the clock was read: this thread may stop at any moment, and others have not
	}
}

// restart has all logs count from n. A probe that has been interrupted in the middle may undo it: then entry n stays as it
// is made here.
//
//go:norace
func restart(n U) {
	dropTraps()
	for i := range slots() {
		if ends(i) != n { // a cache line that nobody uses is not touched
			entry(i, n).at = 0
			setEnds(i, n)
		}
	}
}

// endBurst ends the burst, counts its samples, and decides which functions are sampled.
//
//go:norace
func endBurst(now U) {
	s, t := &sampling, &tick.Sampling
	running := s.open
	if s.open {
		s.close()
	}
	armHot(false)
	rested := s.resting
	s.resting = false
	interval := now - t.Began
	total, length, stands := U(0), U(0), false
	if running || s.closed != 0 {
		length = s.length()
		if total, stands = s.weigh(interval, length); !stands {
			length = 0 // it says nothing
		}
	}
	if !s.looked {
		if ends := lookAll(); counting.nHot == 0 {
			total = ends * sampler.One
		}
	}
	countContexts(total)
	learn(now, length)
	if rested {
		return // and the next burst is for the time until now, too
	}
	// A probe may have been interrupted between reading how many path ends there are and writing one more. It will undo what
	// beginBurst does to the log. Where paths end all the time that is likely.
	s.resting = running && s.full && counting.nHot > 0
	t.Record.CPU += interval
	t.Govern(now)
	t.Began = now
}

// close ends the window, and keeps its samples.
//
//go:norace
func (s *state) close() {
	s.closed = tick.ReadClock(s.clock)
	s.open = false
	armHot(false)
	for i := range slots() {
		n := s.ofWindow(seen(i))
		if n == 0 || entry(i, s.first).at == 0 || s.timed() && tick.OwnTicks && i != s.thread {
			continue
		}
		s.keep(i, n)
	}
	restart(0)
	s.first = 0
}

// keep keeps the samples of a log that has had n path ends.
//
//go:norace
func (s *state) keep(log, n U) {
	taken, from, skip, policy := min(n, sampler.MaxReach), U(0), U(0), sampler.Policy{Samples: 1, Stride: 1}
	if s.timed() {
		taken, from, skip, policy = s.burst.Taken(n, s.skip), s.first+s.among(n), s.skip, s.burst
	}
	taken = min(taken, U(mostKept-s.n))
	for j := range taken {
		s.samples[s.n] = sample{*entry(log, (from+policy.Index(j, skip))%sampler.MaxReach), n, taken}
		s.n++
	}
	if s.timed() {
		s.window.Probed(s.length(), n, probeCost(), trapTime())
	}
	s.ends += n
	s.full = s.full || s.first+n > sampler.MaxReach
}

// ofWindow returns how many path ends of a log are of the window. There are none if a probe that the tick interrupted has undone
// where the window begins in the log.
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

// finishSampling counts the last burst: the process is about to exit.
//
//go:norace
func finishSampling() {
	t := &tick.Sampling
	if t.Record == nil || native.InChild() || !native.LastTurn() {
		return
	}
	switch {
	case native.On():
		native.Finish()
	case copies.On():
		copies.Finish()
	default:
		sampling.final = true
		endBurst(tick.CPUTime())
		finishCounting()
	}
	native.ResolveSites() // and stay busy: there are no more bursts
	tellNothing()
}

// tellNothing tells the user of a program that ran for a while and had no sample: an empty profile could be a mistake of
// ours. If wrap runs the program, its summary has that.
//
//go:norace
func tellNothing() {
	t := &tick.Sampling
	const while = 1e9 // ns
	if cpu := t.Record.CPU; cpu >= while && t.Record.Taken == 0 && t.Record.CountedEnds == 0 && !runfile.Linked() {
		sys.Warn("goprofinstr: no path of an instrumented function ended in " + sys.Decimal(cpu/1e9) + " s of CPU time: the profile is empty\n")
	}
}
