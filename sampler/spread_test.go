package sampler

import "testing"

// TestSpread has what is chosen for ticks be spread evenly over its range.
func TestSpread(t *testing.T) {
	const ticks, parts = 10_000, 10
	for name, f := range map[string]func(tick uint64) uint64{
		"Later":  func(tick uint64) uint64 { return Later(tick, 4_000_000) - 1 },
		"Among":  func(tick uint64) uint64 { return Among(tick, 3_000_100, 100) },
		"Spread": func(tick uint64) uint64 { return Spread(tick, 3_000_000) },
		"Others": func(tick uint64) uint64 { return Others(tick, 1_000_000, 1000, 1<<40, 3_000_000) },
	} {
		var in [parts]int
		for tick := range uint64(ticks) {
			v := f(tick)
			if v >= 3_000_000 {
				t.Fatalf("%s: %d", name, v)
			}
			in[v*parts/3_000_000]++
		}
		for part, n := range in {
			if n < ticks/parts*9/10 || n > ticks/parts*11/10 {
				t.Errorf("%s: %d of %d in part %d", name, n, ticks, part)
			}
		}
	}
	if Among(5, 10, 10) != 0 {
		t.Error("samples are taken of more path ends than there are")
	}
}
