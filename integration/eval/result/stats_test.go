package result

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestCorrelations has PCCT's mean of pairs.
func TestCorrelations(t *testing.T) {
	if e := correlations([]float64{0.9, 0.4}); math.Abs(e.Value-0.6) > 1e-12 || e.low != 0.4 || e.high != 0.9 {
		t.Errorf("%+v", e)
	}
	if e := correlations([]float64{0.9, -0.4}); e.Value != 0 || e.low != -0.4 {
		t.Errorf("with a negative one: %+v", e)
	}
}

func TestRatio(t *testing.T) {
	a := []float64{100, 103, 101, 110, 102}
	e := ratio(a, a)
	if e.Value != 1 || e.low != 1 || e.high != 1 {
		t.Errorf("of a series with itself: %v", e)
	}
	// Rounds that were slow for both must not widen the interval.
	b := []float64{200, 206, 202, 220, 204}
	if e = ratio(a, b); e.Value != 2 || !near(e.low, 2) || !near(e.high, 2) {
		t.Errorf("of a series with its double: %v", e)
	}
	// What depends on a single round must.
	b = []float64{150, 206, 202, 220, 204}
	if e = ratio(a, b); e.Value != 1.5 || !near(e.low, 1.5) || !near(e.high, 2) {
		t.Errorf("with one fast round: %v", e)
	}
	if again := ratio(a, b); again.String() != e.String() {
		t.Errorf("the same data give %v, and then %v", e, again)
	}
}

func TestRatioOfOneRound(t *testing.T) {
	if got := ratio([]float64{2}, []float64{3}).String(); got != "1.500" {
		t.Errorf("got %s, want a number without an interval", got)
	}
}

func TestGeomean(t *testing.T) {
	two, eight := ratio([]float64{1, 1}, []float64{2, 2}), ratio([]float64{1, 1}, []float64{8, 8})
	e, err := geomean([]estimate{two, eight}, 0)
	if err != nil || !near(e.Value, 4) || !near(e.low, 4) || !near(e.high, 4) {
		t.Errorf("of 2 and 8: %v, %v", e, err)
	}
	if e, err := geomean([]estimate{two, eight}, 1); err == nil || err.Error() != "no mean: 1 failed" {
		t.Errorf("where one failed: %v, %v", e, err)
	}
	if e, err := geomean(nil, 0); err == nil {
		t.Errorf("of nothing: %v", e)
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		trials []float64
		want   string
	}{
		{[]float64{0.9}, "0.900"},
		{[]float64{0.9, 0.7, 0.8}, "0.800 [0.700, 0.900]"},
		{[]float64{0.9, 0.7, 0.6, 0.8}, "0.750 [0.600, 0.900]"},
	} {
		if got := Share(test.trials).String(); got != test.want {
			t.Errorf("of %v: got %s, want %s", test.trials, got, test.want)
		}
	}
	mean, err := meanShare([]estimate{Share([]float64{0.5}), Share([]float64{0.8, 1, 1})}, 0)
	if err != nil || mean.String() != "0.750" {
		t.Errorf("mean: %v, %v", mean, err)
	}
	if mean, err := meanShare(nil, 0); err == nil {
		t.Errorf("of nothing: %v", mean)
	}
}
