package verdict

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Laps are the timings of a point in a loop (AUDIT 5): an activation has many, all of the version that it has. What is random is
// the version of an activation, not of a lap. So laps of few activations are no evidence by themselves that the versions differ:
// the activations may.
//
// The paper takes timings as independent. Here a lap counts as one observation only as far as laps of different activations are
// as much alike as laps of one activation. How much they are is estimated from the means of activations (analysis of variance,
// one-way). For independent laps the mean square between activations is that within. If it is larger, the variance of a lap is
// taken to be the mean square between activations. Kish (Survey Sampling, 1965) calls the ratio the design effect. Few
// activations tell it with little certainty, so it is the upper end of its 95% interval. With that variance the sequence is that
// of Trial; there are no batches, since one would have to hold activations of all versions.
type Laps struct {
	options Options
	trial   *Trial // knows outliers and describes timings; it does not decide
	passes  uint64 // of a lap: the most that was seen
	groups  []groups
}

// leastActivations is how many activations of each version there must be. With three of two versions the upper end is six
// times the estimate.
const leastActivations = 3

// groups are the laps of a version, by activation.
type groups struct {
	current      moment // the activation that goes on
	n            float64
	laps         float64
	mean         float64 // of all laps
	between      float64 // sums of squares
	within       float64
	squaredSizes float64
}

// moment is a number of values with their mean and the sum of their squared deviations.
type moment struct{ n, mean, square float64 }

func (m *moment) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.square += d * (x - m.mean)
}

// deviation returns the standard deviation of what the values are drawn from.
func (m *moment) deviation() float64 { return math.Sqrt(m.square / (m.n - 1)) }

// close makes the current activation one of those before.
func (g *groups) close() {
	c := g.current
	g.current = moment{}
	if c.n == 0 {
		return
	}
	g.n++
	g.laps += c.n
	g.within += c.square
	g.squaredSizes += c.n * c.n
	d := c.mean - g.mean
	g.mean += d * c.n / g.laps
	g.between += d * c.n * (c.mean - g.mean)
}

// NewLaps returns a trial of so many versions.
func NewLaps(versions int, o Options) *Laps {
	l := &Laps{options: o}
	l.reset(versions)
	return l
}

func (l *Laps) reset(versions int) {
	l.trial, l.groups = New(versions, l.options), make([]groups, versions) // the copies of trial are those of laps
}

// Add adds a lap of so many passes. Laps of fewer than others are left out: they are the first ones, by which it was found
// out how many are needed.
func (l *Laps) Add(version int, passes uint64, time float64, first bool) {
	l.AddCopy(version, 0, passes, time, first)
}

// AddCopy adds a lap of a copy of a version.
func (l *Laps) AddCopy(version, copy int, passes uint64, time float64, first bool) {
	if passes > l.passes {
		l.passes = passes
		l.reset(len(l.groups))
	}
	if passes < l.passes {
		return
	}
	added := timing{version, copy, time, first}
	switch again := l.trial.note(added); {
	case again:
		l.again()
	case l.trial.cap > 0:
		l.count(added)
	}
}

// again counts all laps anew.
func (l *Laps) again() {
	l.groups = make([]groups, len(l.groups))
	l.trial.copies = newCopies(len(l.groups), l.options.Copies)
	for _, s := range l.trial.versions {
		s.excess = 0
	}
	for _, r := range l.trial.recent {
		l.count(r)
	}
}

// count adds a lap to its activation.
func (l *Laps) count(lap timing) {
	g := &l.groups[lap.version]
	if lap.first {
		g.close()
	}
	capped := min(lap.time, l.trial.cap)
	l.trial.versions[lap.version].excess += lap.time - capped
	g.current.add(capped)
	l.trial.copies.add(lap.version, lap.copy, capped)
}

// Passes returns how many passes a lap is of.
func (l *Laps) Passes() uint64 { return l.passes }

// Activations returns how many activations of a version have ended.
func (l *Laps) Activations(version int) int { return int(l.groups[version].n) }

// DesignEffect returns how many times as uncertain the mean of a version is as if its laps were independent; NaN if that is
// not known.
func (l *Laps) DesignEffect() float64 {
	within, between, ok := l.meanSquares()
	if !ok || within == 0 {
		return math.NaN()
	}
	return max(1, between/within)
}

// meanSquares returns the variance of laps within an activation, and what it is taken to be for the mean of several. The latter
// is the upper end of the mean square between activations.
func (l *Laps) meanSquares() (within, between float64, ok bool) {
	var w, b, laps, n, versions float64
	for _, g := range l.groups {
		if g.n < leastActivations {
			return 0, 0, false
		}
		w, b, laps, n, versions = w+g.within, b+g.between, laps+g.laps, n+g.n, versions+1
	}
	if laps == n {
		within = 0
	} else {
		within = w / (laps - n)
	}
	freedom := n - versions
	return within, b / chiSquared(freedom, 0.05), true
}

// chiSquared returns the quantile p of the chi-squared distribution. The incomplete gamma function is all of gonum
// that is used. Its packages stat and distuv link linear algebra, which made a tenth of the command.
func chiSquared(freedom, p float64) float64 { return 2 * mathext.GammaIncRegInv(freedom/2, p) }

// Decided reports whether the result will not change any more.
func (l *Laps) Decided() bool {
	_, ok := l.compare().best(len(l.groups))
	return ok
}

// Result returns what is known so far.
func (l *Laps) Result() Result {
	r := l.compare()
	for _, s := range l.trial.versions {
		r.Versions = append(r.Versions, s.summary())
	}
	if best, ok := r.best(len(l.groups)); ok {
		r.settle(best)
	}
	return *r
}

// compare compares all pairs of versions.
func (l *Laps) compare() *Result {
	r := &Result{Outcome: Undecided}
	within, between, ok := l.meanSquares()
	variance := max(within, between)
	alpha := (1 - l.options.Confidence) / float64(len(l.trial.pairs))
	for _, p := range l.trial.pairs {
		a, b := &l.groups[p.a], &l.groups[p.b]
		out := Pair{A: p.a, B: p.b, Outcome: Undecided, Faster: -1, Margin: l.options.Margin}
		if ok && a.mean > 0 {
			out.Effect = b.mean/a.mean - 1
			n := a.laps + b.laps
			z := width(n, alpha) * math.Sqrt(n)
			low, high := fieller(a.mean, b.mean, z*z*variance/a.laps, z*z*variance/b.laps)
			if out.Low, out.High = low-1, high-1; !math.IsInf(high, 1) && out.place(l.trial.copies.half(p.a, p.b, 0, alpha)) {
				out.Known = true
				out.decide()
			} else {
				out.Low, out.High = 0, 0
			}
		}
		r.Pairs = append(r.Pairs, out)
	}
	return r
}

// fieller returns the ratios r with (b - r·a)² <= vb + r²·va.
func fieller(a, b, va, vb float64) (low, high float64) {
	x, y, z := a*a-va, a*b, b*b-vb
	if x <= 0 {
		return math.Inf(-1), math.Inf(1)
	}
	root := math.Sqrt(max(y*y-x*z, 0))
	return (y - root) / x, (y + root) / x
}

// decide sets the outcome of a pair by its interval.
func (p *Pair) decide() {
	switch m := p.Margin; {
	case p.High < -m:
		p.Outcome, p.Faster = Faster, p.B
	case p.Low > m:
		p.Outcome, p.Faster = Faster, p.A
	case p.Low > -m && p.High < m:
		p.Outcome = Same
	case p.ByPlacement():
		p.Outcome = Placed
	}
}
