package sampler

// copySignals is what the signals at the ends of a window of counting copies take of it, ns.
const copySignals = 6_000

// recordShare is what a record takes in a window, as a share of what it takes to decode one. Both depend alike on the machine, on
// what else it runs and on how much is in caches; only the latter can be measured.
const recordShare = 0.7

// leastRound is what the program takes from record to record by itself at least, ns: some eight instructions. Where records take
// nearly all of a window, what is left is a small difference of large numbers. It says nothing if it is less than roundError.
const (
	leastRound = 0.7
	roundError = 0.5
)

// An Allowance is how much there may be of something that is counted always. It is earned by CPU time that has passed, not by the
// time until the next tick: that is long where ticks were dear, and a process may end before. What there was not is left for
// some time. So a function that is seldom busy is rare all the same.
type Allowance struct {
	left int64 // less than 0 if there was too much
	tick int64 // how much is earned in the time between ticks, see mostBetween
}

// allowed is of how many ticks there may be all in one, and of how many too much is remembered.
const allowed = 8

// mostBetween is the most time that is taken for that between ticks, ns.
const mostBetween = 20_000_000

// Left returns how much there may be until the next tick. There may always be some: what has little is not to fall for what
// others had before they did.
//
//go:norace
func (a *Allowance) Left() uint64 { return uint64(max(a.left, a.tick/4)) }

// Spent tells that there was some.
//
//go:norace
func (a *Allowance) Spent(n uint64) {
	a.left = max(a.left-int64(min(n, 1<<32)), -allowed*a.tick)
}

// Advance has there be so much without being earned.
//
//go:norace
func (a *Allowance) Advance(n uint64) { a.left += int64(n) }

// Earn adds what was earned. In the time between ticks that is another number.
//
//go:norace
func (a *Allowance) Earn(n, tick uint64) {
	a.tick = int64(tick)
	a.left = max(a.left, min(a.left+int64(n), allowed*a.tick))
}

// Between returns the time between ticks, as far as an Allowance is concerned, ns.
//
//go:norace
func (g *Governor) Between() uint64 { return min(g.Interval(), mostBetween) }

// The parts of the budget that counting may take with copies. Windows see what is counted, too, and tell by it how large
// estimates are.
const (
	coldShare, coldWaiting = 0.2, 0.5 // of cold functions, in programs that work, and in those that wait
	entryShare             = 0.2      // of counters of entries
)

// ColdBound returns how many records cold functions may have in some CPU time, if one costs so many ns.
//
//go:norace
func (g *Governor) ColdBound(time uint64, each float64, waits bool) uint64 {
	share := coldShare
	if waits {
		share = coldWaiting
	}
	return uint64(g.Budget * share * float64(time) / each)
}

// EntryBound returns how many entries may be counted in some CPU time, if one costs so many ns.
//
//go:norace
func (g *Governor) EntryBound(time uint64, each float64) uint64 {
	return uint64(g.Budget * entryShare * float64(time) / each)
}

// A Decoding is how long it took to decode records of late.
type Decoding struct{ time, records float64 }

// Took tells that records were decoded in so many ns.
//
//go:norace
func (d *Decoding) Took(time, records uint64) {
	const memory = 31.0 / 32
	d.time, d.records = d.time*memory+float64(time), d.records*memory+float64(records)
}

// Each returns how long it takes to decode a record, in ns.
//
//go:norace
func (d *Decoding) Each() float64 {
	const least, most, unknown = 10, 200, 15
	if d.records == 0 {
		return unknown
	}
	return min(max(d.time/d.records, least), most)
}

// Net returns how much time the program had in a window of some length that saw some records, in ns. It goes by the records of
// this window alone: where paths end faster, records take a greater share.
//
//go:norace
func (d *Decoding) Net(length, records uint64) uint64 {
	const least, most, unknown = 4, 20, 8 // ns to decode a record
	each := float64(unknown)
	if d.records > 0 {
		each = min(max(d.time/d.records, least), most)
	}
	if records == 0 {
		return length - min(length, copySignals) + 1
	}
	more := (float64(length)-copySignals)/float64(records) - recordShare*each - leastRound
	more = (more + squareRoot(more*more+4*roundError*roundError)) / 2 // more than 0, and much as it was if it is large
	left := leastRound + more
	return uint64(max(min(left*float64(records), float64(length)), 1))
}

// squareRoot returns the square root of a number of 1 or more. Package math is not linked here.
//
//go:norace
func squareRoot(x float64) float64 {
	y := x
	for range 64 {
		if next := (y + x/y) / 2; next < y {
			y = next
		} else {
			break
		}
	}
	return y
}
