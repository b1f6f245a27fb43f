package stream

// A Source is a source of random numbers, SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014). Every state of it is as good a seed as any other.
type Source uint64

// Next returns 64 random bits.
//
//go:norace
func (s *Source) Next() uint64 {
	*s += 0x9e37_79b9_7f4a_7c15
	x := uint64(*s)
	x = (x ^ x>>30) * 0xbf58_476d_1ce4_e5b9
	x = (x ^ x>>27) * 0x94d0_49bb_1331_11eb
	return x ^ x>>31
}

// Below returns a number from 0 to n-1. For n of 32 bits each comes with the same probability but for one in 2³².
//
//go:norace
func (s *Source) Below(n uint32) uint32 { return uint32(s.Next() >> 32 * uint64(n) >> 32) }

// Random is R_r (STRAT 3.1): each event is selected with probability 1/r, whatever has happened before. Being memoryless it
// gains nothing from being split.
type Random struct {
	rate   uint32
	limit  uint64 // of random numbers: below it an event is selected
	source *Source
}

// NewRandom returns R_r. The source may be that of others, too.
func NewRandom(rate uint32, source *Source) *Random {
	return &Random{rate, ^uint64(0) / uint64(rate), source}
}

// Event takes the next event. The count of a message is r.
//
//go:norace
func (r *Random) Event(t Tuple) (Tuple, uint64) {
	if r.source.Next() > r.limit {
		return none()
	}
	return t, uint64(r.rate)
}

// Held returns that nothing is known.
func (r *Random) Held() (events int64, exact bool) { return 0, false }

// Countdown is the random sampler that STRAT contrasts with R_r (3.1, its references 2, 15 and 33). Intervals are drawn evenly
// from 1 to 2r-1 and counted down. (STRAT's interval "(1, 2r)" is taken to exclude 2r, since the mean has to be r.) It has a
// memory, so it gains from being split.
type Countdown struct {
	rate, left uint32
	source     *Source
}

// NewCountdown returns D_r. The source may be that of others, too.
func NewCountdown(rate uint32, source *Source) *Countdown {
	return &Countdown{rate, interval(rate, source), source}
}

//go:norace
func interval(rate uint32, source *Source) uint32 { return 1 + source.Below(2*rate-1) }

// Event takes the next event. The count of a message is r.
//
//go:norace
func (d *Countdown) Event(t Tuple) (Tuple, uint64) {
	d.left--
	if d.left != 0 {
		return none()
	}
	d.left = interval(d.rate, d.source)
	return t, uint64(d.rate)
}

// Held returns that nothing is known.
func (d *Countdown) Held() (events int64, exact bool) { return 0, false }
