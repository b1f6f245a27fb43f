package strat

import (
	"errors"
	"math"
)

// Counts are how often tuples and sites occurred, or an estimate of that, by index.
type Counts struct {
	tuples, sites []float64
	total         float64
}

// NewCounts returns counts of 0.
func (s *Stream) NewCounts() *Counts {
	return &Counts{tuples: make([]float64, len(s.Tuples)), sites: make([]float64, s.sites)}
}

func (s *Stream) add(c *Counts, tuple uint32, n float64) {
	c.tuples[tuple] += n
	c.sites[s.Sites[tuple]] += n
	c.total += n
}

// Thresholds say which tuples an error is of (STRAT 5.3.1).
type Thresholds struct {
	Executions float64 // of a site, at least
	Tuple      float64 // share of a tuple in those of its site, at least
	Site       float64 // share of all such tuples in those of the site, at least
}

// Usual are STRAT's.
var Usual = Thresholds{1000, 0.1, 0.4}

// ErrNoTuple tells that no tuple is frequent enough to have an error.
var ErrNoTuple = errors.New("no tuple is above the thresholds")

// Error returns STRAT's error, the mean difference of the invariance of the selected tuples in the ideal
// profile and in the estimate. The invariance of a tuple is its share in the executions of its site. The
// mean is weighted by how frequent tuples are. The invariance of tuples whose site is not in the estimate
// is 0 there, which STRAT leaves open.
func (s *Stream) Error(t Thresholds, ideal, estimate *Counts) (float64, error) {
	sum, selected := 0.0, 0.0
	good := s.selected(t, ideal)
	for i, n := range ideal.tuples {
		if !good[i] {
			continue
		}
		site := s.Sites[i]
		share := 0.0
		if estimate.sites[site] > 0 {
			share = estimate.tuples[i] / estimate.sites[site]
		}
		sum += n * math.Abs(n/ideal.sites[site]-share)
		selected += n
	}
	if selected == 0 {
		return 0, ErrNoTuple
	}
	return sum / selected, nil
}

// selected returns which tuples are sufficiently invariant, at sites that execute often and mostly with such tuples.
func (s *Stream) selected(t Thresholds, ideal *Counts) []bool {
	frequent := make([]bool, len(ideal.tuples))
	invariant := make([]float64, len(ideal.sites))
	for i, n := range ideal.tuples {
		site := s.Sites[i]
		if all := ideal.sites[site]; all >= t.Executions && n >= t.Tuple*all {
			frequent[i] = true
			invariant[site] += n
		}
	}
	for i := range frequent {
		site := s.Sites[i]
		frequent[i] = frequent[i] && invariant[site] >= t.Site*ideal.sites[site]
	}
	return frequent
}

// Distance returns how far the shares of all tuples in the two are from each other, without regard to sites. It is 1
// less their overlap, which is the sum of the lesser shares.
func (s *Stream) Distance(ideal, estimate *Counts) float64 {
	overlap := 0.0
	if estimate.total > 0 {
		for i, n := range ideal.tuples {
			overlap += min(n/ideal.total, estimate.tuples[i]/estimate.total)
		}
	}
	return 1 - overlap
}
