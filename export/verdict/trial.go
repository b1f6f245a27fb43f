package verdict

import "slices"

// Options say when a trial is decided.
type Options struct {
	Confidence float64 // that a version said to be faster is, such as 0.99
	Margin     float64 // of the time: differences up to it are none
	Resolution float64 // differences of times up to it are none
	Least      float64 // what the clock tells of nothing, which is taken off
	Shortest   float64 // what is left must take on average to be worth timing
	Copies     int     // of each version, at several places in memory; up to 1: there are none
}

// Defaults returns what audit decides by unless it is told otherwise, with a clock that tells of nothing as least.
func Defaults(least float64) Options {
	return Options{
		Confidence: 0.99,
		Margin:     0.005,
		Resolution: least / 10, // the dispatcher itself may differ in its branches by a few cycles
		Least:      least,
		Shortest:   100, // ticks: then the perturb score of AUDIT 6.1 is 1, if all calls take the same
	}
}

const (
	// batchTimings is how many timings of each version a batch has at least. Means of four of skewed timings are less
	// skewed, and a function that is called a few hundred times in all has enough batches.
	batchTimings = 4
	// leastBatches is how many batches there must be: with fewer, the variance is too uncertain for a normal approximation.
	leastBatches = 32
	// tunedFor is the number of batches for which the confidence sequence is narrowest. It is within 10% of that from a
	// fourth to eight times as many.
	tunedFor = 256
	// capFirst is how many timings the first cap is taken from. It is found again whenever there are twice as many, up to
	// capHistory, and all of them are counted anew. Otherwise a burst of interruptions at the beginning, as of a program that
	// starts, would spoil the variance for good.
	capFirst, capHistory = 64, 4096
)

// capLevels are the quantiles above which timings may be outliers. With 0.90 among them, 0.90 was chosen for a function whose
// calls with a large input are one in ten. These calls take most of its time. Calls of another kind count as what they are if
// they are no rarer than one in twenty.
var capLevels = []float64{0.95, 0.99}

// A Trial is the timings of the versions of a function so far. Their unit does not matter.
type Trial struct {
	options  Options
	versions []*sample
	pairs    []*pair

	recent []timing // at first all, then a ring
	n      int      // timings
	cap    float64  // 0 before there is one

	all, capped batch
	batches     int
	copies      copies
}

type timing struct {
	version int
	copy    int
	time    float64
	first   bool // of laps: it is the first of its activation
}

// A batch is the sums of the timings of each version since the last batch.
type batch struct {
	sum, mean []float64
	n         []int
}

// New returns a trial of so many versions.
func New(versions int, o Options) *Trial {
	t := &Trial{options: o}
	for range versions {
		t.versions = append(t.versions, newSample())
	}
	for i := range versions {
		for j := range i {
			t.pairs = append(t.pairs, &pair{a: j, b: i})
		}
	}
	slices.SortFunc(t.pairs, func(p, q *pair) int { return (p.a-q.a)*versions + p.b - q.b })
	t.all, t.capped = newBatch(versions), newBatch(versions)
	t.copies = newCopies(versions, o.Copies)
	return t
}

func newBatch(versions int) batch {
	return batch{make([]float64, versions), make([]float64, versions), make([]int, versions)}
}

func (b *batch) add(version int, time float64) {
	b.sum[version] += time
	b.n[version]++
}

// means returns the mean of each version, until the next batch ends, and empties the batch.
func (b *batch) means() []float64 {
	for i := range b.mean {
		b.mean[i] = b.sum[i] / float64(b.n[i])
		b.sum[i], b.n[i] = 0, 0
	}
	return b.mean
}

// Add adds a timing.
func (t *Trial) Add(version int, time float64) { t.AddCopy(version, 0, time) }

// AddCopy adds a timing of a copy of a version.
func (t *Trial) AddCopy(version, copy int, time float64) {
	switch again := t.note(timing{version: version, copy: copy, time: time}); {
	case again:
		t.again()
	case t.cap > 0:
		t.count(version, copy, time)
	}
}

// note describes a timing and finds the cap, when it is time. It reports whether all timings, which are there still, are to
// be counted anew.
func (t *Trial) note(added timing) (again bool) {
	t.versions[added.version].add(added.time, t.options.Least)
	if t.n++; t.n <= capHistory {
		t.recent = append(t.recent, added)
	} else {
		t.recent[t.n%capHistory] = added
	}
	again = t.n <= capHistory && t.n >= capFirst && t.n&(t.n-1) == 0
	if again || t.n%capHistory == 0 {
		t.findCap()
	}
	return again
}

// again counts all timings anew.
func (t *Trial) again() {
	for _, s := range t.versions {
		s.excess = 0
	}
	for _, p := range t.pairs {
		p.all, p.capped = moments{}, moments{}
	}
	t.all, t.capped, t.batches = newBatch(len(t.versions)), newBatch(len(t.versions)), 0
	t.copies = newCopies(len(t.versions), t.copies.n)
	for _, r := range t.recent {
		t.count(r.version, r.copy, r.time)
	}
}

// findCap chooses, from all versions' timings together, the cap with which a share that all of them take longer stands out most.
// With it the sum of the timings below is largest in proportion to the deviation of the capped timings. On an idle machine that
// is the highest level, mostly. Where one call in fifty is interrupted, it is the one below these.
func (t *Trial) findCap() {
	sorted := make([]float64, len(t.recent))
	for i, r := range t.recent {
		sorted[i] = r.time
	}
	slices.Sort(sorted)
	most := -1.0
	for _, level := range capLevels {
		cap := max(quantile(sorted, level), 1e-9)
		below := 0.0
		var capped moment
		for _, time := range sorted {
			capped.add(min(time, cap))
			if time <= cap {
				below += time
			}
		}
		if ratio := below / (capped.deviation() + cap*1e-6); ratio > most { // all may be equal
			most, t.cap = ratio, cap
		}
	}
}

// count adds a timing to its batch.
func (t *Trial) count(version, copy int, time float64) {
	capped := min(time, t.cap)
	t.copies.add(version, copy, capped)
	t.versions[version].excess += time - capped
	t.all.add(version, time-t.options.Least)
	t.capped.add(version, capped-t.options.Least)
	if slices.Min(t.all.n) < batchTimings {
		return
	}
	all, cut := t.all.means(), t.capped.means()
	for _, p := range t.pairs {
		p.all.add(all[p.a], all[p.b])
		p.capped.add(cut[p.a], cut[p.b])
	}
	t.batches++
}
