package sampler

// copySignals is what the signals at the ends of a window of counting copies take of it, ns.
const copySignals = 6_000

// recordShare is what a record takes in a window, as a share of what it takes to decode one. Both depend alike on the machine, on
// what else it runs and on how much is in caches; only the latter can be measured.
const recordShare = 0.55

// leastRound is what the program takes from record to record by itself at least, ns: some eight instructions. Where records take
// nearly all of a window, what is left is a small difference of large numbers. It says nothing if it is less than roundError.
const (
	leastRound = 0.7
	roundError = 0.5
)

// A Decoding is how long it took to decode records of late.
type Decoding struct{ time, records float64 }

// Took tells that records were decoded in so many ns.
//
//go:norace
func (d *Decoding) Took(time, records uint64) {
	const memory = 31.0 / 32
	d.time, d.records = d.time*memory+float64(time), d.records*memory+float64(records)
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
