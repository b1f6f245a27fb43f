package verdict

import (
	"math/rand/v2"
	"testing"
)

// activations adds so many activations, but none once the trial is decided. The means of laps are normally distributed
// among activations. Deviations are shares of the mean.
func activations(random *rand.Rand, l *Laps, n, laps int, among, within, factor float64) {
	for range n {
		version := random.IntN(2)
		mean := 1000 * (1 + among*random.NormFloat64())
		if version == 1 {
			mean *= factor
		}
		for i := range laps {
			l.Add(version, 4, mean*(1+within*random.NormFloat64()), i == 0)
		}
		if l.Decided() {
			return
		}
	}
}

// TestLapsRight makes sure that laps are wrong no more often than they say, whether they are alike within a call or not. After
// each call it looks whether the trial is decided.
func TestLapsRight(t *testing.T) {
	for _, among := range []float64{0, 0.01, 0.1} {
		wrong, runs := 0, 150
		for seed := range runs {
			l := NewLaps(2, Options{Confidence: 0.99})
			activations(rand.New(rand.NewPCG(uint64(seed), 7)), l, 50, 20, among, 0.05, 1)
			if l.Decided() {
				wrong++
			}
		}
		t.Logf("deviation %g among calls: %d of %d decisions are wrong", among, wrong, runs)
		if wrong > 2 {
			t.Error("that is more than 1% and chance")
		}
	}
}

// TestLapsSooner: where calls are alike, laps see in a few calls what calls alone do not.
func TestLapsSooner(t *testing.T) {
	for seed := range 20 {
		l := NewLaps(2, Options{Confidence: 0.99, Margin: 0.005})
		activations(rand.New(rand.NewPCG(uint64(seed), 8)), l, 60, 1000, 0, 0.1, 0.95)
		if r := l.Result(); r.Outcome != Faster || r.Best != 1 || r.Pairs[0].Low > -0.05 || r.Pairs[0].High < -0.05 {
			t.Errorf("run %d: %+v", seed, r.Pairs)
		}
		if n := l.Activations(0) + l.Activations(1); n > 30 {
			t.Errorf("run %d: %d calls", seed, n)
		}
	}
}

// TestLapsDesign: laps that are alike within a call only are no more evidence than calls.
func TestLapsDesign(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	l := NewLaps(2, Options{Confidence: 0.99, Margin: 0.005})
	activations(random, l, 40, 100, 0.05, 0.01, 0.95)
	if d := l.DesignEffect(); d < 100 {
		t.Errorf("design effect %g of calls that are unlike", d)
	}
	if l.Decided() {
		t.Errorf("5%% is seen in 40 calls with a deviation of 5%%: %+v", l.Result().Pairs)
	}
}

// Laps of fewer passes than later ones are those by which the number was found.
func TestLapsPasses(t *testing.T) {
	l := NewLaps(2, Options{Confidence: 0.99})
	l.Add(0, 1, 5, true)
	l.Add(0, 8, 40, false)
	l.Add(1, 8, 48, true)
	l.Add(1, 4, 24, false)
	r := l.Result()
	if l.Passes() != 8 || r.Versions[0].Timings != 1 || r.Versions[1].Timings != 1 || r.Versions[1].Mean != 48 || r.Outcome != Undecided {
		t.Errorf("%d passes: %+v", l.Passes(), r.Versions)
	}
}
