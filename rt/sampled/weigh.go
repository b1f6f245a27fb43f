package sampled

import (
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// What the samples of a window stand for: sampler.Window knows what windows lose, and sampler.Backlog what was put off.

// length returns how long the window was, ns.
//
//go:norace
func (s *state) length() U { return s.closed - min(s.opened, s.closed) }

// weigh counts the samples of the window. They stand for all that ended in an interval. It returns what they stand for
// together, and whether they stand for something: the window may have been put off.
//
//go:norace
func (s *state) weigh(interval, length U) (total U, stands bool) {
	if length == 0 {
		return 0, false // the thread has ended
	}
	if s.timed() && !s.final && s.before.PutOff(s.ends, s.net(length, s.ends), interval) {
		record(s.ends, 0)
	} else {
		total, stands = s.count(length, interval), true
		s.before = sampler.Backlog{}
		record(s.ends, U(s.n))
	}
	if !s.timed() {
		length = interval
	}
	s.window.Seen(s.ends, length, s.timed() && trapTime() == 0)
	return total, stands
}

// count counts the samples of a window of some length. It returns what they stand for together.
//
//go:norace
func (s *state) count(length, interval U) (total U) {
	group := U(1)<<runfile.WindowLevel | density(s.ends, length)<<runfile.WindowDensity
	for i := range s.n {
		e := &s.samples[i]
		weight := U(0)
		if s.timed() {
			weight = s.before.Weight(e.ends, e.taken, s.net(length, e.ends), interval)
		} else {
			weight = s.before.Stretch(sampler.Weight(e.ends, e.taken, 1, 1), interval)
		}
		if level, ok := saw(&e.ended, e.ends/e.taken, 1); ok { // of one that is counted it says little what it has in a window
			addSample(&e.ended, group, level, weight)
			total += weight
		}
	}
	return total
}

// net returns how much time the program had in a window that saw so many path ends, ns. In a window of all threads nobody knows
// how much of the time traps have taken. For the last window no other one stands. So these are never left next to nothing.
//
//go:norace
func (s *state) net(length, ends U) U {
	net := s.window.Net(length, ends, probeCost(), trapTime())
	if !tick.OwnTicks || s.final {
		net = max(net, length/4)
	}
	return net
}

// density returns how many path ends there were in a nanosecond, as a logarithm.
//
//go:norace
func density(ends, length U) (log U) {
	for n := ends << 10 / max(length, 1); n > 0; n >>= 1 {
		log++
	}
	return log
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
