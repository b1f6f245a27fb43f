package versions

import "testing"

func TestOne(t *testing.T) { Sum([]int{1}); sumFour([]int{1}) }
func TestTwo(t *testing.T) { Sum(nil); sumFour(make([]int, 8)) }

func BenchmarkSum(b *testing.B) {
	x := make([]int, 10000)
	for range b.N {
		Sum(x)
	}
}
