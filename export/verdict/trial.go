package verdict

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Options say when a trial is decided.
type Options struct {
	Confidence float64 // that a version said to be faster is, such as 0.99
	Margin     float64 // of the time: differences up to it are none
	Resolution float64 // differences of times up to it are none
	Least      float64 // what the clock tells of nothing, which is taken off
}

// Defaults returns what audit decides by unless it is told otherwise, with a clock that tells of nothing as least.
func Defaults(least float64) Options {
	// The dispatcher itself may differ in its branches by a few cycles.
	return Options{Confidence: 0.99, Margin: 0.005, Resolution: least / 10, Least: least}
}

const (
	// blockTimings is how many timings of each version a block has at least. Means of four of skewed timings are less skewed, and a function that is
	// called a few hundred times in all has enough blocks.
	blockTimings = 4
	// leastBlocks is how many blocks there must be: with fewer, the variance is too uncertain for a normal approximation.
	leastBlocks = 32
	// tunedFor is the number of blocks for which the confidence sequence is narrowest. It is within 10% of that from a fourth to eight times as many.
	tunedFor = 256
	// capWindow is how many recent timings the cap is taken from, and capFirst how many are waited for at first.
	capWindow, capFirst = 2048, 64
)

// capLevels are the quantiles above which timings may be outliers. At least nine in ten are not, so that calls of another kind count as what they are if they
// are no rarer than that.
var capLevels = []float64{0.90, 0.95, 0.99}

// A Trial is the timings of the versions of a function so far. Their unit does not matter.
type Trial struct {
	options  Options
	versions []*sample
	pairs    []*pair

	recent []float64 // timings of all versions: at first all, then a ring
	next   int       // place in the ring
	since  int       // timings since the cap was found
	cap    float64
	first  []timing // that wait for the first cap

	all, capped block
	blocks      int
}

type timing struct {
	version int
	time    float64
}

// A block is the sums of the timings of each version since the last block.
type block struct {
	sum []float64
	n   []int
}

// New returns a trial of so many versions.
func New(versions int, o Options) *Trial {
	t := &Trial{options: o, cap: math.Inf(1)}
	for range versions {
		t.versions = append(t.versions, newSample())
	}
	for i := range versions {
		for j := range i {
			t.pairs = append(t.pairs, &pair{a: j, b: i})
		}
	}
	slices.SortFunc(t.pairs, func(p, q *pair) int { return (p.a-q.a)*versions + p.b - q.b })
	t.all, t.capped = newBlock(versions), newBlock(versions)
	return t
}

func newBlock(versions int) block { return block{make([]float64, versions), make([]int, versions)} }

func (b *block) add(version int, time float64) {
	b.sum[version] += time
	b.n[version]++
}

// means returns the mean of each version, and empties the block.
func (b *block) means() []float64 {
	means := make([]float64, len(b.sum))
	for i := range means {
		means[i] = b.sum[i] / float64(b.n[i])
		b.sum[i], b.n[i] = 0, 0
	}
	return means
}

// Add adds a timing.
func (t *Trial) Add(version int, time float64) {
	t.versions[version].add(time, t.options.Least)
	t.note(time)
	if t.first == nil && !math.IsInf(t.cap, 1) {
		t.count(version, time)
		return
	}
	t.first = append(t.first, timing{version, time})
	if len(t.first) < capFirst {
		return
	}
	t.findCap()
	for _, f := range t.first {
		t.count(f.version, f.time)
	}
	t.first = nil
}

// note adds a timing to the recent ones.
func (t *Trial) note(time float64) {
	every := 2 * capWindow
	if len(t.recent) < capWindow {
		t.recent = append(t.recent, time)
		every = len(t.recent) / 2
	} else {
		t.recent[t.next] = time
		t.next = (t.next + 1) % capWindow
	}
	if t.since++; !math.IsInf(t.cap, 1) && t.since >= every {
		t.findCap()
	}
}

// findCap chooses, from all versions' timings together, the cap with which a share that all of them take longer stands out most: for which the sum of what is
// below it is largest in proportion to the deviation of what is left. On an idle machine that is the highest level, mostly; where one call in fifty is
// interrupted, it is the one below these.
func (t *Trial) findCap() {
	sorted := slices.Sorted(slices.Values(t.recent))
	most := -1.0
	capped := make([]float64, len(sorted))
	for _, level := range capLevels {
		cap := stat.Quantile(level, stat.Empirical, sorted, nil)
		below := 0.0
		for i, time := range sorted {
			capped[i] = min(time, cap)
			if time <= cap {
				below += time
			}
		}
		if ratio := below / (stat.StdDev(capped, nil) + cap*1e-6); ratio > most { // all may be equal
			most, t.cap = ratio, cap
		}
	}
	t.since = 0
}

// count adds a timing to its block.
func (t *Trial) count(version int, time float64) {
	capped := min(time, t.cap)
	t.versions[version].excess += time - capped
	t.all.add(version, time-t.options.Least)
	t.capped.add(version, capped-t.options.Least)
	if slices.Min(t.all.n) < blockTimings {
		return
	}
	all, cut := t.all.means(), t.capped.means()
	for _, p := range t.pairs {
		p.all.add(all[p.a], all[p.b])
		p.capped.add(cut[p.a], cut[p.b])
	}
	t.blocks++
}
