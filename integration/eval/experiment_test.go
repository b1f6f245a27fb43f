package main

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/record"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// TestExperiment makes all tables and plots from a short trace, twice: the second time the trace is there.
func TestExperiment(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	o := options{dir: dir, experiment: "strat", events: 1 << 17, experiments: 2, thresholds: strat.Usual}
	var first strings.Builder
	for range 2 {
		r, err := compressStreams(&o, regexp.MustCompile("Phases"), "")
		if err != nil {
			t.Fatal(err)
		}
		svg := filepath.Join(dir, "out.svg")
		var out strings.Builder
		if err := show(&out, r, &options{json: filepath.Join(dir, "out.json"), svg: svg}); err != nil {
			t.Fatal(err)
		}
		if r.failed() {
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

// TestTrace holds a trace against the exact profile of a program that does the same each time: each function has the same numbers of executions of paths.
func TestTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	o := options{dir: t.TempDir()}
	list, err := readList(workloads)
	if err != nil {
		t.Fatal(err)
	}
	target := selectTargets(list, regexp.MustCompile("Phases"), false)[0]
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
func exactCounts(t *testing.T, o *options, target *target) (counts [][]int64) {
	w, err := o.workshop([]mode{*findMode(plain), *findMode(exact)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.build(target)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := w.bench(b, target, target.jobs[0]).profile(exact, 1)
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
func tracedCounts(t *testing.T, o *options, target *target) map[uint64][]int64 {
	w, err := o.folders([]mode{recording})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{w, 0, make(map[string]*build)}
	b, err := r.built(target)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := r.bench(b, target, target.jobs[0]).record(filepath.Join(r.scratch, "recording"), 1<<21, 0, "1x")
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
	points := []strat.Point{{Events: 100, Error: math.NaN()}, {Events: 200, Error: 0.4}, {Events: 400, Error: 0.2}, {Events: 800, Error: 0.1}, {Events: 1600, Error: 0}}
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

func TestCurveScale(t *testing.T) {
	m := &measure{Rows: []*row{newRow("", "a"), newRow("", "b")}}
	m.Rows[0].add("1", 0.3, nil)
	m.Rows[1].add("2", 7, nil)
	m.Rows[1].add("3", 0, nil)
	s := curveScale(m)
	if s.least != 0.2 || s.most != 10 || len(s.ticks) != 6 {
		t.Errorf("%+v", s)
	}
}
