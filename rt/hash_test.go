//go:build linux && (amd64 || arm64 || riscv64)

package rt_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// counted is package-level so that it is not on the Go heap, as in programs.
var counted struct {
	c [rt.Pad + 1000 + rt.Pad]uint64
	d [rt.Pad + 1 + rt.Pad]uint64
	h [3]rt.Hash
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	c := &counted.c
	c[rt.Pad+1] = 4 // before Register
	rt.Path(&counted.h[2], 99)
	rt.Register(&rt.Package{Path: "example.com/p", Table: "tableP", Counters: &c[0], N: 1000, Hashes: &counted.h[0], NHashes: 3})
	rt.Register(&rt.Package{Path: "example.com/none"})
	rt.Register(&rt.Package{Path: "example.com/d", Table: "tableD", Counters: &counted.d[0], N: 1})
	c[rt.Pad+1]++
	c[rt.Pad+999] = 7
	counted.d[rt.Pad] = 8
	rt.Path(&counted.h[0], 1)
	rt.Path(&counted.h[0], 1)

	run := rttest.ReadDir(t, dir)
	if run.Pid != os.Getpid() || len(run.Args) == 0 || run.Args[0] != os.Args[0] || run.Lost != 0 {
		t.Errorf("pid %d, args %q, lost %d", run.Pid, run.Args, run.Lost)
	}
	if len(run.Packages) != 3 {
		t.Fatalf("%d packages", len(run.Packages))
	}
	p, none, d := run.Packages[0], run.Packages[1], run.Packages[2]
	want := make([]uint64, 1000)
	want[1], want[999] = 5, 7
	if p.Path != "example.com/p" || string(p.Table) != "tableP" || !slices.Equal(p.Counters, want) {
		t.Errorf("package p: %+v", p)
	}
	if len(p.Hashes) != 3 || !maps.Equal(p.Hashes[0], map[uint64]uint64{1: 2}) || p.Hashes[1] != nil ||
		!maps.Equal(p.Hashes[2], map[uint64]uint64{99: 1}) {
		t.Errorf("hashes of p: %v", p.Hashes)
	}
	if none.Path != "example.com/none" || len(none.Table)+len(none.Counters)+len(none.Hashes) != 0 {
		t.Errorf("package none: %+v", none)
	}
	if d.Path != "example.com/d" || !slices.Equal(d.Counters, []uint64{8}) {
		t.Errorf("package d: %+v", d)
	}
}

// TestHashConcurrent counts the same and different paths from many goroutines,
// all of which make the tables grow at once, against maps of their own.
func TestHashConcurrent(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	h := new(rt.Hash)
	rt.Register(&rt.Package{Path: "example.com/p", Table: "t", Hashes: h, NHashes: 1})

	const goroutines, executions = 32, 20_000
	var wg sync.WaitGroup
	want := make([]map[uint64]uint64, goroutines)
	for g := range goroutines {
		want[g] = make(map[uint64]uint64)
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(g)))
			for i := range uint64(executions) {
				var path uint64
				switch rnd.IntN(3) {
				case 0: // few, dense
					path = rnd.Uint64N(100)
				case 1: // new to everybody at about the same time
					path = i << 20
				case 2: // this goroutine's own
					path = uint64(g)<<40 | rnd.Uint64N(1000)
				}
				want[g][path]++
				rt.Path(h, path)
			}
		})
	}
	wg.Wait()

	run := rttest.ReadDir(t, dir)
	sum := make(map[uint64]uint64)
	for _, m := range want {
		for path, n := range m {
			sum[path] += n
		}
	}
	if got := run.Packages[0].Hashes[0]; !maps.Equal(got, sum) {
		t.Errorf("%d paths counted otherwise than %d in maps", len(got), len(sum))
	}
	if run.Lost != 0 {
		t.Errorf("%d lost", run.Lost)
	}
}

// TestHashFirstChunk has goroutines meet at the first path of many hashes, where
// one of them hangs its chunk and the others must take that one.
func TestHashFirstChunk(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	const goroutines, rounds = 4, 3000
	hashes := make([]rt.Hash, rounds)
	rt.Register(&rt.Package{Path: "example.com/p", Table: "t", Hashes: &hashes[0], NHashes: rounds})
	var arrived [rounds]atomic.Int32
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range hashes {
				arrived[i].Add(1)
				for arrived[i].Load() < goroutines {
					runtime.Gosched()
				}
				rt.Path(&hashes[i], 7)
			}
		})
	}
	wg.Wait()
	for i, h := range rttest.ReadDir(t, dir).Packages[0].Hashes {
		if !maps.Equal(h, map[uint64]uint64{7: goroutines}) {
			t.Fatalf("hash %d: %v", i, h)
		}
	}
}

