package sampler

// When and where in a burst something is looked at that is too dear to be done for all path ends. Everything here is a
// number for a tick, which is spread evenly over many ticks: multiples of the golden ratio and its like, modulo 2³².

// Factors that differ lest what they choose depends on each other.
const (
	laterFactor  = 0x9e37_79b9
	amongFactor  = 0xc2b2_ae35
	othersFactor = 0x85eb_ca6b
	spreadFactor = 0x27d4_eb2f
	stayFactor   = 0x1656_67b1
	longFactor   = 0x6a09_e667
)

// spread returns a number less than n, for a tick.
//
//go:norace
func spread(tick, factor, n uint64) uint64 { return (tick * factor & (1<<32 - 1)) * n >> 32 }

// Spread returns a number less than n, for a tick.
//
//go:norace
func Spread(tick, n uint64) uint64 { return spread(tick, spreadFactor, n) }

// Later returns some time in the first three quarters of the interval between ticks, in ns.
//
//go:norace
func Later(tick, interval uint64) uint64 { return spread(tick, laterFactor, interval/4*3) + 1 }

// Among returns after how many of the path ends of a window samples are taken, if these need so many. The path that ends right
// after a tick is more often one that took long than one of many that were short. Some way on it is any path.
//
//go:norace
func Among(tick, ends, need uint64) uint64 {
	if ends <= need {
		return 0
	}
	return spread(tick, amongFactor, ends-need)
}

// Others returns how many path ends are to be passed by before some are looked at with their context, most at most. The window
// saw ends of them in length ns. The path that ends at some moment is more often one that took long than one of many that were
// short. It is any path after many others: as many as there are in all that a burst can see.
//
//go:norace
func Others(tick, ends, length, interval, most uint64) uint64 {
	most = min(4*ends, most, ends*(interval/8)/length) // the last: before the next tick
	return spread(tick, othersFactor, most)
}
