package sampler

// Which sites are counted and which are sampled.
//
// A site is where a path ends. What rarely ends costs nothing to count, so a site is counted at first: armed all the
// time, and every path end there is recorded. A site at which more paths end than the budget allows is sampled from
// then on: it is armed in windows only. It is counted again when no window has seen it for long. Sampled sites have
// levels, by how often paths end there, and windows have, too: one of level 2 arms the sites of levels 1 and 2. So a
// window never sees sites of which some have a thousand times as many path ends as others, and how many of one level
// there are for each of the level below is seen often. Arnold & Grove (CGO 2005) and PEP sample at one rate, whatever
// runs there; that rates should be the inverse of frequencies is from Hauswirth & Chilimbi (ASPLOS 2004).

// A Site is what is known of a site. The list of them is memory of the caller's.
type Site struct {
	Ends     uint32 // path ends since the last tick; in windows only, if it is sampled
	InWindow uint16 // (the caller's own)
	Unseen   uint16 // windows in a row without a path end there, if it is sampled
	Level    uint8  // 0: counted; others are sampled, in windows of their level and of higher ones
	Falls    uint8  // how often it became sampled

	Trapped bool // the first path end there is looked at with its stack
}

const (
	// patience is after how many windows that have not seen it a site is counted again, the first time. In windows of
	// 60 µs these are 4 ms in which it was armed: a path ends there less than 800 times a second, at 95%.
	patience = 64
	// mostFalls is after how often patience does not double any more.
	mostFalls = 8
)

// Fall has the sites be sampled that counted more than the rest, until that is bound path ends or less. Touched are the
// sites with path ends. Those that fall are moved to its front; their number is returned. Sites that have as many path
// ends fall together: the limit is a power of two.
//
//go:norace
func Fall(list []Site, touched []uint32, bound uint64) (fallen int) {
	var below [33]uint64 // path ends of sites that have less than 1<<i
	for _, site := range touched {
		below[bitsOf(list[site].Ends)] += uint64(list[site].Ends)
	}
	limit := 0
	for sum := uint64(0); limit < len(below)-1 && sum+below[limit] <= bound; limit++ {
		sum += below[limit]
	}
	for i, site := range touched {
		s := &list[site]
		if s.Level > 0 || bitsOf(s.Ends) < limit || s.Ends <= fewest {
			continue
		}
		s.Level, s.Unseen, s.Falls = 1, 0, min(s.Falls+1, mostFalls)
		touched[i], touched[fallen] = touched[fallen], site
		fallen++
	}
	return fallen
}

// fewest is how many path ends are no reason to fall.
const fewest = 4

// bitsOf returns how many bits a number has.
//
//go:norace
func bitsOf(n uint32) int {
	bits := 0
	for ; n != 0; n >>= 1 {
		bits++
	}
	return bits
}

// Settle begins a new tick.
//
//go:norace
func Settle(list []Site, touched []uint32) {
	for _, site := range touched {
		list[site].Ends = 0
	}
}

// Highest is the highest level.
const Highest = 3

// upTo is how many path ends in 10 ms a site of a level has at most. The sites of level 0 share a bound.
var upTo = [Highest + 1]uint64{1: 30_000, 2: 600_000, 3: 1<<64 - 1}

// Sink has a site go to the next level, if a window of its own level has seen so many path ends there that it should be
// there.
//
//go:norace
func (s *Site) Sink(level uint8, length uint64) {
	const unit = 10_000_000 // ns
	if s.Level == level && uint64(s.Ends)*unit > upTo[level]*max(length, 1) {
		s.Level++
	}
}

// WindowLength returns how long windows of a level are, ns.
//
//go:norace
func WindowLength(level uint8) uint64 {
	switch level {
	case 1:
		return 300_000
	case 2:
		return 100_000
	}
	return Shortest
}

// Rise has a sampled site grow older by a window, which has seen it or not, and reports whether it is counted from now
// on.
//
//go:norace
func (s *Site) Rise(seen bool) bool {
	if seen {
		s.Unseen = 0
		return false
	}
	s.Unseen++
	if s.Unseen < patience<<(s.Falls-1) {
		return false
	}
	s.Level = 0
	return true
}
