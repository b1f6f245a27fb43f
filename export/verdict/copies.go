package verdict

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Code runs faster or slower by where it lies in memory: which instructions share a cache line, and which branches a slot of the
// predictor. Curtsinger & Berger ("STABILIZER: statistically sound performance evaluation", ASPLOS 2013) lay a program out at
// random, again and again, and take the layout for one more random cause. Here each version has several copies at several places.
// Copy i of one version and copy i of another are a pair, for they are padded alike. How far the differences of pairs are apart
// is what placement makes. Student's t of their mean is an interval of the difference that holds for places that were not tried.
//
// Departures: a layout is not drawn anew while the program runs, and pairs are few. So this interval is added to that of the
// timings, and takes none of it away.

// copies are the capped timings of the copies of versions.
type copies struct {
	n  int        // of each version
	of [][]moment // by version and copy
}

func newCopies(versions, n int) copies {
	c := copies{n: n}
	if n > 1 {
		c.of = make([][]moment, versions)
		for i := range c.of {
			c.of[i] = make([]moment, n)
		}
	}
	return c
}

func (c *copies) add(version, copy int, time float64) {
	if c.of != nil && copy < c.n {
		c.of[version][copy].add(time)
	}
}

const (
	// leastOfCopy is how many timings of each copy of a pair there must be.
	leastOfCopy = 32
	// leastOfPairs is how many pairs there must be. The others may come later: a function that is called twenty times has no
	// timings of some of its copies.
	leastOfPairs = 3
)

// half returns half the interval that placement makes of the difference between versions a and b, as a share of the time of a,
// and whether all pairs are in it. Least is taken off the times. It is infinite as long as too few pairs have timings, and 0 if
// there are no copies.
func (c *copies) half(a, b int, least, alpha float64) (half float64, all bool) {
	if c.of == nil {
		return 0, true
	}
	var differences moment
	for i := range c.n {
		x, y := &c.of[a][i], &c.of[b][i]
		if min(x.n, y.n) >= leastOfCopy && x.mean > least {
			differences.add((y.mean-least)/(x.mean-least) - 1)
		}
	}
	if int(differences.n) < min(leastOfPairs, c.n) {
		return math.Inf(1), false
	}
	return student(differences.n-1, alpha) * differences.deviation() / math.Sqrt(differences.n), int(differences.n) == c.n
}

// student returns the quantile of Student's t that is exceeded in either direction with probability alpha.
func student(freedom, alpha float64) float64 {
	x := mathext.InvRegIncBeta(freedom/2, 0.5, alpha)
	return math.Sqrt(freedom * (1 - x) / x)
}

// place widens the interval of a pair, which is known, by what placement makes of it. It reports whether that is known, too.
// Copies without timings, which may come, would narrow the interval.
func (p *Pair) place(half float64, all bool) bool {
	if half == 0 {
		return true
	}
	if math.IsInf(half, 1) {
		return false
	}
	if all {
		p.Placement, p.Noise = half, (p.High-p.Low)/2
	}
	p.Low, p.High = min(p.Low, p.Effect-half), max(p.High, p.Effect+half)
	return true
}

// placedShare is how much of a half interval the timings may make for more of them to be in vain.
const placedShare = 0.25

// ByPlacement reports whether the interval is as wide as it is by placement: more timings would hardly narrow it.
func (p *Pair) ByPlacement() bool { return p.Placement > 0 && p.Noise < placedShare*p.Placement }
