// Package interval says between which numbers the truth is, given what an estimate might have been.
//
// An estimate comes with selections. A selection is the same estimate from other samples, such as all but one part of
// them. That is the jackknife (Wolter, "Introduction to Variance Estimation", chapter 4). The estimate's variance is
// the sum of the squared distances of selections from it, with a weight for each. Sums and quotients of estimates
// have selections, too: those of their parts. So the interval of a share knows that its parts are off together.
package interval

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A Scale is on which a statistic has errors that are about normal.
type Scale int

// The scales.
const (
	Linear Scale = iota
	Log          // of counts, and what else is never negative
	Logit        // of shares, from 0 to 1
)

// A Design says what selections are worth.
type Design struct {
	Weights  []float64 // of the squares
	Quantile float64   // standard deviations to each side
}

// New returns the design for selections with weights, whose variance has so many degrees of freedom, and a confidence
// such as 0.95.
func New(weights []float64, freedom, confidence float64) *Design {
	return &Design{weights, Student(freedom, (1+confidence)/2)}
}

// tooWide is with which standard deviation of a logarithm intervals are those of the linear scale, from the bound on.
// A path that was seen in two windows of one replicate would else have an interval of many orders of magnitude.
const tooWide = 1.5

// Of returns where the truth is of which value is the estimate. More is variance on the scale that selections do not
// have.
func (d *Design) Of(scale Scale, value float64, selections []float64, more float64) (low, high float64) {
	deviation, ok := d.deviation(scale, value, selections, more)
	if !ok || scale != Linear && deviation > tooWide { // it is at a bound, or about there in some selection
		least, most := scale.bounds()
		deviation, _ = d.deviation(Linear, value, selections, more*value*value)
		half := d.Quantile * deviation
		return max(least, value-half), min(most, value+half)
	}
	if deviation == 0 {
		return value, value
	}
	half := d.Quantile * deviation
	return scale.back(scale.of(value) - half), scale.back(scale.of(value) + half)
}

// Variance returns the variance of an estimate.
func (d *Design) Variance(value float64, selections []float64) float64 {
	sigma, _ := d.deviation(Linear, value, selections, 0)
	return sigma * sigma
}

// deviation returns the standard deviation of an estimate on a scale. It is not ok if the scale has no place for a
// selection.
func (d *Design) deviation(scale Scale, value float64, selections []float64, more float64) (sigma float64, ok bool) {
	center, variance := scale.of(value), more
	for i, x := range selections {
		off := scale.of(x) - center
		variance += d.Weights[i] * off * off
	}
	return math.Sqrt(variance), !math.IsNaN(variance) && !math.IsInf(variance, 0)
}

// of returns where a value is on a scale.
func (s Scale) of(x float64) float64 {
	switch s {
	case Log:
		return math.Log(x)
	case Logit:
		return math.Log(x / (1 - x))
	}
	return x
}

// bounds returns the least and the greatest value that a scale has.
func (s Scale) bounds() (least, most float64) {
	switch s {
	case Log:
		return 0, math.Inf(1)
	case Logit:
		return 0, 1
	}
	return math.Inf(-1), math.Inf(1)
}

// back undoes of.
func (s Scale) back(x float64) float64 {
	switch s {
	case Log:
		return math.Exp(x)
	case Logit:
		return 1 / (1 + math.Exp(-x))
	}
	return x
}

// Student returns the quantile p of Student's t distribution. The incomplete beta function is all of gonum that is
// used: its package distuv links linear algebra.
func Student(freedom, p float64) float64 {
	if p < 0.5 {
		return -Student(freedom, 1-p)
	}
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 2*(1-p))
	return math.Sqrt(freedom * (1 - x) / x)
}
