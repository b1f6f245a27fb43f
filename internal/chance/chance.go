// Package chance says how far estimates from samples may be off by chance. Tests of what was sampled in a real run fail
// only beyond that.
//
// A share p of the samples, n of them, is binomial. Its standard error is √(p(1−p)/n), and five of them are exceeded
// once in two million times.
//
// # Not handled
//
// Samples that depend on each other are fewer than they seem: callers count those that do not, mostly ticks.
package chance

import "math"

// deviations is how many standard errors an estimate may be off.
const deviations = 5

// OfShare returns how far the share of something in n samples may be from its true share.
func OfShare(share, n float64) float64 { return deviations * math.Sqrt(share*(1-share)/n) }

// OfRatio returns how far the share of something in what samples stand for may be from its true share.
// Another share of n samples is of it: for calls, ticks may find the callers of half of them in three
// quarters of the time. By the delta method the variance is share²(1−share)²/(samples(1−samples)n), which is
// OfShare's where the shares are the same.
func OfRatio(share, samples, n float64) float64 {
	return deviations * share * (1 - share) / math.Sqrt(samples*(1-samples)*n)
}

// LeastOverlap returns how much the distribution of n samples has in common with the true one, at least. The
// overlap is 1 less half of the sum of all differences. A difference is normal with a mean of √(2/π) of its
// standard error, and one sample changes the overlap by 1/n at most. So the overlap's standard error is no
// more than 1/(2√n).
func LeastOverlap(shares []float64, n float64) float64 {
	differences := 0.0
	for _, p := range shares {
		differences += math.Sqrt(2/math.Pi) * math.Sqrt(p*(1-p)/n)
	}
	return 1 - differences/2 - deviations/(2*math.Sqrt(n))
}
