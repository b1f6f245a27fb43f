package sampler

// A Window chooses for how long after a tick path ends are counted. The longer it is, the more samples and the better
// the estimate of how many path ends there are, and the more work probes have. It depends on earlier ticks only. If it
// were held open until enough has been seen, it would end just when a pause ends. The pauses of a program (garbage
// collection, waiting) would count for too much.
type Window struct {
	ends, length float64 // of earlier windows, the last ones with more weight
}

// Shortest is the shortest window, in ns. It is long against what its two signals cost the thread. That is some 15 µs
// in a virtual machine, with windows of 15 to 480 µs in turn.
const Shortest = 60_000

// What a window has less time for than it is long, in ns: signals, and the work of probes. Probes take less than by
// themselves, since their work goes on beside the program's. The figures are from the same windows. The program
// comes to a path end every 1.0 ns, and in windows to one every 1.6 ns.
const (
	signals = 12_000
	Probe   = 0.6
)

// Net returns how much time the program had in a window of some length that saw some path ends, in ns. Each probe
// takes probe ns. The time is never less than a quarter of the length.
//
//go:norace
func Net(length, ends uint64, probe float64) uint64 {
	net := float64(length) - signals - probe*float64(ends)
	return max(uint64(max(net, 0)), length/4)
}

// A Slowdown is how much of the time in windows of native probes the program has, in the last ones.
type Slowdown struct{ net, length float64 }

// Net is the function of this name for a window of native probes. A full log or a signal has closed the window, which
// saw so many different paths. What a probe takes in it is not what it takes by itself: what is in no cache is fetched
// once for each path. The figures are those with which seven programs come out best, on an idle machine and beside four
// busy loops. The programs have 1.3 to 13 ns from path end to path end, and 27 to 310 paths in a window. What is
// counted and what windows of lower levels see tell the rest. Where little is left it is a small difference of large
// numbers, so it is drawn to what is usual. Where little is left, the mean of inverses would be too large, too. So the
// window has the share of its time that the last ones had together.
//
//go:norace
func (s *Slowdown) Net(length, ends, paths uint64, full bool) uint64 {
	const bySignal, byLog, probe, path = 12_000, 2_000, 3, 100
	const memory, least, usual = 31.0 / 32, 0.2, 0.36
	net := float64(length) - probe*float64(ends) - path*float64(paths) - bySignal
	if full {
		net += bySignal - byLog
	}
	s.net, s.length = s.net*memory+net, s.length*memory+float64(length)
	share := max(s.net/s.length, least)
	if share < usual {
		share = root(share * usual)
	}
	return uint64(share * float64(length))
}

// root returns the square root of a number of some hundredths. Package math is not linked here.
//
//go:norace
func root(x float64) float64 {
	y := 0.2
	for range 4 {
		y = (y + x/y) / 2
	}
	return y
}

// plenty is how many times the path ends that a policy needs a window should see in the mean, so that few windows see
// less.
const plenty = 4

// Seen tells what the last window saw, in length ns.
//
//go:norace
func (w *Window) Seen(ends, length uint64) {
	const memory = 7.0 / 8
	w.ends = w.ends*memory + float64(ends)
	w.length = w.length*memory + float64(length)
}

// Time returns how long a window is in which so many path ends are to be expected, in ns.
//
//go:norace
func (w *Window) Time(ends uint64) uint64 {
	if w.ends == 0 {
		return 0
	}
	return uint64(float64(ends) * w.length / w.ends)
}

// Length returns how long the next window is to be, in ns; 0 for up to the next tick, which is in interval ns.
//
//go:norace
func (w *Window) Length(p Policy, interval uint64) uint64 {
	want := float64(plenty * p.Reach())
	if w.ends*float64(interval) <= 2*want*w.length { // it would be half the interval or more
		return 0
	}
	return max(uint64(want*w.length/w.ends), Shortest)
}
