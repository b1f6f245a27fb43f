package calibrate

import "math"

// A fit is the factor of a level.
type fit struct {
	log float64 // its logarithm
	off float64 // standard deviation of how far it may be off, besides of what replicates show
}

// fit finds the factor with which the controls come out right: all of them together, since each by itself is seen too
// seldom, and what few windows saw of one another has too much of. Where windows saw few of them, the factor is
// between that and 1, which is what the clock says, as their variances have it.
func (l *level) fit(k *known, without int, prior Prior) fit {
	total, sum, seen := 0.0, 0.0, 0.0
	own := make([]float64, l.replicates)
	for _, i := range l.controls {
		total += k.total[i]
		for _, s := range l.lower[i] {
			sum += s.without(without)
			seen += s.seen
			add(own, s.by)
		}
	}
	if total <= 0 || sum <= 0 {
		return fit{off: prior.Center}
	}
	v := variance(own) + 1/seen
	clock := v / (v + prior.Center*prior.Center)
	return fit{log: (1 - clock) * math.Log(total/sum), off: clock*prior.Center + prior.Model}
}

// settled returns the items of lower levels whose executions are known well: exact ones, and those that windows of their
// own level have seen all the time. An item that had its level for a short time is known badly, and windows of other
// levels may not have been there at all.
func (l *level) settled(k *known) []int {
	var list []int
	for _, i := range l.known {
		if k.by[i] == nil || effective(k.by[i]) >= leastSpread {
			list = append(list, i)
		}
	}
	return list
}

// add adds b to a.
func add(a, b []float64) {
	for i, x := range b {
		a[i] += x
	}
}

// variance returns the variance of the sum of replicates for a sum of 1. It is infinite if that is 0.
func variance(by []float64) float64 {
	sum, squares, n := 0.0, 0.0, float64(len(by))
	for _, x := range by {
		sum, squares = sum+x, squares+x*x
	}
	if sum == 0 {
		return math.Inf(1)
	}
	return max(0, squares-sum*sum/n) * n / (n - 1) / (sum * sum)
}

// effective returns over how many replicates something is spread: 1 if it is all in one, and their number if it is
// even.
func effective(by []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range by {
		sum, squares = sum+x, squares+x*x
	}
	if sum == 0 {
		return 0
	}
	return sum * sum / squares
}
