package verdict

import (
	"math"
	"slices"
)

// Outcome is what a trial has come to.
type Outcome string

const (
	Undecided Outcome = "not enough evidence"
	Faster    Outcome = "faster"                         // one version is than some other, and none is than it
	Same      Outcome = "same"                           // no two differ by more than the margin
	Placed    Outcome = "no difference beyond placement" // copies of the same version differ as much
	TooShort  Outcome = "too short"
)

// Result is what is known of the versions.
type Result struct {
	Outcome  Outcome   `json:"outcome"`
	Best     int       `json:"best"` // version to use: 0, the original, unless another is faster
	Pairs    []Pair    `json:"pairs"`
	Versions []Summary `json:"versions"`
}

// A Pair compares version B with version A, A < B.
type Pair struct {
	A       int     `json:"a"`
	B       int     `json:"b"`
	Effect  float64 `json:"effect"` // how much longer B takes, as a share of A's time: negative if it is faster
	Known   bool    `json:"known"`  // there is an interval of that, from Low to High
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Margin  float64 `json:"margin"` // up to which a difference is none
	Outcome Outcome `json:"outcome"`
	Faster  int     `json:"faster"` // version; -1 if none is known to be

	// Of versions with copies: half the intervals that placement alone makes, and that of the timings alone. The interval
	// holds both.
	Placement float64 `json:"placement,omitempty"`
	Noise     float64 `json:"noise,omitempty"`
}

// A pair has the means of two versions in each batch.
type pair struct {
	a, b        int
	all, capped moments
}

// Result returns what is known so far.
func (t *Trial) Result() Result {
	r := Result{Outcome: Undecided}
	for _, p := range t.pairs {
		r.Pairs = append(r.Pairs, t.pairResult(p))
	}
	for _, s := range t.versions {
		r.Versions = append(r.Versions, s.summary())
	}
	best, ok := r.best(len(t.versions))
	switch {
	case t.tooShort():
		r.Outcome = TooShort
	case ok:
		r.settle(best)
	}
	return r
}

// settle notes which version is best.
func (r *Result) settle(best int) {
	r.Outcome, r.Best = Same, best
	if slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Outcome == Placed }) {
		r.Outcome = Placed
	}
	if slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Faster == best }) {
		r.Outcome = Faster
	}
}

// Decided reports whether there is a verdict. A function that is too short may be called for longer later.
func (t *Trial) Decided() bool {
	if t.batches < leastBatches || t.tooShort() {
		return false
	}
	r := Result{Pairs: make([]Pair, 0, len(t.pairs))}
	for _, p := range t.pairs {
		r.Pairs = append(r.Pairs, t.pairResult(p))
	}
	_, ok := r.best(len(t.versions))
	return ok
}

func (t *Trial) pairResult(p *pair) Pair {
	alpha := (1 - t.options.Confidence) / float64(len(t.pairs))
	out := Pair{A: p.a, B: p.b, Outcome: Undecided, Faster: -1, Margin: t.options.Margin}
	low, high := p.capped.ratio(alpha)
	if math.IsInf(high, 1) {
		return out
	}
	out.Known, out.Low, out.High = true, low-1, high-1
	out.Effect = p.capped.b/p.capped.a - 1
	out.Margin = max(out.Margin, t.options.Resolution/p.capped.a)
	if !out.place(t.copies.half(p.a, p.b, t.options.Least, alpha)) {
		return Pair{A: p.a, B: p.b, Outcome: Undecided, Faster: -1, Margin: out.Margin}
	}
	allLow, allHigh := p.all.ratio(alpha)
	m := out.Margin
	switch {
	case out.High < -m && allLow-1 <= 0:
		out.Outcome, out.Faster = Faster, p.b
	case out.Low > m && allHigh-1 >= 0:
		out.Outcome, out.Faster = Faster, p.a
	case out.Low > -m && out.High < m && allLow-1 <= m && allHigh-1 >= -m:
		out.Outcome = Same
	case out.ByPlacement():
		out.Outcome = Placed
	}
	return out
}

// best returns the version that is known to be no slower than any other, if there is one: the original if that is.
func (r *Result) best(versions int) (best int, ok bool) {
	for v := range versions {
		beaten := slices.ContainsFunc(r.Pairs, func(p Pair) bool {
			return (p.A == v || p.B == v) && (p.Outcome == Undecided || p.Faster >= 0 && p.Faster != v)
		})
		if !beaten {
			return v, true
		}
	}
	return 0, false
}

// tooShort reports whether the clock takes too large a share of the time of all versions. One that is long enough can be
// told from one that is not. The perturb score is not asked: a function with many short calls has a high one, however long
// those are that have its time.
func (t *Trial) tooShort() bool {
	return t.batches >= leastBatches && !slices.ContainsFunc(t.versions, func(s *sample) bool {
		return s.mean-s.excess/s.n >= t.options.Least+t.options.Shortest
	})
}
