package sums

import (
	"math"
	"testing"
)

// TestBounds has the largest numbers that fit, and one more, which is not added.
func TestBounds(t *testing.T) {
	sum := uint64(1)
	if Add(&sum, math.MaxUint64-1) != nil || Add(&sum, 1) == nil || sum != math.MaxUint64 {
		t.Errorf("sum %d", sum)
	}
	var total Total
	if total.Add(math.MaxInt64-2, 1) != nil || total.Add(1, 1) == nil || total != math.MaxInt64-1 {
		t.Errorf("total %d", total)
	}
	var b Budget
	if b.Spend(math.MaxInt64/4, 4) != nil || b.Spend(1, 4) == nil || b.Spend(1<<63, 2) == nil || b.Spend(3, 1) != nil {
		t.Errorf("budget %+v", b)
	}
	if b.Step(mostSteps) == nil {
		t.Error("no bound of steps")
	}
}

// TestDivision parts a number into shares that add up to it, each within one of what is in proportion.
func TestDivision(t *testing.T) {
	d := Division{Number: 100, Weights: 7}
	sum := uint64(0)
	for _, weight := range []uint64{3, 0, 1, 1, 2} {
		part := d.Next(weight)
		if math.Abs(float64(part)-float64(weight)*100/7) >= 1 {
			t.Errorf("weight %d: %d", weight, part)
		}
		sum += part
	}
	if sum != 100 {
		t.Errorf("parts of %d", sum)
	}
}
