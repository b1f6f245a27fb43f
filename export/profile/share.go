package profile

import "math/bits"

// A division parts a number in whole numbers, in proportion to weights whose sum is known. The first parts together
// have what is in proportion to their weights, rounded down: each part is the difference of two such sums. So nothing
// is lost to rounding, and a part is within one of its share.
type division struct {
	number, weights uint64 // weights is the sum, and not 0
	seen, given     uint64 // weights and parts so far
}

// next returns the part of the next weight.
func (d *division) next(weight uint64) uint64 {
	d.seen += weight
	hi, lo := bits.Mul64(d.number, d.seen)
	upTo, _ := bits.Div64(hi, lo, d.weights) // seen is at most weights, so hi is less
	part := upTo - d.given
	d.given = upTo
	return part
}
