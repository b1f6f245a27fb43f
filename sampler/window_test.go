package sampler

import (
	"math"
	"testing"
)

// TestSlowdown has windows of which some leave the program its time, and others nearly none.
func TestSlowdown(t *testing.T) {
	const length = 300_000
	for _, c := range []struct {
		name                string
		ends, paths, lo, hi uint64
	}{
		{"what only the signals take", 0, 0, 288_000, 288_000},
		{"a tenth of it is the probes'", 10_000, 0, 258_000, 258_000},
		{"paths that are new to caches", 10_000, 400, 217_990, 218_000},
		{"less than usual is left", 66_667, 0, 97_400, 97_500},
		{"nothing is left", 1_000_000, 0, 80_400, 80_600},
	} {
		var s Slowdown
		if got := s.Net(length, c.ends, c.paths, false); got < c.lo || got > c.hi {
			t.Errorf("%s: %d of %d ns, want %d to %d", c.name, got, length, c.lo, c.hi)
		}
	}
	var s Slowdown
	if a, b := s.Net(length, 0, 0, true), s.Net(length, 0, 0, false); a <= b {
		t.Errorf("%d ns where a full log has ended it, %d where a signal has", a, b)
	}
}

// TestSlowdownOfMany has windows of which one in two seems to leave nothing: what each stands for does not vary for it.
func TestSlowdownOfMany(t *testing.T) {
	var s Slowdown
	least, most := uint64(math.MaxUint64), uint64(0)
	for n := range 400 {
		got := s.Net(100_000, uint64(n%2)*20_000, 0, false)
		if n > 100 {
			least, most = min(least, got), max(most, got)
		}
	}
	if most > least*21/20 {
		t.Errorf("%d to %d of 100,000 ns", least, most)
	}
	if mean := (least + most) / 2; mean < 56_000 || mean > 60_000 {
		t.Errorf("%d of 100,000 ns, want 58,000", mean)
	}
}
