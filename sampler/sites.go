package sampler

// Which sites are counted and which are sampled.
//
// A site is where a path ends. What rarely ends costs nothing to count, so a site is counted at first: armed all the
// time, and every path end there is recorded. A site at which more paths end than the budget allows is sampled from
// then on: it is armed in windows only. It is counted again when windows have seen it so rarely that there is room for
// it. Sampled sites have levels, by how often paths end there, and windows have levels, too. Windows of level 1 arm
// the rarer sites, those of level 2 all. So windows often see how many path ends there are of one level for each of
// the level below. Nothing that is frequent slows windows of level 1. Arnold & Grove (CGO 2005) and PEP sample at one
// rate, whatever runs there. Hauswirth & Chilimbi (ASPLOS 2004) say that rates should be the inverse of frequencies.

// A Site is what is known of a site. The list of them is memory of the caller's.
type Site struct {
	Ends    uint32 // path ends since the last tick; in the last window only, if it is sampled
	Level   uint8  // 0: counted; others are sampled, in windows of their level and of higher ones
	Falls   uint8  // how often it went to a higher level
	Trapped bool   // the first path end there is looked at with its stack

	// What windows of its level have seen of it, of late:

	Seen uint32 // path ends
	Time uint32 // CPU time, in units of 1024 ns
}

// mostFalls is after how many falls it does not get harder any more to be counted again.
const mostFalls = 10

// Fall has the sites be sampled that counted more than the rest, until that is bound path ends or less. Touched are the
// sites with path ends, which were counted for length ns. Those that fall are moved to its front; their number is
// returned. Of sites that are alike some may stay, any of them. So where all sites of a program are alike some are
// counted, too, and tell how many path ends a window stands for.
//
//go:norace
func Fall(list []Site, touched []uint32, bound, length uint64) (fallen int) {
	var c census
	for _, site := range touched {
		c.add(uint64(list[site].Ends))
	}
	c.divide(bound)
	for i, site := range touched {
		s := &list[site]
		if s.Level > 0 || s.Ends <= fewest || c.below(site, uint64(s.Ends)) {
			continue
		}
		s.Seen, s.Time = s.Ends, uint32(min(length>>10+1, 1<<31))
		s.sink()
		touched[i], touched[fallen] = touched[fallen], site
		fallen++
	}
	return fallen
}

// fewest is how many path ends are no reason to fall.
const fewest = 4

// Settle begins a new tick.
//
//go:norace
func Settle(list []Site, touched []uint32) {
	for _, site := range touched {
		list[site].Ends = 0
	}
}
