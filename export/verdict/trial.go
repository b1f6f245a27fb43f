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

const (
	// blockTimings is how many timings of each version a block has at least. Means of four of skewed timings are less skewed, and a function that is
	// called a few hundred times in all has enough blocks.
	blockTimings = 4
	// leastBlocks is how many blocks there must be: with fewer, the variance is too uncertain for a normal approximation.
	leastBlocks = 32
	// tunedFor is the number of blocks for which the confidence sequence is narrowest. It is within 10% of that from a fourth to eight times as many.
	tunedFor = 256
	// capLevel is the quantile above which timings are outliers.
	capLevel = 0.99
	// capWindow is how many recent timings it is taken from, and capFirst how many are waited for at first.
	capWindow, capFirst = 2048, 64
)

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
	if len(t.recent) < capWindow {
		t.recent = append(t.recent, time)
	} else {
		t.recent[t.next] = time
		t.next = (t.next + 1) % capWindow
	}
	t.since++
	if !math.IsInf(t.cap, 1) && t.since >= len(t.recent)/2 {
		t.findCap()
	}
}

func (t *Trial) findCap() {
	t.cap = stat.Quantile(capLevel, stat.Empirical, slices.Sorted(slices.Values(t.recent)), nil)
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
