//go:build linux && (amd64 || arm64 || riscv64)

package rt_test

import (
	"maps"
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
