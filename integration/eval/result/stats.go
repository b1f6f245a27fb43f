package result

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is the number of bootstrap resamples: with 2000, the ends of a 95% interval are the 50th of each side.
const resamples = 2000

// An estimate is a ratio with its 95% interval, or a share with its range.
type estimate struct {
	Value, low, high float64
	samples          []float64 // of the bootstrap, of ratios
}

// ratio estimates min(b)/min(a) for two series that were measured in turn, of equal length. A bootstrap
// resample takes rounds, not single times, since what disturbs a machine disturbs neighbours alike. (The
// minimum of a resample is never below that of the series. So the interval is of how much depends on single
// rounds, not of how low times could get.)
func ratio(a, b []float64) estimate {
	e := estimate{Value: slices.Min(b) / slices.Min(a), samples: make([]float64, 0, resamples)}
	// The same numbers each time, so that the same data give the same table.
	random := rand.New(rand.NewPCG(1, uint64(len(a))))
	for range resamples {
		minA, minB := math.Inf(1), math.Inf(1)
		for range a {
			i := random.IntN(len(a))
			minA, minB = min(minA, a[i]), min(minB, b[i])
		}
		e.samples = append(e.samples, minB/minA)
	}
	e.setInterval()
	return e
}

// geomean returns the geometric mean of ratios. The resamples of its interval are the means of the
// resamples of each. There is no mean over anything that failed: it would be one of other benchmarks than it says.
func geomean(ratios []estimate, failed int) (estimate, error) {
	if err := noMean(len(ratios), failed); err != nil {
		return estimate{}, err
	}
	e := estimate{Value: 1, samples: slices.Repeat([]float64{1}, resamples)}
	root := 1 / float64(len(ratios))
	random := rand.New(rand.NewPCG(2, uint64(len(ratios))))
	for _, r := range ratios {
		e.Value *= math.Pow(r.Value, root)
		roots := make(map[float64]float64) // of few values: a resample has one of some rounds
		// In another order for each, since the benchmarks were not disturbed alike.
		for i, j := range random.Perm(resamples) {
			v := r.samples[j]
			if roots[v] == 0 {
				roots[v] = math.Pow(v, root)
			}
			e.samples[i] *= roots[v]
		}
	}
	e.setInterval()
	return e, nil
}

// noMean tells why there is no mean of n values; nil if there is one.
func noMean(n, failed int) error {
	switch {
	case failed > 0:
		return fmt.Errorf("no mean: %d failed", failed)
	case n == 0:
		return errors.New("no mean: nothing was run")
	}
	return nil
}

// Share returns the median of some trials, with the least and the greatest (as PEP's figures 8 and 9 have them).
func Share(trials []float64) estimate {
	sorted := slices.Sorted(slices.Values(trials))
	n := len(sorted)
	return estimate{Value: (sorted[(n-1)/2] + sorted[n/2]) / 2, low: sorted[0], high: sorted[n-1]}
}

// correlations returns the geometric mean of correlation coefficients, as PCCT 6.1 has it, with the least and
// the greatest. It is 0 if one is not positive.
func correlations(all []float64) estimate {
	e := Share(all)
	e.Value = 0
	if e.low <= 0 {
		return e
	}
	for _, v := range all {
		e.Value += math.Log(v) / float64(len(all))
	}
	e.Value = math.Exp(e.Value)
	return e
}

// meanShare returns the arithmetic mean of medians.
func meanShare(shares []estimate, failed int) (estimate, error) {
	if err := noMean(len(shares), failed); err != nil {
		return estimate{}, err
	}
	mean := 0.0
	for _, s := range shares {
		mean += s.Value / float64(len(shares))
	}
	return estimate{Value: mean, low: mean, high: mean}, nil
}

func (e *estimate) setInterval() {
	sorted := slices.Clone(e.samples)
	slices.Sort(sorted)
	const tail = resamples * 25 / 1000
	e.low, e.high = sorted[tail], sorted[resamples-1-tail]
}

func (e estimate) String() string {
	if e.low == e.high {
		return fmt.Sprintf("%.3f", e.Value)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", e.Value, e.low, e.high)
}
