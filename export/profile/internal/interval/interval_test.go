package interval

import (
	"math"
	"testing"
)

// TestStudent has quantiles of tables.
func TestStudent(t *testing.T) {
	for _, test := range []struct{ freedom, p, want float64 }{
		{1, 0.975, 12.7062}, {7, 0.975, 2.36462}, {15, 0.975, 2.13145}, {15, 0.025, -2.13145}, {15, 0.995, 2.94671},
		{1000, 0.975, 1.96234}, {15, 0.5, 0},
	} {
		if got := Student(test.freedom, test.p); math.Abs(got-test.want) > 1e-5 {
			t.Errorf("Student(%v, %v) is %v, want %v", test.freedom, test.p, got, test.want)
		}
	}
}
