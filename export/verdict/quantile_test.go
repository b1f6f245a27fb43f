package verdict

import (
	"math"
	"testing"
)

// TestChiSquared has values of tables (Abramowitz & Stegun, table 26.8).
func TestChiSquared(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 0.00393214, 4: 0.710721, 10: 3.94030, 100: 77.9295} {
		if got := chiSquared(freedom, 0.05); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("of %v degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for p, want := range map[float64]float64{0: 1, 0.05: 1, 0.1: 1, 0.11: 2, 0.5: 5, 0.95: 10, 1: 10} {
		if got := quantile(values, p); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}

func TestDeviation(t *testing.T) {
	var m moment
	for _, x := range []float64{2, 4, 4, 4, 5, 5, 7, 9} {
		m.add(x)
	}
	if got, want := m.deviation(), math.Sqrt(32./7); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}
