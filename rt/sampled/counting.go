package sampled

import (
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/replicate"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Which functions are counted, which sampled: package sampler decides it (sampler.Site), from what logs say. Logs may be off a
// little. Functions that are counted are counted by the probes themselves, with atomic additions; logs have nothing to do with
// it.

// counting is what is known of the functions of the program, by number.
var counting struct {
	states   [mostFunctions]sampler.Site
	switches [mostFunctions]uintptr // addresses of their Switches
	words    [mostFunctions]uintptr // and of their words in the run file
	touched  [mostFunctions]uint32  // those with path ends since the last tick
	hot      [mostFunctions]uint32  // those that are sampled
	looks    [mostFunctions]uint8   // at path ends in the log that is looked at
	nTouch   int
	nHot     int
	ends     U // path ends counted since the last tick
	learned  U // CPU time of the process when it was decided last
}

// countingCost is what a counted path end takes, in ns: an atomic addition, and the log.
const countingCost = 12

// switchOf returns the Switch of a function.
//
//go:norace
func switchOf(number uint32) *Switch { return (*Switch)(sys.Pointer(counting.switches[number])) }

// armHot has the probes of sampled functions note path ends, or not.
//
//go:norace
func armHot(on bool) {
	for _, number := range counting.hot[:counting.nHot] {
		switchOf(number).On = on
	}
}

// saw takes notice of path ends, of so many if their function is sampled or counted, and returns its level: 0 if it is counted.
//
//go:norace
func saw(e *ended, ifSampled, ifCounted U) (level U, ok bool) {
	c, number := &counting, functionOf(e)
	if number == noFunction { // by a thread that stopped in the middle of Sample
		return 0, false
	}
	s, times := &c.states[number], ifSampled
	if s.Level == 0 {
		times = ifCounted
		if s.Ends == 0 {
			c.touched[c.nTouch] = uint32(number)
			c.nTouch++
		}
		c.ends += times
	}
	s.Ends = uint32(min(U(s.Ends)+max(times, 1), 1<<32-1))
	return U(min(s.Level, 1)), true
}

// isCounted reports whether the function of a path end is counted.
//
//go:norace
func isCounted(e *ended) bool {
	number := functionOf(e)
	return number != noFunction && counting.states[number].Level == 0
}

const (
	// mostLooked is how many path ends of a log are looked at to find out of which functions all are.
	mostLooked = 128
	// fewLooks is how many of a function are too few to say that there are more: it would be sampled for one path end.
	fewLooks = 4
)

// look takes notice of what is in a log that no window looked at.
//
//go:norace
func look(log U) (ends U) {
	c := &counting
	ends = seen(log)
	if entry(log, 0).at == 0 {
		return 0 // see restart
	}
	there := min(ends, sampler.MaxReach)
	n := min(there, mostLooked)
	for i := range n {
		if number := functionOf(entry(log, i*there/n)); number != noFunction {
			c.looks[number]++
		}
	}
	for i := range n {
		e, times := entry(log, i*there/n), U(1)
		if number := functionOf(e); number != noFunction && c.looks[number] >= fewLooks {
			times = ends / n
		}
		saw(e, times, times)
	}
	for i := range n {
		if number := functionOf(entry(log, i*there/n)); number != noFunction {
			c.looks[number] = 0
		}
	}
	return ends
}

// lookAll does that with all logs, and has them begin anew.
//
//go:norace
func lookAll() (ends U) {
	for i := range slots() {
		if seen(i) > 0 {
			ends += look(i)
		}
	}
	restart(0)
	return ends
}

// learn decides which functions are counted and which sampled. The last window took length ns.
//
//go:norace
func learn(now, length U) {
	const unit = 10_000_000 // ns
	c := &counting
	interval := now - min(c.learned, now)
	c.learned = now
	for _, number := range c.hot[:c.nHot] {
		s := &c.states[number]
		if length > 0 {
			s.Saw(s.Level, length)
		}
		s.Ends = 0
	}
	bound := tick.Sampling.Governor.CountingBound(countingCost, tick.Waits())
	room := (bound - min(c.ends, bound)) * unit / max(interval, unit)
	fall(bound, interval)
	sampler.Plan(c.states[:program.functions], c.hot[:c.nHot], room)
	rise()
}

// fall has what is counted too often be sampled.
//
//go:norace
func fall(bound, length U) {
	c := &counting
	states, touched := c.states[:program.functions], c.touched[:c.nTouch]
	n := 0
	if c.ends > bound {
		n = sampler.Fall(states, touched, bound, length)
	}
	for _, number := range touched[:n] {
		*(*U)(sys.Pointer(c.words[number])) |= runfile.SiteSampled // first: the process may be killed in between
		*switchOf(number) = Switch{}
		c.hot[c.nHot] = number
		c.nHot++
	}
	sampler.Settle(states, touched)
	c.nTouch, c.ends = 0, 0
}

// rise has functions be counted again that have come to level 0.
//
//go:norace
func rise() {
	c := &counting
	kept := 0
	for _, number := range c.hot[:c.nHot] {
		if c.states[number].Level == 0 {
			*switchOf(number) = Switch{On: true, counted: true}
			continue
		}
		c.hot[kept] = number
		kept++
	}
	c.nHot = kept
}

// addSample adds a sample to what the samples of windows stand for.
//
//go:norace
func addSample(e *ended, group, level, weight U) {
	path := U(0)
	if e.at&isHash != 0 {
		path = e.path
	}
	replicate.Add(U(e.at), path, group|level<<runfile.WindowOf, tick.Sampling.Record.Windows, 1, weight)
}

// finishCounting tells how many path ends were counted: the process is about to exit.
//
//go:norace
func finishCounting() {
	record, w := tick.Sampling.Record, &program
	for _, at := range w.counters[:w.n] {
		f := functionsAt(at)
		for i := range f.N {
			fn := f.function(i)
			if fn.Paths == 0 {
				record.CountedEnds += rt.Sum(f.hash(fn))
			}
			for j := range fn.Paths {
				record.CountedEnds += *Pair(f.Counters, fn.First+j)
			}
		}
	}
	record.Counted = runfile.CountedAll
}
