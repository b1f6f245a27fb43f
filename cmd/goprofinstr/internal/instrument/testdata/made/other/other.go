// Package other has calls that are inlined from leaf, and types of a third package in its own.
package other

import (
	"math/big"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument/testdata/made/leaf"
)

// Sum is of another package's type.
var Sum = new(big.Int).SetInt64(int64(leaf.Small(20)))

// Twice calls what is inlinable.
func Twice(b *leaf.Box[int]) int {
	n := 0
	for range 2 {
		n += leaf.Small(b.Len())
	}
	return n
}

// Max is not inlinable.
func Max(list []int) int {
	list = slices.Clone(list)
	slices.Sort(list)
	if len(list) == 0 || list[0] < 0 && leaf.Err != nil {
		return leaf.Small(0)
	}
	return list[len(list)-1]
}
