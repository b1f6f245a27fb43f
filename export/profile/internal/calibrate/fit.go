package calibrate

import "math"

// A fit has the factors of a level.
type fit struct {
	log    []float64 // logarithms, by group
	pull   []float64 // by group, from 1, where nothing but the center says what the factor is, to 0
	center float64   // standard deviation of the center
}

// Newton's method takes fewer rounds, but for factors that are very far off. No step is longer than maxStep, a factor
// of 1.6.
const (
	mostRounds = 60
	maxStep    = 0.5
	precision  = 1e-7

	freedom = 4 // of errors of controls: what Lange, Little & Taylor take where nothing tells
)

// fit finds the factors with which totals of controls come out right. It is the mode of
//
//	Σ over controls (log N - log Σ over groups exp(u) × sum)² / 2V  +  Σ over groups (u - center)² / 2Width²
//
// where V is the variance of both: what windows saw of the control differs from replicate to replicate, and so does
// N, if it was estimated itself. A control that a few windows saw, in a phase of its own, says less than one that all
// windows saw. That the few may have been none, no variance tells: so what is far off counts for less, as with errors
// of Student's distribution (Lange, Little & Taylor, "Robust Statistical Modeling Using the t Distribution", JASA 84,
// 1989).
func (l *level) fit(known *known, without int, prior Prior) fit {
	e := l.equations(known, without, prior.Model)
	f := fit{log: make([]float64, l.groups), pull: make([]float64, l.groups)}
	center, width := 0.0, 1/(prior.Width*prior.Width)
	for range mostRounds {
		hessian, slope := e.derivatives(f.log)
		center, f.center = e.meta(f.log, hessian, prior)
		for g, u := range f.log {
			f.pull[g] = width / (width + hessian[g][g])
			slope[g] -= (u - center) * width
			hessian[g][g] += width
		}
		longest := 0.0
		for g, step := range solve(hessian, slope) {
			step = min(max(step, -maxStep), maxStep)
			f.log[g] += step
			longest = max(longest, math.Abs(step))
		}
		if longest < precision {
			break
		}
	}
	return f
}

// equations are what fit solves.
type equations struct {
	groups   int
	controls []equation
	variance []float64 // by group, of what its windows saw of all controls, for a mean of 1
}

// An equation is that of a control.
type equation struct {
	known    float64 // N
	variance float64 // V
	terms    []term
}

// A term is what a group saw of a control.
type term struct {
	group int
	sum   float64
}

// equations returns the equations of controls that were executed and seen.
func (l *level) equations(k *known, without int, model float64) *equations {
	e := &equations{groups: l.groups, variance: make([]float64, l.groups)}
	by := make([][]float64, l.groups)
	for g := range by {
		by[g] = make([]float64, l.replicates)
	}
	for i := range l.controls {
		c := &l.controls[i]
		var q equation
		var ofKnown float64
		q.known, ofKnown = k.sum(c.items)
		own, sum := make([]float64, l.replicates), 0.0
		for j := range c.sights {
			s := &c.sights[j]
			q.terms = append(q.terms, term{s.group, s.without(without)})
			sum += q.terms[j].sum
			add(own, s.by)
			add(by[s.group], s.by)
		}
		q.variance = ofKnown + max(variance(own), 1/c.seen) + model*model
		if q.known > 0 && sum > 0 {
			e.controls = append(e.controls, q)
		}
	}
	for g := range by {
		e.variance[g] = variance(by[g])
	}
	return e
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

// derivatives returns the second derivatives of the sum over controls (those of Gauss-Newton, which are never
// negative) and what the first ones are less than 0.
func (e *equations) derivatives(u []float64) (hessian [][]float64, slope []float64) {
	hessian, slope = make([][]float64, e.groups), make([]float64, e.groups)
	for g := range hessian {
		hessian[g] = make([]float64, e.groups)
	}
	for _, c := range e.controls {
		estimate := 0.0
		for _, t := range c.terms {
			estimate += math.Exp(u[t.group]) * t.sum
		}
		d := math.Log(c.known / estimate)
		weight := (freedom + 1) / (freedom + d*d/c.variance) / c.variance
		for _, t := range c.terms {
			share := math.Exp(u[t.group]) * t.sum / estimate
			slope[t.group] += weight * d * share
			for _, other := range c.terms {
				hessian[t.group][other.group] += weight * share * math.Exp(u[other.group]) * other.sum / estimate
			}
		}
	}
	return hessian, slope
}

// meta returns the center that factors say there is, and its standard deviation. A factor tells it with three errors:
// its own, that of few windows, which may have been in the wrong phase of the program too often, and its distance
// from the center.
func (e *equations) meta(u []float64, hessian [][]float64, prior Prior) (center, deviation float64) {
	sum, weights := 0.0, 1/(prior.Center*prior.Center)
	for g := range u {
		if info := hessian[g][g]; info > 0 && !math.IsInf(e.variance[g], 1) {
			w := 1 / (1/info + e.variance[g] + prior.Width*prior.Width)
			sum, weights = sum+w*u[g], weights+w
		}
	}
	return sum / weights, 1 / math.Sqrt(weights)
}

// solve solves a system of equations by Cholesky's method, in place. The matrix is positive definite.
func solve(a [][]float64, b []float64) []float64 {
	for i := range a {
		for j := range i {
			for k := range j {
				a[i][j] -= a[i][k] * a[j][k]
			}
			a[i][j] /= a[j][j]
			a[i][i] -= a[i][j] * a[i][j]
			b[i] -= a[i][j] * b[j]
		}
		a[i][i] = math.Sqrt(max(a[i][i], math.SmallestNonzeroFloat32))
		b[i] /= a[i][i]
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := i + 1; k < len(a); k++ {
			b[i] -= a[k][i] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b
}
