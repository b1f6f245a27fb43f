package sampler

// A Window chooses for how long after a tick path ends are counted. The longer it is, the more samples and the better
// the estimate of how many path ends there are, and the more work probes have. It depends on earlier ticks only. If it
// were held open until enough has been seen, it would end just when a pause ends. The pauses of a program (garbage
// collection, waiting) would count for too much.
type Window struct {
	ends, length float64 // of earlier windows, the last ones with more weight
	short, long  mean    // of those of the lengths Shortest and Long
	chosen       uint64  // how many windows have had their length chosen
	last         uint64  // the length of the last one

	leftBySure, leftByAll float64 // of the last windows, if probes took what they do for sure, or all that they take
}

// Where paths end so often that any window sees enough of them, windows have these lengths, in ns. One in longOnes is Long, not
// in step with anything that the program does.
const (
	Shortest = 60_000
	Long     = 180_000
	longOnes = 8
)

// A mean is of some windows, the last ones with more weight.
type mean struct{ n, ends, length float64 }

// add adds a window.
//
//go:norace
func (m *mean) add(ends, length uint64) {
	m.n++
	m.ends += float64(ends)
	m.length += float64(length)
}

// fade has all windows count for less.
//
//go:norace
func (m *mean) fade() {
	const memory = 1023.0 / 1024
	m.n, m.ends, m.length = m.n*memory, m.ends*memory, m.length*memory
}

// What signals are taken to take before windows tell, in ns, and how many long windows that is worth.
const (
	priorSignals = 12_000
	priorWeight  = 8
)

// Signals returns what the two signals of a window take of it, in ns: as much as the program would have to be without for
// long windows to see as many path ends more as they do. It differs by more than two from machine to machine, and
// is more where other programs run. Then most of it is that caches have to be filled again.
//
//go:norace
func (w *Window) Signals() float64 {
	short, long := &w.short, &w.long
	if short.n < 1 || long.n < 1 {
		return priorSignals
	}
	length, ends := short.length/short.n, short.ends/short.n
	more := long.ends/long.n - ends
	if more <= 0 {
		return priorSignals
	}
	signals := length - ends*(long.length/long.n-length)/more
	signals = min(max(signals, 0), length)
	return (signals*long.n + priorSignals*priorWeight) / (long.n + priorWeight)
}

// surePart is the part of what a probe takes that it takes wherever it is. The rest is more where paths are longer and caches
// are less at hand.
const surePart = 0.4

// left returns how much of a window is left for the program, in ns, if each path end takes each ns and something else takes
// other ns.
//
//go:norace
func (w *Window) left(length, ends uint64, each float64, other uint64) float64 {
	const least = 0.25 // what probes leave the program at least
	net := max(float64(length)-w.Signals()-float64(other), 0)
	return max(net-each*float64(ends), net*least)
}

// Probed tells that a window of some length saw some path ends. Each probe took probe ns on average, and what else is known to
// have taken time took other ns.
//
//go:norace
func (w *Window) Probed(length, ends uint64, probe float64, other uint64) {
	const memory = 31.0 / 32
	w.leftBySure = w.leftBySure*memory + w.left(length, ends, probe*surePart, other)
	w.leftByAll = w.leftByAll*memory + w.left(length, ends, probe, other)
}

// Net returns how much time the program had in a window, in ns; what it takes is as in Probed. What a probe takes for sure is
// taken off each window for itself, and the rest off all alike: it is about as much of the time where paths end fast as
// elsewhere. Otherwise what ends fastest would seem to end faster still.
//
//go:norace
func (w *Window) Net(length, ends uint64, probe float64, other uint64) uint64 {
	net := w.left(length, ends, probe*surePart, other)
	if w.leftBySure > 0 {
		net *= w.leftByAll / w.leftBySure
	}
	return uint64(net)
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

// Seen tells what the last window saw, in length ns. Plain says that nothing but its two signals took time of it.
//
//go:norace
func (w *Window) Seen(ends, length uint64, plain bool) {
	const memory = 7.0 / 8
	w.ends = w.ends*memory + float64(ends)
	w.length = w.length*memory + float64(length)
	if !plain || length < w.last*3/4 || length > w.last*3/2 {
		return // or the thread has not run, or the signal was late
	}
	of := &w.short
	switch w.last {
	case Shortest:
	case Long:
		of = &w.long
	default:
		return
	}
	// Both at a time: if one had older windows than the other, signals would be what the program does otherwise by now.
	w.short.fade()
	w.long.fade()
	of.add(ends, length)
}

// Length returns how long the next window is to be, in ns; 0 for up to the next tick, which is in interval ns.
//
//go:norace
func (w *Window) Length(p Policy, interval uint64) uint64 {
	w.last = 0
	want := float64(plenty * p.Reach())
	if w.ends*float64(interval) <= 2*want*w.length { // it would be half the interval or more
		return 0
	}
	w.last = max(uint64(want*w.length/w.ends), Shortest)
	if w.chosen++; w.last == Shortest && spread(w.chosen, longFactor, longOnes) == 0 {
		w.last = Long
	}
	return w.last
}
