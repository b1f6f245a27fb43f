package verdict

import (
	"math"
	"math/rand/v2"
	"testing"
)

// audit feeds a trial with timings until it is decided, and returns the result and how many there were.
func audit(versions, most int, o Options, random *rand.Rand, time func(version int) float64) (Result, int) {
	t := New(versions, o)
	for n := 1; n <= most; n++ {
		v := random.IntN(versions)
		t.Add(v, time(v))
		if n%8 == 0 && t.Decided() {
			return t.Result(), n
		}
	}
	return t.Result(), most
}

func newRandom(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 8)) }

// skewed returns timings as calls have them: skewed, with a few that were interrupted.
func skewed(r *rand.Rand, mean float64) float64 {
	t := mean * math.Exp(0.2*r.NormFloat64())
	if r.IntN(200) == 0 {
		t += 1e6 * r.Float64()
	}
	return t
}

// TestNoDifference holds the probability of error against the confidence where it is hardest. Every effect counts, and there is a
// look after every eight timings, for long.
func TestNoDifference(t *testing.T) {
	const audits, confidence = 400, 0.95
	wrong := 0
	for i := range audits {
		r := newRandom(i)
		o := Options{Confidence: confidence}
		if found, _ := audit(2, 4000, o, r, func(int) float64 { return skewed(r, 1000) }); found.Outcome != Undecided {
			wrong++
		}
	}
	// 20 are to be expected at most; 33 would be there by chance once in 500 times.
	if wrong > 32 {
		t.Errorf("%d of %d audits of equal versions found one faster, with a confidence of %g", wrong, audits, confidence)
	}
}

func TestFaster(t *testing.T) {
	for i := range 20 {
		r := newRandom(i)
		found, n := audit(2, 100_000, Defaults(20), r, func(v int) float64 { return skewed(r, 1000-float64(v)*50) })
		p := found.Pairs[0]
		if found.Outcome != Faster || found.Best != 1 || p.Low > -0.05 || p.High < -0.05 && p.High < p.Effect {
			t.Errorf("after %d timings: %s, best %d, %+v", n, found.Outcome, found.Best, p)
		}
	}
}

func TestSame(t *testing.T) {
	r := newRandom(1)
	found, n := audit(2, 200_000, Defaults(20), r, func(v int) float64 { return 1000 + 20*r.NormFloat64() })
	if found.Outcome != Same || found.Best != 0 {
		t.Errorf("after %d timings: %s, best %d", n, found.Outcome, found.Best)
	}
}

func TestSeveralVersions(t *testing.T) {
	r := newRandom(1)
	means := []float64{1000, 900, 800, 1000}
	found, _ := audit(4, 200_000, Defaults(20), r, func(v int) float64 { return skewed(r, means[v]) })
	if found.Outcome != Faster || found.Best != 2 {
		t.Errorf("%s, best %d, want version 2 of %v", found.Outcome, found.Best, means)
	}
	if len(found.Pairs) != 6 {
		t.Errorf("%d pairs", len(found.Pairs))
	}
}

// TestBurst has a program begin with interruptions in one call of five.
func TestBurst(t *testing.T) {
	r := newRandom(1)
	n := 0
	found, timings := audit(2, 20_000, Defaults(20), r, func(v int) float64 {
		if n++; n < 100 && n%5 == 0 {
			return 1e7
		}
		return skewed(r, 1000+float64(v)*100)
	})
	if found.Outcome != Faster || found.Best != 0 {
		t.Errorf("%s after %d timings", found.Outcome, timings)
	}
}

// TestTail has versions that are equal in what is usual, and differ in what is rare and long.
func TestTail(t *testing.T) {
	r := newRandom(1)
	found, _ := audit(2, 50_000, Defaults(20), r, func(v int) float64 {
		if r.IntN(200) == 0 {
			return 1e6 * float64(1+v)
		}
		return 1000 + 20*r.NormFloat64()
	})
	if found.Outcome == Same {
		if found.Versions[0].Outliers < 0.5 {
			t.Errorf("same, and %.2f of the time is in outliers", found.Versions[0].Outliers)
		}
	}
	if found.Outcome == Faster && found.Best != 0 {
		t.Errorf("the slower one is said to be faster")
	}
}

func TestTooShort(t *testing.T) {
	r := newRandom(1)
	found, _ := audit(2, 20_000, Defaults(26), r, func(v int) float64 { return 30 + 26*float64(r.IntN(3)) })
	if found.Outcome != TooShort || found.Best != 0 {
		t.Errorf("%s", found.Outcome)
	}
	// One that is long enough can be told from one that is not.
	found, _ = audit(2, 20_000, Defaults(26), r, func(v int) float64 { return 30 + 5000*float64(v) })
	if found.Outcome != Faster || found.Best != 0 {
		t.Errorf("%s, best %d", found.Outcome, found.Best)
	}
}

func TestScores(t *testing.T) {
	tr := New(2, Options{Confidence: 0.99, Least: 88})
	for _, time := range []float64{88, 188, 288} {
		tr.Add(0, time)
	}
	s := tr.Result().Versions[0]
	// Section 6.1: three timings of variance 10,000; 100/0.1, 100/100.1 and 100/200.1.
	if math.Abs(s.Converge-3.0/10_000) > 1e-12 || math.Abs(s.Perturb-(1000+100/100.1+100/200.1)/3) > 1e-9 {
		t.Errorf("scores %v and %v", s.Converge, s.Perturb)
	}
	if empty := tr.Result().Versions[1]; empty.Timings != 0 {
		t.Errorf("%+v", empty)
	}
}

// TestWidth compares the confidence sequence with the interval of a test that looks once. The sequence must be wider, and not
// much, and least so where it is tuned for.
func TestWidth(t *testing.T) {
	fixed := 2.5758 / math.Sqrt(tunedFor)
	if ratio := width(tunedFor, 0.01) / fixed; ratio < 1.3 || ratio > 1.9 {
		t.Errorf("%.3f times as wide", ratio)
	}
	for _, n := range []float64{tunedFor / 4, 4 * tunedFor} {
		if w := width(n, 0.01) * math.Sqrt(n); w < width(tunedFor, 0.01)*math.Sqrt(tunedFor) {
			t.Errorf("narrower for %v than where it is tuned for", n)
		}
	}
}
