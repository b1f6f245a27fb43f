package sampler

// A CopySlowdown is how much of the time in windows of counting copies the program has, in the last ones.
type CopySlowdown struct{ net, length float64 }

// What windows of counting copies have less time for than they are long, ns: the signals at their ends, and each record, which takes
// less than by itself beside the program's work.
const (
	copySignals = 6_000
	copyRecord  = 2.5
)

// Net returns how much time the program had in a window of some length that saw some records, in ns. Windows have the share
// that the last ones had together: the mean of inverses would be too large.
//
//go:norace
func (s *CopySlowdown) Net(length, records uint64) uint64 {
	const memory, least = 31.0 / 32, 0.15
	net := float64(length) - copyRecord*float64(records) - copySignals
	s.net, s.length = s.net*memory+net, s.length*memory+float64(length)
	return uint64(max(s.net/s.length, least) * float64(length))
}
