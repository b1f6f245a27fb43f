package covdata

import (
	"math"
	"testing"
)

func TestCounterValue(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		mode string
		want uint64
	}{
		{0, "set", 0}, {7, "set", 1}, {math.MaxInt64, "set", 1},
		{7, "count", 7}, {math.MaxUint32, "count", math.MaxUint32}, {math.MaxUint32 + 1, "atomic", math.MaxUint32},
	} {
		if got := counterValue(tt.n, counterModes[tt.mode]); got != tt.want {
			t.Errorf("%d in mode %s is %d, want %d", tt.n, tt.mode, got, tt.want)
		}
	}
}

// TestInOrder sorts packages that the order has not behind the others, as they were.
func TestInOrder(t *testing.T) {
	packages := []*pkg{{path: "a"}, {path: "b"}, {path: "c"}, {path: "d"}}
	inOrder(packages, []string{"d", "x", "b"})
	got := ""
	for _, p := range packages {
		got += p.path
	}
	if got != "dbac" {
		t.Errorf("order %s, want dbac", got)
	}
}
