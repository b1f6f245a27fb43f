package profile

import (
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/windows"
)

var update = flag.Bool("update", false, "write the run file with replicates anew: only while no release has written files like it")

// countedFile is the committed run file of profiletest.NestedRun(1), which must keep decoding.
const countedFile = "../../rt/rundata/testdata/counted.gpi.gz"

// readCounted writes the committed file to a directory of its own, and returns its name.
func readCounted(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "run.1.0.gpi")
	if *update {
		if err := profiletest.NestedRun(1).WriteFile(name); err != nil {
			t.Fatal(err)
		}
		compress(t, name)
	}
	packed, err := os.Open(countedFile)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func compress(t *testing.T, name string) {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(countedFile)
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(out, gzip.BestCompression)
	z.Write(b)
	if err := errors.Join(z.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestCountedFile reads the committed file, which says what the run in memory does, and holds it against the truth.
func TestCountedFile(t *testing.T) {
	p, err := Load(filepath.Dir(readCounted(t)))
	if err != nil || len(p.Damaged) > 0 {
		t.Fatal(err, p.Damaged)
	}
	want := load(t, profiletest.NestedRun(1))
	want.Built = true
	if diff := cmp.Diff(want, p, cmp.AllowUnexported(Number{})); diff != "" {
		t.Errorf("(-memory +file):\n%s", diff)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	f := function(t, p, "example.com/m.F")
	for _, p := range []struct {
		edges []int
		count int64
	}{{[]int{2, 7}, profiletest.NestedCalls}, {[]int{4, 6}, profiletest.NestedCalls * profiletest.NestedOuter}} {
		n := f.PathNumber(f.pathAlong(t, p.edges))
		if n.Estimate != p.count || !n.Sure() || n.Exact != p.count || n.Samples != 0 {
			t.Errorf("path %v was counted %d times: %+v", p.edges, p.count, n)
		}
	}
	n := f.PathNumber(f.pathAlong(t, []int{3, 8, 5}))
	if truth := int64(profiletest.NestedPaths[4].Count) + 700; n.Exact != 700 || n.Samples < 10_000 || n.Low > truth || n.High < truth || n.Sure() {
		t.Errorf("%+v of %d executions", n, truth)
	}
	if n := f.CallsNumber(); n.Estimate != profiletest.NestedCalls || !n.Sure() {
		t.Errorf("calls, all of which have returned: %+v", n)
	}
	f.checkFlow(t)
}

// pathAlong returns the path along some edges.
func (f *Function) pathAlong(t *testing.T, edges []int) *Path {
	t.Helper()
	for i := range f.Paths {
		if slices.Equal(f.Paths[i].Edges, edges) {
			return &f.Paths[i]
		}
	}
	t.Fatalf("no path %v in %+v", edges, f.Paths)
	return nil
}

// checkFlow holds that as many paths lead to each place as out of it, but for rounding.
func (f *Function) checkFlow(t *testing.T) {
	t.Helper()
	places := newPlaces(f)
	excess := make(map[int]int64)
	for i := range f.Paths {
		p := &f.Paths[i]
		excess[places.to(p)] += p.Count
		excess[places.from(p)] -= p.Count
	}
	for place, n := range excess {
		if n < -int64(len(f.Paths)) || n > int64(len(f.Paths)) {
			t.Errorf("%d more paths into place %d than out of it", n, place)
		}
	}
}

// TestNumbers holds 95% intervals of paths, calls, edges and shares against the truth, in many runs.
func TestNumbers(t *testing.T) {
	const runs = 200
	truth := int64(profiletest.NestedPaths[4].Count) + 700
	held, wide := make(map[string]int), 0.0
	hold := func(what string, low, high, truth float64) {
		if low <= truth && truth <= high {
			held[what]++
		}
	}
	for seed := range uint64(runs) {
		f := function(t, load(t, profiletest.NestedRun(seed+1)), "example.com/m.F")
		n := f.PathNumber(f.pathAlong(t, []int{3, 8, 5}))
		hold("path", float64(n.Low), float64(n.High), float64(truth))
		wide += float64(n.High) / float64(n.Low)
		calls := f.CallsNumber()
		hold("calls", float64(calls.Low), float64(calls.High), profiletest.NestedCalls)
		edges := f.EdgeNumbers()
		hold("edge", float64(edges[3].Low), float64(edges[3].High), profiletest.NestedRounds+1000)
		block := f.BlockNumbers()[2]
		const heads = profiletest.NestedRounds + 1000 + profiletest.NestedCalls*profiletest.NestedOuter
		hold("block", float64(block.Low), float64(block.High), heads)
		hold("share", edges[8].Share.Low, edges[8].Share.High, (profiletest.NestedRounds*profiletest.NestedShare+700)/(profiletest.NestedRounds+1000))
		long := f.pathAlong(t, []int{3, 8, 5})
		flow := f.FlowNumber(long).ShareOf(f.FlowNumber())
		hold("flow", flow.Low, flow.High, f.trueFlowShare(t))
		each := calls.PerCall(20e9, 2000)
		hold("time", each.Low, each.High, 20e9/profiletest.NestedCalls)
	}
	for _, what := range []string{"path", "calls", "edge", "block", "share", "flow", "time"} {
		share := float64(held[what]) / runs
		t.Logf("%s: %.3f hold the truth", what, share)
		if sigma := math.Sqrt(0.95 * 0.05 / runs); share < 0.95-5*sigma {
			t.Errorf("%s: %.3f of intervals hold the truth, want 0.95", what, share)
		}
	}
	if wide /= runs; wide > 4 {
		t.Errorf("intervals end at %.2f times their beginning in the mean", wide)
	}
}

// trueFlowShare returns the share of the fifth of profiletest.NestedPaths in all flow. The rest is too little to tell.
func (f *Function) trueFlowShare(t *testing.T) float64 {
	t.Helper()
	all := 0.0
	for _, p := range profiletest.NestedPaths {
		all += p.Count * float64(f.pathAlong(t, p.Edges).Branches)
	}
	p := profiletest.NestedPaths[4]
	return p.Count * float64(f.pathAlong(t, p.Edges).Branches) / all
}

// TestNumbersNeverSeen has a site that was sampled, and no window that saw a path end there. What may have led there is not
// known, and what may not is.
func TestNumbersNeverSeen(t *testing.T) {
	r := profiletest.NestedRun(1)
	r.Data().Replicates = nil
	f := function(t, load(t, r), "example.com/m.F")
	edges := f.EdgeNumbers()
	if edges[8].Number != nil || edges[8].Share != nil || edges[0].Number != nil {
		t.Errorf("rounds that nobody has seen: %+v", edges)
	}
	if n := edges[7].Number; n == nil || !n.Sure() || n.Estimate != profiletest.NestedCalls {
		t.Errorf("returns: %+v", n)
	}
	if n := f.CallsNumber(); !n.Sure() || n.Estimate != profiletest.NestedCalls {
		t.Errorf("calls, all of which have returned: %+v", n)
	}
	if n := edges[8].Number; n.PerCall(1, 1) != nil {
		t.Error("time for each of what nobody has seen")
	}
	if n := f.PathNumber(f.pathAlong(t, []int{3, 8, 5})); n != nil {
		t.Errorf("a path that was counted for a while: %+v", n)
	}
}

// TestBlockNumbers has blocks with one edge into them, heads of loops and the entry. There is no number of what no window has
// seen.
func TestBlockNumbers(t *testing.T) {
	f := function(t, load(t, profiletest.NestedRun(1)), "example.com/m.F")
	blocks, edges, into := f.BlockNumbers(), f.EdgeNumbers(), make(map[int][]int)
	for i, e := range f.Table.Edges {
		into[e.To] = append(into[e.To], i)
	}
	for i, n := range blocks {
		unknown := slices.ContainsFunc(into[i], func(e int) bool { return edges[e].Number == nil })
		switch {
		case n == nil && unknown:
		case n == nil || n.Estimate != f.Blocks[i] || n.Low > n.Estimate || n.Estimate > n.High:
			t.Errorf("block %d, executed %d times: %+v", i, f.Blocks[i], n)
		case len(into[i]) == 1:
			if e := edges[into[i][0]]; n.Low != e.Low || n.High != e.High || n.Samples != e.Samples || n.Exact != e.Exact {
				t.Errorf("block %d: %+v, and the edge into it: %+v", i, n, e.Number)
			}
		}
	}
	if n := blocks[2]; n.Samples > edges[8].Samples+edges[9].Samples {
		t.Errorf("%d samples of a head of a loop, of whose rounds there are %d and %d",
			n.Samples, edges[8].Samples, edges[9].Samples)
	}
	r := profiletest.NestedRun(1)
	r.Data().Replicates = nil
	if n := function(t, load(t, r), "example.com/m.F").BlockNumbers()[6]; n != nil {
		t.Errorf("a block that nobody has seen: %+v", n)
	}
}

// TestNumbersOfOneWindow has something that one replicate has seen: what follows without it is nothing of nothing, and
// intervals have numbers all the same.
func TestNumbersOfOneWindow(t *testing.T) {
	n := &Number{Estimate: 500, Low: 1, High: 10_000}
	n.selections = make([]float64, len(windows.Design.Weights))
	for k := 1; k < len(n.selections); k++ {
		n.selections[k] = 530
	}
	if s := n.share(n, 0); s.Estimate != 1 || s.Low != 0 || s.High != 1 {
		t.Errorf("share %v, %v to %v", s.Estimate, s.Low, s.High)
	}
	if each := n.PerCall(1e9, 100); each != nil {
		t.Errorf("%v for each, %v to %v", each.Estimate, each.Low, each.High)
	}
}
