package sums

import "math/bits"

// A Division parts a number in whole numbers, in proportion to weights whose sum is known. The first parts together
// have what is in proportion to their weights, rounded down: each part is the difference of two such sums. So nothing
// is lost to rounding, and a part is within one of its share.
type Division struct {
	Number, Weights uint64 // Weights is the sum, and not 0
	seen, given     uint64 // weights and parts so far
}

// Next returns the part of the next weight.
func (d *Division) Next(weight uint64) uint64 {
	d.seen += weight
	hi, lo := bits.Mul64(d.Number, d.seen)
	upTo, _ := bits.Div64(hi, lo, d.Weights) // seen is at most Weights, so hi is less
	part := upTo - d.given
	d.given = upTo
	return part
}
