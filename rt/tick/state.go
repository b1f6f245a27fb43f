package tick

import (
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// ProbeCost is what a probe in a burst counts in the budget, in ns. What probes take of a window is measured by package sampled.
const ProbeCost = 1

// richBudget is the share of CPU time from which on path ends have contexts after every tick. Contexts may take half a percent.
// With less, bursts would be made smaller for them, and counts would be less accurate.
const richBudget = 0.02

// Sampling is what there is of sampling in the process.
var Sampling State

// A State is what all ways of sampling share.
type State struct {
	busy U // 1 while a thread is in here; first, so that it is aligned on 32-bit systems

	Policy   sampler.Policy
	Governor sampler.Governor
	Record   *runfile.SamplingRecord // nil if there is no sampling

	Began U // CPU time of the process at the tick that the burst is for
	Cost  U // of this tick so far, CPU time

	settled U                      // CPU time of the process when the governor was last told of the cost
	paced   struct{ cpu, clock U } // when it was last told of the clock
}

// TryLock has no other thread sample until Unlock. It reports false if one is at it.
//
//go:norace
func (s *State) TryLock() bool { return sys.CAS64(&s.busy, 0, 1) }

// Unlock ends that.
//
//go:norace
func (s *State) Unlock() { sys.Store64(&s.busy, 0) }

// Begin begins as if there had been a tick, and returns the CPU time of the process.
//
//go:norace
func (s *State) Begin() U {
	s.Began = CPUTime()
	s.settled = s.Began
	return s.Began
}

// OneIn tells for one in n ticks that there may be something dear, for fewer if bursts nearly use the budget up, and for all if
// it is large.
//
//go:norace
func (s *State) OneIn(n U) bool {
	if !s.Governor.Spare() {
		n *= 8
	}
	return s.Governor.Budget >= richBudget || s.Record.Ticks%n == 1
}

// Later returns some time in the first three quarters of the interval between ticks, ns.
//
//go:norace
func (s *State) Later() U {
	return sampler.Later(s.Record.Ticks, s.Governor.Interval())
}

// paced is how many ticks pass from one look at the clock to the next.
const paced = 16

// Govern has the governor know what sampling has cost since it was called last.
//
//go:norace
func (s *State) Govern(now U) {
	// The first burst is larger than others, and no reason to make these smaller. A strict governor has later ones pay for it.
	changed := (s.Record.Ticks > 1 || s.Governor.Strict) && s.Governor.Spent(s.Cost, now-s.settled, s.Policy)
	if s.Record.Ticks%paced == 1 {
		clock := WallTime()
		if s.paced.clock > 0 && s.Governor.Pace(now-s.paced.cpu, clock-s.paced.clock) {
			changed = true
		}
		s.paced.cpu, s.paced.clock = now, clock
	}
	if changed {
		s.Record.Burst, s.Record.Period = s.Governor.Burst(s.Policy), s.Governor.Interval()
		setPeriod(s.Governor.Interval())
	}
	s.Record.Cost += s.Cost
	s.Cost, s.settled = 0, now
}
