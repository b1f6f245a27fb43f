//go:build amd64 || arm64 || riscv64

package pertest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/pertest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// tested is package-level so that it is not on the Go heap, as in programs.
var tested struct {
	p [rt.Pad + 3000 + rt.Pad]uint64
	q [rt.Pad + 1 + rt.Pad]uint64
	h [3]rt.Hash

	taken [1]rt.Hash
	same  [rt.Pad + 1 + rt.Pad]uint64
}

// TestTests has random tests count in arrays and hash tables, which grow meanwhile. It holds what each is said to have counted
// against what it did, at random moments and in the end.
func TestTests(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	defer pertest.PerTest()()
	rt.Register(&rt.Package{Path: "example.com/p", Table: "tableP", Counters: &tested.p[0], N: 3000, Hashes: &tested.h[0], NHashes: 2})
	rt.Register(&rt.Package{Path: "example.com/q", Table: "tableQ", Counters: &tested.q[0], N: 1, Hashes: &tested.h[2], NHashes: 1})
	rnd := rand.New(rand.NewPCG(1, 2))
	want := make(map[string]uint64)
	for round := range 600 {
		name := fmt.Sprintf("example.com/p Test%d", rnd.IntN(50))
		if rnd.IntN(10) == 0 {
			name = "example.com/p "
		}
		if round > 0 { // what is counted before is of the first test
			pertest.SwitchTest(name)
		} else {
			pertest.SwitchTest("example.com/p ")
			name = "example.com/p "
		}
		for range rnd.IntN(200) {
			i := rt.U(rnd.IntN(3000))
			switch rnd.IntN(4) {
			case 0:
				tested.p[rt.Pad+i]++
				want[fmt.Sprint(name, "|example.com/p -1 ", i)]++
			case 1:
				tested.q[rt.Pad]++
				want[fmt.Sprint(name, "|example.com/q -1 0")]++
			case 2:
				rt.Path(&tested.h[1], i)
				want[fmt.Sprint(name, "|example.com/p 1 ", i)]++
			case 3:
				rt.Path(&tested.h[2], i<<40)
				want[fmt.Sprint(name, "|example.com/q 0 ", i<<40)]++
			}
		}
		if rnd.IntN(60) == 0 {
			compareTests(t, rttest.ReadDir(t, dir), want)
		}
	}
	compareTests(t, rttest.ReadDir(t, dir), want)
}

// TestSameTest tells the same test again and again, as go test -fuzz does for each input. The run file must not grow, and nothing
// that is counted may be lost.
func TestSameTest(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	defer pertest.PerTest()()
	rt.Register(&rt.Package{Path: "example.com/p", Table: "tableP", Counters: &tested.same[0], N: 1})
	pertest.SwitchTest("example.com/p FuzzA")
	before := sizeOf(t, dir)
	for range 100_000 {
		tested.same[rt.Pad]++
		pertest.SwitchTest("example.com/p FuzzA")
	}
	if after := sizeOf(t, dir); after != before {
		t.Errorf("the run file has grown from %d to %d bytes", before, after)
	}
	pertest.SwitchTest("example.com/p ")
	tested.same[rt.Pad]++
	compareTests(t, rttest.ReadDir(t, dir), map[string]uint64{
		"example.com/p FuzzA|example.com/p -1 0": 100_000, "example.com/p |example.com/p -1 0": 1,
	})
}

// sizeOf returns the size of the one run file in a folder.
func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(rttest.ReadDir(t, dir).Name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestTakenBack has the entries of a Hash be zeros between two tests, as after the file system has taken a page of the run file
// back. What was recorded before can be read all the same.
func TestTakenBack(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	defer pertest.PerTest()()
	h := &tested.taken[0]
	*h = rt.Hash{}
	rt.Register(&rt.Package{Path: "example.com/p", Table: "tableP", Hashes: h, NHashes: 1})
	pertest.SwitchTest("example.com/p Test1")
	rt.Path(h, 5)
	pertest.SwitchTest("example.com/p Test2")
	chunk := (*runfile.HashRecord)(*runfile.FirstChunk(unsafe.Pointer(h)))
	for i := range chunk.Entries {
		*chunk.Entry(i) = runfile.HashEntry{}
	}
	pertest.SwitchTest("example.com/p ")
	compareTests(t, rttest.ReadDir(t, dir), map[string]uint64{"example.com/p Test1|example.com/p 0 5": 1})
}

func compareTests(t *testing.T, run *rundata.Run, want map[string]uint64) {
	t.Helper()
	got := make(map[string]uint64)
	for _, test := range run.Tests {
		for _, c := range test.Counts {
			got[fmt.Sprint(test.Package, " ", test.Name, "|", c.Package.Path, " ", c.Hash, " ", c.Number)] += c.Count
		}
	}
	if !maps.Equal(got, want) {
		var differ []string
		for key, n := range want {
			if got[key] != n {
				differ = append(differ, fmt.Sprintf("%s: %d, want %d", key, got[key], n))
			}
		}
		t.Fatalf("%d counts of tests, want %d; %d differ:\n%s", len(got), len(want), len(differ), strings.Join(differ[:min(len(differ), 10)], "\n"))
	}
}