// TestHashAgainstMap counts regular sequences of path numbers, which a poor hash
// function would pile up.
func TestHashAgainstMap(t *testing.T) {
	for _, step := range []uint64{1, 2, 1 << 8, 1 << 16, 1 << 32, 1 << 44, 0x9e3779b97f4a7c15} {
		dir := t.TempDir()
		stop := runfile.StartIn(dir)
		h := new(rt.Hash)
		rt.Register(&rt.Package{Path: "example.com/p", Table: "t", Hashes: h, NHashes: 1})
		want := make(map[uint64]uint64)
		for i := range uint64(50_000) {
			path := (i % 30_000) * step
			rt.Path(h, path)
			want[path]++
		}
		run := rttest.ReadDir(t, dir)
		if !maps.Equal(run.Packages[0].Hashes[0], want) {
			t.Errorf("step %#x: counts differ", step)
		}
		// The chunks of 30 000 paths have 16 bytes each and double in size. That is twice what is needed, or a little
		// more when one was begun early.
		if size := runSize(t, dir); size > 5*30_000*runfile.EntrySize {
			t.Errorf("step %#x: %d bytes", step, size)
		}
		stop()
	}
}

// TestHashFull counts more paths than a Hash may hold.
func TestHashFull(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 32 MiB")
	}
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	h := new(rt.Hash)
	rt.Register(&rt.Package{Path: "example.com/p", Table: "t", Hashes: h, NHashes: 1})
	const paths = 2_200_000
	for p := range uint64(paths) {
		rt.Path(h, p) // tells about it on stderr, once
	}
	other := new(rt.Hash) // is none the worse for it
	rt.Register(&rt.Package{Path: "example.com/other", Table: "t", Hashes: other, NHashes: 1})
	rt.Path(other, 1)
	run := rttest.ReadDir(t, dir)
	if h := run.Packages[1].Hashes[0]; !maps.Equal(h, map[uint64]uint64{1: 1}) {
		t.Errorf("another hash: %v", h)
	}
	counted := uint64(len(run.Packages[0].Hashes[0]))
	if counted < 2_000_000 || run.Lost == 0 || counted+run.Lost != paths {
		t.Errorf("%d counted, %d lost of %d", counted, run.Lost, paths)
	}
	if size := runSize(t, dir); size > 33<<20 {
		t.Errorf("%d bytes", size)
	}
}

func runSize(t *testing.T, dir string) int64 {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "run.*.gpi"))
	info, err := os.Stat(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestPathAllocatesNothing(t *testing.T) {
	stop := runfile.StartIn(t.TempDir())
	defer stop()
	h := new(rt.Hash)
	rt.Path(h, 0)
	path := uint64(0)
	if n := testing.AllocsPerRun(200, func() { rt.Path(h, path); path++ }); n != 0 {
		t.Errorf("%v allocations per path", n)
	}
}

// TestNoRun counts with nothing to record into.
func TestNoRun(t *testing.T) {
	var h rt.Hash
	rt.Register(&rt.Package{Path: "example.com/p", Table: "t", Counters: &counted.d[0], N: 1, Hashes: &h, NHashes: 1})
	rt.Path(&h, 1)
	rt.Path(&h, 1)
}

func BenchmarkInc(b *testing.B) {
	for b.Loop() {
		rt.Inc(&counted.d[rt.Pad])
	}
}

func BenchmarkPath(b *testing.B) {
	for _, paths := range []uint64{1, 100, 10_000, 1_000_000} {
		b.Run(strconv.FormatUint(paths, 10), func(b *testing.B) {
			stop := runfile.StartIn(b.TempDir())
			defer stop()
			h := new(rt.Hash)
			for p := range paths {
				rt.Path(h, p)
			}
			p := uint64(0)
			for b.Loop() {
				rt.Path(h, p)
				if p += 7919; p >= paths {
					p %= paths
				}
			}
		})
	}
}
