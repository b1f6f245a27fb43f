//go:build linux && (amd64 || arm64 || riscv64)

package rt_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// paired is package-level as counted is.
var paired struct {
	c [rt.Pad + 1 + rt.Pad]uint64
	h [2]rt.Hash
	q [2]rt.PairCache
}

// pairIn does what rewritten code does at the end of a path: before is the number of the path before, or -1.
func pairIn(i int, again func(*rt.PairCache, uint64) bool, paths uint64, before int64, path uint64) {
	var p uint64
	if before >= 0 {
		p = uint64(before)*paths + paths + 1
	}
	if !again(&paired.q[i], p+path) {
		rt.Pair(&paired.q[i], &paired.h[i], p, path)
	}
}

// TestPair counts pairs of many more paths than a PairCache leads to, in one thread without atomic instructions and in several
// with them.
func TestPair(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	rt.Register(&rt.Package{Path: "example.com/pairs", Table: "t", Counters: &paired.c[0], N: 1, Hashes: &paired.h[0], NHashes: 2})

	const paths, rounds, threads = 100, 100_000, 4
	one, all := make(map[uint64]uint64), make(map[uint64]uint64)
	walk := func(i int, seed uint64, again func(*rt.PairCache, uint64) bool, count map[uint64]uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		before := int64(-1)
		for range rounds {
			path := min(uint64(r.ExpFloat64()*15), paths-1)
			pairIn(i, again, paths, before, path)
			if before >= 0 {
				count[(uint64(before)+1)*paths+path]++
			}
			if before = int64(path); r.IntN(20) == 0 {
				before = -1 // another activation
			}
		}
	}
	walk(0, 0, rt.Again, one)
	var done sync.WaitGroup
	var lock sync.Mutex
	for i := range uint64(threads) {
		done.Go(func() {
			mine := make(map[uint64]uint64)
			walk(1, i+1, rt.AgainAtomic, mine)
			lock.Lock()
			defer lock.Unlock()
			for pair, n := range mine {
				all[pair] += n
			}
		})
	}
	done.Wait()

	run := rttest.ReadDir(t, dir)
	for i, want := range []map[uint64]uint64{one, all} {
		got := maps.Clone(run.Packages[0].Hashes[i])
		if n := got[runfile.OtherPair]; n != 0 {
			t.Errorf("table %d: no room for %d pairs", i, n)
		}
		delete(got, runfile.OtherPair)
		if !maps.Equal(got, want) {
			t.Errorf("table %d has %d pairs, want %d; or counts differ", i, len(got), len(want))
		}
		if len(want) < 2000 {
			t.Errorf("only %d pairs: they should take each other's places in the cache", len(want))
		}
	}
}

// sampled is package-level as counted is: a table for each of some runs.
var sampled struct {
	c [rt.Pad + 1 + rt.Pad]uint64
	h [sampledRuns]rt.Hash
	q [sampledRuns]rt.PairCache
}

const (
	sampledRuns = 48
	manyPairs   = 1 << 17 // more than there is room for
)

// TestPairSampled fills tables of pairs, and then counts pairs for which there is no room. What is said for certain is true
// of each run. The mean of the estimates is the truth, for pairs that are rare and frequent, early and late.
func TestPairSampled(t *testing.T) {
	if testing.Short() {
		t.Skip("has the mean of many runs")
	}
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	rt.Register(&rt.Package{Path: "example.com/s", Table: "t", Counters: &sampled.c[0], N: 1, Hashes: &sampled.h[0], NHashes: sampledRuns})
	// Pairs of fourteen classes, of which class k has 2^k executions, in an order that is the same in each run. Each class has
	// enough executions for some 240 messages in all runs: the mean of a few messages is no normal one, and its error unknown.
	truth := make(map[uint64]uint64)
	var order []uint64
	pairs := func(class uint64) uint64 { return max(uint64(40), 1280>>class) }
	for class := range uint64(14) {
		for i := range pairs(class) {
			pair := manyPairs + class*2000 + i
			for range uint64(1) << class {
				order = append(order, pair)
			}
			truth[pair] = 1 << class
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	r.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	for i := range sampledRuns {
		for pair := uint64(1); pair <= manyPairs; pair++ {
			rt.Pair(&sampled.q[i], &sampled.h[i], 1, pair)
		}
		for _, pair := range order {
			if !rt.Again(&sampled.q[i], pair+1) {
				rt.Pair(&sampled.q[i], &sampled.h[i], 1, pair)
			}
		}
	}

	run := rttest.ReadDir(t, dir)
	sums := make([][sampledRuns]float64, 14)
	for i, table := range run.Packages[0].Hashes {
		var exact, others uint64
		for pair, n := range table {
			switch {
			case pair == runfile.OtherPair:
				others = n
			case pair&runfile.SampledPair == 0:
				if exact += n; n != 1 || pair > manyPairs {
					t.Fatalf("run %d: %d executions of pair %d counted, which is one of those that came first", i, n, pair)
				}
			case pair&^runfile.SampledPair > manyPairs:
				want := truth[pair&^runfile.SampledPair]
				if messages := (n + runfile.PairRate - 1) / runfile.PairRate; messages > want {
					t.Fatalf("run %d: %d executions for certain of a pair that has %d", i, messages, want)
				}
				sums[(pair&^runfile.SampledPair-manyPairs)/2000][i] += float64(n)
			}
		}
		if all := exact + others; all != manyPairs+uint64(len(order)) {
			t.Fatalf("run %d: %d executions, want %d", i, all, manyPairs+len(order))
		}
	}
	for class, list := range sums {
		mean, err := meanAndError(list[:])
		want := float64(pairs(uint64(class)) << class)
		if math.Abs(mean-want) > 5*err {
			t.Errorf("pairs with %d executions: %.0f ± %.0f in the mean of %d runs, want %.0f", 1<<class, mean, err, sampledRuns, want)
		}
		t.Logf("pairs with %d executions: %.0f ± %.0f, want %.0f", 1<<class, mean, err, want)
	}
}

// meanAndError returns the mean of a list and its standard error.
func meanAndError(list []float64) (mean, err float64) {
	n := float64(len(list))
	for _, x := range list {
		mean += x / n
	}
	for _, x := range list {
		err += (x - mean) * (x - mean) / (n - 1) / n
	}
	return mean, math.Sqrt(err)
}
