package strat

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/record"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// TestExperiment makes all tables and plots from a short trace, twice: the second time the trace is there.
func TestExperiment(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	x := &Experiment{Flags: lab.Flags{Match: regexp.MustCompile("Phases"), Dir: dir}, events: 1 << 17,
		experiments: 2, thresholds: strat.Usual}
	var first strings.Builder
	for range 2 {
		r := new(result.Report)
		if err := x.Run(r); err != nil {
			t.Fatal(err)
		}
		if err := result.WritePlots(filepath.Join(dir, "out.svg"), r); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := result.Print(&out, r); err != nil {
			t.Fatal(err)
		}
		if r.Failed() {
			t.Errorf("failed:\n%s", &out)
		}
		if plots, err := filepath.Glob(filepath.Join(dir, "out-*.svg")); len(plots) != 4 || err != nil {
			t.Errorf("plots: %v, %v", plots, err)
		}
		_, tables, _ := strings.Cut(out.String(), "\n\n")
		if first.Len() > 0 && first.String() != tables {
			t.Errorf("the same trace gives other numbers:\n%s\n%s", &first, tables)
		}
		first.WriteString(tables)
	}
}

// TestTrace holds a trace against the exact profile of a program that does the same each time. Each function must
// have the same numbers of executions of paths.
func TestTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	o := lab.Flags{Dir: t.TempDir()}
	list, err := lab.ReadList(lab.Workloads)
	if err != nil {
		t.Fatal(err)
	}
	target := lab.SelectTargets(list, regexp.MustCompile("Phases"), false)[0]
	want, got := exactCounts(t, &o, target), tracedCounts(t, &o, target)
	if len(want) == 0 {
		t.Fatal("no functions")
	}
	for i := range want {
		if slices.Sort(want[i]); !slices.Equal(want[i], got[uint64(i)]) {
			t.Errorf("function %d: %v, want %v", i, got[uint64(i)], want[i])
		}
	}
}

// exactCounts returns how often each path was executed, by function.
func exactCounts(t *testing.T, o *lab.Flags, target *lab.Target) (counts [][]int64) {
	w, err := o.Workshop([]lab.Mode{*lab.FindMode(lab.Plain), *lab.FindMode(lab.Exact)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.Build(target)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := w.Bench(b, target, target.Jobs[0]).Profile(lab.Exact, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Functions() {
		var executions []int64
		for _, path := range f.Paths {
			executions = append(executions, path.Count)
		}
		if !f.Declined() {
			counts = append(counts, executions)
		}
	}
	return counts
}

// tracedCounts returns the same from a trace, in ascending order.
func tracedCounts(t *testing.T, o *lab.Flags, target *lab.Target) map[uint64][]int64 {
	w, err := o.Folders([]lab.Mode{recording})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{w, 0, make(map[string]*lab.Build)}
	b, err := r.built(target)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := recordTrace(r.Bench(b, target, target.Jobs[0]), filepath.Join(r.Scratch, "recording"), 1<<21, 0, "1x")
	if err != nil {
		t.Fatal(err)
	}
	executions := make(map[stream.Tuple]int64)
	s := trace.Stream(record.Paths, math.MaxInt)
	for _, e := range s.Events {
		executions[s.Tuples[e]]++
	}
	counts := make(map[uint64][]int64)
	for tuple, n := range executions {
		function := tuple.Site - record.Paths<<32
		counts[function] = append(counts[function], n)
	}
	for function := range counts {
		slices.Sort(counts[function])
	}
	return counts
}

func TestUntil(t *testing.T) {
	points := []strat.Point{{Events: 100, Error: math.NaN()}, {Events: 200, Error: 0.4},
		{Events: 400, Error: 0.2}, {Events: 800, Error: 0.1}, {Events: 1600, Error: 0}}
	for _, test := range []struct {
		points []strat.Point
		most   float64
		want   float64
	}{
		{points, 0.2, 400},
		{points, 0.4, 200},
		{points, 0.1, 800},
		{points, 0.05, 1600},
		{points, 0, 1600},
		{points[:4], 0.05, 3200},
		{points[1:4], 0.5, 200},
		{points[1:4], 0.4 / math.Sqrt2, 200 * math.Sqrt2},
	} {
		if got := until(test.points, test.most, func(p strat.Point) float64 { return p.Error }); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%v: %v, want %v", test.most, got, test.want)
		}
	}
}
