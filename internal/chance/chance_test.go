package chance

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestChance draws samples from a known distribution, over and over. None may be off by more than it may be. Some
// must be off by half of that, or the bounds would be of no use.
func TestChance(t *testing.T) {
	shares := []float64{0.5, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02}
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{25, 100, 1000} {
		far, worst, least := 0.0, 1.0, LeastOverlap(shares, float64(n))
		mean := 0.0
		const draws = 10_000
		for range draws {
			got := draw(random, shares, n)
			overlap := 0.0
			for i, p := range shares {
				overlap += min(p, got[i])
				far = max(far, math.Abs(got[i]-p)/OfShare(p, float64(n)))
			}
			worst = min(worst, overlap)
			mean += overlap / draws
		}
		t.Logf("%d samples: shares off by up to %.2f of what they may be; overlaps of %.3f, at "+
			"worst %.3f, and %.3f at least", n, far, mean, worst, least)
		if worst < least || (mean-worst)/(mean-least) < 0.4 {
			t.Errorf("%d samples: an overlap of %.3f, and %.3f at least", n, worst, least)
		}
		// A small share of few samples is not normal.
		if far < 0.5 || far > 1 && n >= 1000 {
			t.Errorf("%d samples: a share is off by %.2f of what it may be", n, far)
		}
	}
}

// TestRatio draws samples of which three quarters are of something that each of them has a third as much of.
func TestRatio(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n = 400
	far, squares := 0.0, 0.0
	for range 10_000 {
		got := draw(random, []float64{0.75, 0.25}, n)
		off := math.Abs(got[0]/3/(got[0]/3+got[1])-0.5) / OfRatio(0.5, 0.75, n)
		far, squares = max(far, off), squares+off*off/10_000
	}
	t.Logf("off by up to %.2f of what it may be", far)
	if error := math.Sqrt(squares) * deviations; far > 1 || math.Abs(error-1) > 0.05 {
		t.Errorf("off by up to %.2f; its standard error is %.2f times the expected one", far, error)
	}
}

// draw returns the shares of n samples.
func draw(random *rand.Rand, shares []float64, n int) []float64 {
	got := make([]float64, len(shares))
	for range n {
		at := random.Float64()
		i := 0
		for i < len(shares)-1 && at >= shares[i] {
			at -= shares[i]
			i++
		}
		got[i] += 1 / float64(n)
	}
	return got
}
