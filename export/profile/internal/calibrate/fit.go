package calibrate

import (
	"math"
	"slices"
)

// A fit is the factor of a level.
type fit struct {
	log float64 // its logarithm
	off float64 // standard deviation of how far it may be off, besides of what replicates show
}

// fit finds the factor with which the controls come out right, all of them together. Each by itself is seen too
// seldom, and what few windows saw of one another has too much of. Where windows saw few of them, the factor is
// between that and 1, which is what the clock says, as their variances have it.
func (l *level) fit(k *known, without int, prior Prior) fit {
	var r ratio
	r.known, r.seen = make([]float64, l.replicates), make([]float64, l.replicates)
	sightings := 0.0
	for _, i := range l.controls {
		if k.by[i] == nil {
			r.exact += k.total[i]
		} else {
			add(r.known, k.by[i])
		}
		for _, s := range l.lower[i] {
			sightings += s.seen
			add(r.seen, s.by)
		}
	}
	log, v, ok := r.estimate(without)
	if !ok {
		return fit{off: prior.Center}
	}
	v += 1 / sightings
	clock := v / (v + prior.Center*prior.Center)
	return fit{log: (1 - clock) * log, off: clock*prior.Center + prior.Model}
}

// A ratio is that of what is known of controls to what windows saw of them.
type ratio struct {
	exact       float64
	known, seen []float64 // by replicate
}

// log returns its logarithm without some replicates.
func (r *ratio) log(without ...int) (x float64, ok bool) {
	known, seen, n := 0.0, 0.0, 0.0
	for i := range r.seen {
		if !slices.Contains(without, i) {
			known, seen, n = known+r.known[i], seen+r.seen[i], n+1
		}
	}
	scale := float64(len(r.seen)) / n
	known, seen = r.exact+scale*known, scale*seen
	return math.Log(known / seen), known > 0 && seen > 0
}

// estimate returns the logarithm without a replicate, or without none, and its variance by the jackknife. A quotient
// whose divisor is uncertain is too large in the mean. The jackknife says by how much (Quenouille, "Notes on Bias in
// Estimation", Biometrika 43, 1956).
func (r *ratio) estimate(without int) (x, variance float64, ok bool) {
	x, ok = r.log(without)
	var list []float64
	mean := 0.0
	for i := range r.seen {
		if i == without {
			continue
		}
		y, fine := r.log(without, i)
		list, mean, ok = append(list, y), mean+y, ok && fine
	}
	n := float64(len(list))
	mean /= n
	for _, y := range list {
		variance += (y - mean) * (y - mean) * (n - 1) / n
	}
	return x - min(max((n-1)*(mean-x), 0), variance), variance, ok
}

// settled returns the items of lower levels whose executions are known well. These are exact ones, and those that
// windows of their own level have seen all the time. An item that had its level for a short time is known badly, and
// windows of other levels may not have been there at all.
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
