// Package sums has the arithmetic of counts: what comes from a file never overflows, and what is divided adds up again.
package sums

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrOverflow is the error for counts that no program has.
var ErrOverflow = errors.New("counts overflow 64 bits: the run data is damaged")

// MostEvents is more than any program has: see Budget.
const MostEvents = 1 << 53

// Add adds n to a sum, or nothing if it does not fit.
func Add(sum *uint64, n uint64) error {
	s, carry := bits.Add64(*sum, n, 0)
	if carry != 0 {
		return ErrOverflow
	}
	*sum = s
	return nil
}

// A Total is a sum that must stay within an int64, so that all sums of parts of it do.
type Total uint64

// Add adds numbers, all of them or, if there is no room, none.
func (t *Total) Add(numbers ...uint64) error {
	sum := uint64(*t)
	for _, n := range numbers {
		if n > math.MaxInt64-sum {
			return ErrOverflow
		}
		sum += n
	}
	*t = Total(sum)
	return nil
}

// A Budget is what the counts seen so far leave of an int64. Real counts never
// use it up: at 10¹¹ edges a second it lasts for three years of run time. Damaged data does.
//
// It also has the steps that were taken to decode them: edges of paths, and of graphs.
type Budget struct {
	Used  uint64
	Steps int
}

// mostSteps bounds the time and the memory that a profile takes: a second and a gigabyte. Two million paths of
// 60 edges are that many.
const mostSteps = 1 << 27

// Step takes n steps.
func (b *Budget) Step(n int) error {
	if b.Steps += n; b.Steps > mostSteps {
		return fmt.Errorf("there is more to decode than %d edges", mostSteps)
	}
	return nil
}

// Spend takes count × weight from the budget, and as many steps as the weight is.
func (b *Budget) Spend(count uint64, weight int) error {
	if err := b.Step(weight); err != nil {
		return err
	}
	hi, n := bits.Mul64(count, uint64(weight))
	if hi != 0 || n > math.MaxInt64-b.Used {
		return ErrOverflow
	}
	b.Used += n
	return nil
}
