package calibrate

import (
	"math"
	"slices"

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

// An Interval holds the true value of a statistic with some confidence.
type Interval struct{ Value, Low, High float64 }

// Interval returns a statistic of the totals of items, and where its true value lies with some confidence, such as
// 0.95. Totals that the statistic is called with are by item.
func (e *Estimates) Interval(statistic func(total []float64) float64, scale Scale, confidence float64) Interval {
	value := statistic(e.Total)
	least, most := scale.bounds()
	deviation, ok := e.deviation(statistic, scale, value)
	if !ok || scale != Linear && deviation > tooWide { // it is at a bound, or about there without some replicate
		scale = Linear
		deviation, _ = e.deviation(statistic, Linear, value)
	}
	if deviation == 0 {
		return Interval{value, value, value}
	}
	half := Student(float64(len(e.replicates)-1), (1+confidence)/2) * deviation
	return Interval{value, max(least, scale.back(scale.of(value)-half)), min(most, scale.back(scale.of(value)+half))}
}

// Selections returns totals by item as they might have been: without each replicate, and with factors that are off. There are as many as weights that
// [Weights] returns for so many levels, and the variance of a statistic is the sum of the weights times the squares of what it differs by.
func (e *Estimates) Selections(levels int) [][]float64 {
	list := slices.Clone(e.replicates)
	for l := range levels {
		for i, n := range shifts {
			for k := range n {
				if at := 2*l + i; at < len(e.shifts) && k < len(e.shifts[at]) {
					list = append(list, e.shifts[at][k])
				} else {
					list = append(list, e.Total)
				}
			}
		}
	}
	return list
}

// shifts is how many totals there are for a center that is off, and for groups that are.
var shifts = [2]int{1, 4}

// Weights returns what [Estimates.Selections] says.
func Weights(replicates, levels int) []float64 {
	n := float64(replicates)
	list := slices.Repeat([]float64{(n - 1) / n}, replicates)
	for range levels {
		for _, n := range shifts {
			list = append(list, slices.Repeat([]float64{1 / float64(n)}, n)...)
		}
	}
	return list
}

// tooWide is with which standard deviation of a logarithm intervals are those of the linear scale, from the bound on.
// A path that was seen in two windows of one replicate would else have an interval of many orders of magnitude.
const tooWide = 1.5

// deviation returns the standard deviation of a statistic on a scale: the delete-a-group jackknife (Wolter, section
// 4.2), and what factors may be off. It is not ok if the scale has no place for a value.
func (e *Estimates) deviation(statistic func([]float64) float64, scale Scale, value float64) (sigma float64, ok bool) {
	n := float64(len(e.replicates))
	center := scale.of(value)
	sum, squares := 0.0, 0.0
	for _, total := range e.replicates {
		d := scale.of(statistic(total)) - center
		sum, squares = sum+d, squares+d*d
	}
	variance := (n - 1) / n * (squares - sum*sum/n)
	for _, totals := range e.shifts {
		for _, total := range totals {
			d := scale.of(statistic(total)) - center
			variance += d * d / float64(len(totals))
		}
	}
	return math.Sqrt(max(variance, 0)), !math.IsNaN(variance) && !math.IsInf(variance, 0)
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
