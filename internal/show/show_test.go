package show

import (
	"math"
	"math/big"
	"testing"
)

func TestPercent(t *testing.T) {
	for _, test := range []struct {
		n, of int64
		want  string
	}{
		{0, 0, "-"},
		{0, 5, "0%"},
		{1, 10000, "<0.1%"},
		{1, 3, "33.3%"},
		{9999, 10000, ">99.9%"},
		{5, 5, "100%"},
		{math.MaxInt64, math.MaxInt64, "100%"},
	} {
		if got := Percent(test.n, test.of); got != test.want {
			t.Errorf("%d of %d: %s, want %s", test.n, test.of, got, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -100: "-100", 999999999999: "999,999,999,999", 1234567890123: "1.2e+12",
	} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	if got := Possible(huge); got != "1.2e+21" {
		t.Errorf("2^70: %s", got)
	}
	if got := Plural(1, "run") + Plural(1200, "run"); got != "1 run1,200 runs" {
		t.Error(got)
	}
}
