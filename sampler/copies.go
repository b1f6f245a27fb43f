package sampler

// What windows of counting copies have less time for than they are long, ns: the signals at their ends, and each record. A record
// takes more where nothing is in a cache, and less beside other work of the program: the figure is a guess between.
const (
	copySignals = 6_000
	copyRecord  = 5
)

// leastOfCopy is the least share of a window that is the program's. Where records take nearly all of the time, what is left is a
// small difference of large numbers.
const leastOfCopy = 0.12

// NetOfCopies returns how much time the program had in a window of some length that saw some records, in ns. It goes by the
// window alone: where paths end faster, records take a greater share.
//
//go:norace
func NetOfCopies(length, records uint64) uint64 {
	net := float64(length) - copyRecord*float64(records) - copySignals
	return uint64(max(net, leastOfCopy*float64(length), 1))
}
