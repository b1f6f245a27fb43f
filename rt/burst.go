package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler"
)

// Sampling: PEP section 4.4. Package sampler makes the decisions.
//
// A tick begins a burst, in which probes note the paths that end there; at the next tick those that
// the policy takes for samples are counted. A short time after the tick, when the window is over, there is another signal, which ends the
// burst: the path ends so far tell how many there are per CPU time. In programs with few path ends the window is as long as the time to the
// next tick, and there is no other signal.
//
// All of this runs in signal handlers, on their stacks, but for what begins and ends it. Nothing here waits for
// anything, and the race detector sees none of it.

// period is the CPU time between ticks, if there is no reason for more. Linux has its timers of CPU time expire on ticks of its
// own, 250 times a second or so, which less would come near to. PEP has 20 ms.
const period = 10_000_000

// What is not measured of the cost of sampling, in ns: a signal's way to the handler and back, and a probe in a burst.
const (
	signalCost = 1500
	probeCost  = 3
)

var sampling struct {
	policy   sampler.Policy
	governor sampler.Governor
	window   sampler.Window
	record   *U // of the run file; nil if there is no sampling

	busy U // 1 while a thread changes what follows

	burst  sampler.Policy // what is sampled of this burst
	skip   U              // path ends before the first sample
	first  U              // entry of the logs for the first path end: they are full when no more are needed
	began  U              // CPU time of the tick
	opened U              // CPU time when the handler of the tick was left, which is when probes come to work
	closed U              // CPU time of the end of the window; 0 if it lasts to the next tick
	ends   [threads]U     // path ends in the window, if it is closed
	cost   U              // of this tick so far
}

// StartSampling starts sampling, if nothing has. Kind, samples and stride are those of
// a sampler.Policy; budget is the share of CPU time that sampling may take, in millionths. It returns 0.
//
//go:norace
func StartSampling(kind, samples, stride, budget U) U {
	s := &sampling
	if s.record != nil {
		return 0
	}
	record := newSampling()
	if record == nil {
		return 0
	}
	s.policy = sampler.Policy{Kind: sampler.Kind(kind), Samples: samples, Stride: stride}
	s.governor = sampler.Governor{Budget: float64(budget) / 1e6, Period: period}
	*Word(record, SmpKind), *Word(record, SmpSamples), *Word(record, SmpStride) = kind, samples, stride
	*Word(record, SmpBurst), *Word(record, SmpPeriod) = samples, period
	store64(Word(record, RecMagic), RecordMagic)
	s.record = record
	// As if there had been a tick: what a program does that ends before the first one is all in this burst.
	s.burst = sampler.Policy{Kind: sampler.Simplified, Samples: sampler.MaxReach, Stride: 1}
	s.began = cpuTime()
	s.opened = s.began
	Burst.On = 1
	startTicks()
	return 0
}

// tick is called at a tick. Overruns are ticks that have come to nothing, since they came too soon after others.
//
//go:norace
func tick(overruns U) {
	s := &sampling
	now, mine := cpuTime(), threadTime()
	add64(Word(s.record, SmpTicks), 1)
	add64(Word(s.record, SmpOverruns), overruns)
	if !cas64(&s.busy, 0, 1) {
		return // another thread is at it
	}
	interval := now - s.began
	countBurst(now)
	changed := s.governor.Spent(s.cost, interval, s.policy)
	beginBurst(now)
	if changed {
		*Word(s.record, SmpBurst), *Word(s.record, SmpPeriod) = s.burst.Samples, s.governor.Interval()
		setPeriod(s.governor.Interval())
	}
	if length := s.window.Length(s.burst, s.governor.Interval()); length > 0 {
		endWindow(length)
	}
	s.opened = cpuTime()
	s.cost = signalCost + threadTime() - mine
	store64(&s.busy, 0)
}

// windowOver is called when the window is over.
//
//go:norace
func windowOver() {
	s := &sampling
	now, mine := cpuTime(), threadTime()
	if s.record == nil || !cas64(&s.busy, 0, 1) {
		return
	}
	if s.closed == 0 {
		Burst.On = 0
		s.closed = now
		for i := range logs {
			s.ends[i] = logs[i].ends - s.first
		}
	}
	s.cost += signalCost + threadTime() - mine
	store64(&s.busy, 0)
}

// beginBurst has the probes note what ends from now on.
//
//go:norace
func beginBurst(now U) {
	s := &sampling
	s.burst = s.policy
	s.burst.Samples = s.governor.Burst(s.policy)
	s.skip = s.policy.Skip(*Word(s.record, SmpTicks))
	s.began, s.closed = now, 0
	s.first = sampler.MaxReach - min(sampler.MaxReach, s.burst.Index(s.burst.Samples-1, s.skip)+1)
	for i := range logs {
		if logs[i].ends != s.first { // a cache line that nobody uses is not touched
			logs[i].ends = s.first
		}
	}
	Burst.On = 1
}

// countBurst counts the samples of the burst, of which the interval ends now.
//
//go:norace
func countBurst(now U) {
	s := &sampling
	interval := now - s.began
	length := now - s.opened
	if s.closed != 0 {
		length = s.closed - s.opened
	}
	var ends, taken U
	for i := range logs {
		n := logs[i].ends - s.first
		if s.closed != 0 {
			n = s.ends[i]
		}
		if n == 0 {
			continue
		}
		policy, skip := s.burst, s.skip
		if s.closed == 0 && n <= policy.Index(policy.Samples-1, skip)+1 {
			policy, skip = sampler.Policy{Kind: sampler.Simplified, Samples: n, Stride: 1}, 0 // all there is
		}
		k := policy.Taken(min(n, sampler.MaxReach-s.first), skip)
		weight := sampler.Weight(n, k, length, interval)
		for j := range k {
			e := &logs[i].path[s.first+policy.Index(j, skip)]
			countSample(e[0], e[1], weight)
		}
		ends, taken = ends+n, taken+k
	}
	s.window.Seen(ends, length)
	s.cost += ends * probeCost
	*Word(s.record, SmpCPU) += interval
	*Word(s.record, SmpCost) += s.cost
	*Word(s.record, SmpEnds) += ends
	*Word(s.record, SmpTaken) += taken
}

// countSample adds a sample to what a probe has noted.
//
//go:norace
func countSample(at, path, weight U) {
	if at&isHash == 0 {
		if at != 0 { // by a thread that stopped in the middle of Sample
			p := (*U)(pointer(at))
			*p += weight
			*Word(p, 1)++
		}
		return
	}
	h := (*Hash)(pointer(at &^ isHash))
	estimate, samples := count(h, path+1), count(h, path^SamplesOf+1)
	if estimate == nil || samples == nil {
		lose()
		return
	}
	*estimate += weight
	*samples++
}

// pointer returns what a probe has noted the address of: a variable of a package, which stays where it is.
//
//go:norace
func pointer(at U) unsafe.Pointer {
	address := uintptr(at)
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// finishSampling counts the last burst: the process is about to exit.
//
//go:norace
func finishSampling() {
	s := &sampling
	Burst.On = 0
	if s.record == nil || !cas64(&s.busy, 0, 1) {
		return // a thread is at it, and its tick is over before anything that matters is executed
	}
	countBurst(cpuTime()) // and stay busy: there are no more bursts
}
