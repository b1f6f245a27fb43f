package verdict

import "math"

// moments are those of pairs of means, one pair for each batch, in the form of Welford's algorithm.
type moments struct {
	n             float64
	a, b          float64 // means
	aa, bb, cross float64 // sums of products of deviations
}

func (m *moments) add(a, b float64) {
	m.n++
	da, db := a-m.a, b-m.b
	m.a += da / m.n
	m.b += db / m.n
	m.aa += da * (a - m.a)
	m.bb += db * (b - m.b)
	m.cross += da * (b - m.b)
}

// ratio returns the confidence sequence of b/a after n batches, with probability alpha of ever being wrong. It is all numbers
// if a is not told from 0.
func (m *moments) ratio(alpha float64) (low, high float64) {
	if m.n < leastBatches {
		return math.Inf(-1), math.Inf(1)
	}
	// The ratios r with |b - r·a| <= width·deviation(b - r·a): a quadratic inequality.
	c := width(m.n, alpha)
	scale := c * c / (m.n - 1)
	x := m.a*m.a - scale*m.aa
	y := m.a*m.b - scale*m.cross
	z := m.b*m.b - scale*m.bb
	root := y*y - x*z
	if x <= 0 || m.a <= 0 {
		return math.Inf(-1), math.Inf(1)
	}
	root = math.Sqrt(max(root, 0))
	return (y - root) / x, (y + root) / x
}

// width returns half the width of the confidence sequence of a mean of n, in standard deviations of one.
func width(n, alpha float64) float64 {
	// The rho that makes it narrowest at tunedFor: Waudby-Smith et al., appendix B.2.
	l := -2 * math.Log(alpha)
	rho2 := (l + math.Log(l) + 1) / tunedFor
	nr := n * rho2
	return math.Sqrt(2 * (nr + 1) / (n * nr) * math.Log(math.Sqrt(nr+1)/alpha))
}
