package pgo

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestCPU adds what counts cannot tell: calls in and of other packages, and those of what is not known before.
func TestCPU(t *testing.T) {
	pkg := &profile.Package{Path: "m/p", Callees: []table.Callee{{Package: "m/p", Name: "small"}, {Package: "sort", Name: "Ints"},
		{Package: "m/p", Name: "G[go.shape.int]"}}}
	p := calling(pkg, map[string][]int{"F": {0, 1, 2}, "G[...]": {0}}, map[string]int64{"F": 100, "G[...]": 100})
	weights := newGraph(callsOf(p)).weights()
	edge := func(caller, callee string, offset int, weight int64) pgofile.Edge {
		return pgofile.Edge{Caller: caller, Callee: callee, Offset: offset, Weight: weight}
	}
	cpu := []pgofile.Edge{
		edge("m/p.F", "m/p.small", 0, 3), // counted
		edge("m/p.F", "sort.Ints", 1, 1),
		edge("m/p.F", "m/p.small", 7, 11),                 // it is on no such line
		edge("m/p.G[go.shape.string]", "m/p.small", 9, 5), // nor this
		edge("m/p.F", "m/p.dynamic", 2, 4),                // by a function value
		edge("sort.Ints", "sort.pdq", 3, 8),
	}
	c := addCPU(weights, sampled(cpu), newInstrumented(p))
	if c.Factor != 20 || c.Told != 4 || c.Edges != 2 || c.Weight != 240 {
		t.Errorf("%+v", c)
	}
	got := make(map[string]float64)
	for e, weight := range weights {
		got[e.Caller+" "+e.Callee] += weight
	}
	want := map[string]float64{
		"m/p.F m/p.small": 100, "m/p.F sort.Ints": 100, "m/p.F m/p.G[go.shape.int]": 100, "m/p.G[go.shape.int] m/p.small": 100,
		"m/p.F m/p.dynamic": 80, "sort.Ints sort.pdq": 160,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCPUAlone has a CPU profile without a sample of what is counted: both weigh the same.
func TestCPUAlone(t *testing.T) {
	weights := map[pgofile.Edge]float64{{Caller: "m.F", Callee: "m.g"}: 600}
	cpu := []pgofile.Edge{{Caller: "a.A", Callee: "b.B", Weight: 2}, {Caller: "a.A", Callee: "b.C", Weight: 1}}
	c := addCPU(weights, sampled(cpu), nil)
	if c.Factor != 200 || c.Weight != 600 || c.Told != 0 {
		t.Errorf("%+v", c)
	}
}

func TestMoved(t *testing.T) {
	a := []pgofile.Edge{{Caller: "a", Weight: 900}, {Caller: "b", Weight: 95}, {Caller: "c", Weight: 5}}
	b := []pgofile.Edge{{Caller: "b", Weight: 600}, {Caller: "a", Weight: 300}, {Caller: "d", Weight: 100}}
	for _, test := range []struct {
		before, after []pgofile.Edge
		want          float64
	}{
		{a, a, 0}, {a, b, .1}, {b, a, .1}, {nil, a, .995}, {a, nil, .995}, {nil, nil, 0},
	} {
		if got := Moved(test.before, test.after); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v to %v: %v, want %v", test.before, test.after, got, test.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0%", 1: "100%", 1e-9: "<0.01%", .999999: ">99.99%", .5: "50%", .12345: "12.35%"} {
		if got := percent(share); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
}
