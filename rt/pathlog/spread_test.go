package pathlog

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestSpread counts paths of two functions, one of which has more than there can be counters for.
func TestSpread(t *testing.T) {
	few := Target{At: 0, Paths: 3}
	_, end := few.Room()
	many := Target{At: end | Spread, Paths: 1 << 60}
	_, size := many.Room()
	counters := make([]U, size)
	want := make(map[U]U)
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		path := random.Uint64N(50) << random.Uint64N(54)
		counters[many.Counter(counters, path)]++
		want[path]++
		counters[few.Counter(counters, path%4)]++
	}
	counters[many.Counter(counters, many.Paths)]++ // that is none
	got := make(map[U]U)
	many.Counts(counters, func(path, n U) { got[path] = n })
	if !maps.Equal(got, want) {
		t.Errorf("%d paths are counted, want %d", len(got), len(want))
	}
	sum := counters[few.Counter(counters, few.Paths)]
	few.Counts(counters, func(path, n U) { sum += n })
	if sum != 10000 {
		t.Errorf("%d paths of the other function, want 10000", sum)
	}
}

// TestSpreadFull fills a table: what finds no room is not known.
func TestSpreadFull(t *testing.T) {
	f := Target{At: Spread, Paths: 1 << 60}
	_, size := f.Room()
	counters := make([]U, size)
	const besides = 10
	for path := range U(spreadPairs - 1 + besides) {
		counters[f.Counter(counters, path)]++
	}
	sum := U(0)
	f.Counts(counters, func(path, n U) { sum += n })
	if not := counters[f.Counter(counters, f.Paths)]; sum != spreadPairs-1 || not != besides {
		t.Errorf("%d paths are counted and %d are not known, want %d and %d", sum, not, spreadPairs-1, besides)
	}
}
