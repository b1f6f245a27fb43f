package sampler

// A Governor keeps the cost of sampling within a budget: by smaller bursts, then by fewer ticks.
//
// What a burst and a tick cost is measured. It differs from program to program (counters that are in no cache,
// signals in a virtual machine), so there is no formula. The cost of the last ticks is averaged. Bursts or the
// rate of ticks are halved if the cost is more than the budget. They are doubled if there is room for the doubled
// cost.
type Governor struct {
	Budget float64 // share of CPU time
	Period uint64  // CPU time between ticks without regard to cost, ns
	Whole  bool    // bursts are not made smaller: what they cost does not depend on how many samples they have
	Strict bool    // a tick comes when those before are paid for, see repay; bursts are not made smaller

	shrunk uint // how often the burst was halved
	slowed uint // how often the rate was halved

	busy uint64 // processors that the program keeps busy, in units of 1/8; 0 stands for one

	ticks          uint64  // since the last change
	cost, interval uint64  // in these
	share          float64 // of CPU time that sampling took before these

	// If Strict:

	debt  float64 // what sampling has cost more than its budget so far, ns; less than 0 if it is less
	each  float64 // what a tick costs, of late, ns; 0 stands for firstTick
	steps uint64  // parts of Period between ticks
}

const (
	smallestBurst = 8  // fewer samples save next to nothing of what a tick costs
	slowest       = 10 // at 10 ms that is a tick in ten seconds
	settling      = 8  // ticks between changes: a mean of fewer is noise

	spare = 0.7  // share of the budget that bursts may take, and leave something to spare
	room  = 0.45 // share of the budget below which the cost may double
)

// If a governor is strict:
const (
	// firstTick is what a tick is taken to cost before there are any, ns. The first ones have page faults.
	firstTick = 250_000
	// partsOfPeriod is how many steps Period has, and mostSteps how many there may be from tick to tick.
	partsOfPeriod = 4
	mostSteps     = partsOfPeriod << slowest
	// savedTicks is of how many ticks what they have not cost may be spent later.
	savedTicks = 2
	// tickMemory is how many ticks the mean cost of one is of.
	tickMemory = 4
	// sparePeriods is how long the interval is at most while there may be more than bursts.
	sparePeriods = 4
)

// Spent tells what sampling has cost since the last call, and how much CPU time has passed; ns. It returns true if
// Burst or Interval has changed.
//
//go:norace
func (g *Governor) Spent(cost, interval uint64, p Policy) bool {
	if g.Strict {
		return g.repay(float64(cost), float64(interval))
	}
	g.ticks++
	g.cost += cost
	g.interval += interval
	if g.ticks < settling {
		return false
	}
	share := float64(g.cost) / float64(max(g.interval, 1))
	g.ticks, g.cost, g.interval, g.share = 0, 0, 0, share
	switch {
	case share > g.Budget && !g.Whole && g.Burst(p) > smallestBurst:
		g.shrunk++
	case share > g.Budget && g.slowed < slowest:
		g.slowed++
	case share < g.Budget*room && g.slowed > 0:
		g.slowed--
	case share < g.Budget*room && g.shrunk > 0:
		g.shrunk--
	default:
		return false
	}
	return true
}

// repay decides when the next tick comes: when the budget has paid for all that sampling has cost and for this tick, whose cost
// is not known yet. So a process that soon ends has sampling take no more than its budget, and one tick. A mean of the last
// ticks would take several to know. It returns true if Interval has changed.
//
//go:norace
func (g *Governor) repay(cost, interval float64) bool {
	if g.each == 0 {
		g.each = firstTick
	}
	g.each += (cost - g.each) / tickMemory
	g.debt = max(g.debt+cost-g.Budget*interval, -savedTicks*g.each)
	was := g.steps
	owed := max(g.debt+g.each, 0) * partsOfPeriod
	if most := g.Budget * float64(g.Period) * mostSteps; owed >= most {
		g.steps = mostSteps
	} else {
		g.steps = uint64(owed*mostSteps/most) + 1
	}
	return max(g.steps, partsOfPeriod) != max(was, partsOfPeriod)
}

// Owes reports whether the budget has not paid for what sampling has cost. That may be at the first tick: others come when it has.
//
//go:norace
func (g *Governor) Owes() bool { return g.Strict && g.debt > 0 }

// Spare reports whether so much of the budget is left that there may be more than bursts.
//
//go:norace
func (g *Governor) Spare() bool {
	if g.Strict {
		return g.steps <= sparePeriods*partsOfPeriod
	}
	return g.share < g.Budget*spare
}

// Burst returns how many samples of p's to take after the next ticks.
//
//go:norace
func (g *Governor) Burst(p Policy) uint64 {
	return max(p.Samples>>g.shrunk, min(p.Samples, smallestBurst))
}

// Interval returns the CPU time between the next ticks, in ns. There are no more ticks in a second if many processors are
// busy than if one is.
//
//go:norace
func (g *Governor) Interval() uint64 {
	shortest := g.Period * max(g.busy, 8) / 8
	if g.Strict {
		return max(g.Period*g.steps/partsOfPeriod, shortest)
	}
	return shortest << g.slowed
}

// Pace tells how much CPU time and how much time by the clock have passed since the last call, some ticks ago; ns. It
// returns true if Interval has changed.
//
//go:norace
func (g *Governor) Pace(cpu, clock uint64) bool {
	now := (cpu*8 + clock/2) / max(clock, 1)
	was := max(g.busy, 8)
	if now = max(now, 8); now >= was*7/8 && now <= was*9/8 {
		return false
	}
	g.busy = now
	return true
}

// countingShare is the part of the budget that counting may take. Where the program waits most of the time,
// waitingShare is. With waitingShare a handler that is called 2,000 times a second is counted in a service that uses
// a tenth of a processor.
const countingShare, waitingShare = 0.1, 0.5

// CountingBound returns how many path ends may be counted from one tick to the next, if one costs so many ns.
//
//go:norace
func (g *Governor) CountingBound(cost float64, waits bool) uint64 {
	share := countingShare
	if waits {
		share = waitingShare
	}
	return uint64(g.Budget * share * float64(g.Interval()) / cost)
}
