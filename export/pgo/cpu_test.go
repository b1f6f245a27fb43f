package pgo

import (
	"maps"
	"math"
	"math/rand/v2"
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
	if c.Factor != 100 || c.Edges != 2 || c.Raised != 1 {
		t.Errorf("%+v", c)
	}
	got := make(map[string]float64)
	for e, weight := range weights {
		got[e.Caller+" "+e.Callee] += weight
	}
	want := map[string]float64{
		"m/p.F m/p.small": 300, "m/p.F sort.Ints": 100, "m/p.F m/p.G[go.shape.int]": 100, "m/p.G[go.shape.int] m/p.small": 100,
		"m/p.F m/p.dynamic": 400, "sort.Ints sort.pdq": 800,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCPUHot has profiles in which weights differ by orders of magnitude. What the compiler takes for hot in one of them it
// must take for hot in both together.
func TestCPUHot(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	edges := func(caller string, scale float64) map[pgofile.Edge]float64 {
		list := make(map[pgofile.Edge]float64)
		for i := range 1 + random.IntN(200) {
			list[pgofile.Edge{Caller: caller, Offset: i}] = math.Ceil(scale * math.Exp(3*random.NormFloat64()))
		}
		return list
	}
	for range 200 {
		counted, cpu := edges("c", math.Exp(20*random.Float64())), edges("u", math.Exp(3*random.Float64()))
		both := maps.Clone(counted)
		addCPU(both, cpu, nil)
		cut := lightestHot(both)
		for _, part := range []map[pgofile.Edge]float64{counted, cpu} {
			own := lightestHot(part)
			for e, weight := range part {
				if weight >= own && both[e] < cut*(1-1e-9) {
					t.Fatalf("%v with %v is hot by itself, from %v on, and in both with %v it is not, from %v on",
						e, weight, own, both[e], cut)
				}
			}
		}
	}
}

// TestLightestHot holds it against the compiler's own loop, which adds edges to the hot ones until they are more than 99%.
func TestLightestHot(t *testing.T) {
	for _, test := range []struct {
		weights []float64
		want    float64
	}{
		{[]float64{7}, 7}, {[]float64{60, 40}, 40}, {[]float64{99, 1}, 1}, {[]float64{99.5, .5}, 99.5},
		{[]float64{50, 48, 1.5, .5}, 1.5}, {nil, 0},
	} {
		edges := make(map[pgofile.Edge]float64)
		for i, weight := range test.weights {
			edges[pgofile.Edge{Offset: i}] = weight
		}
		if got := lightestHot(edges); got != test.want {
			t.Errorf("%v: %v, want %v", test.weights, got, test.want)
		}
	}
}

func TestMoved(t *testing.T) {
	a := []pgofile.Edge{{Caller: "a", Weight: 900}, {Caller: "b", Weight: 95}, {Caller: "c", Weight: 5}}
	b := []pgofile.Edge{{Caller: "b", Weight: 600}, {Caller: "a", Weight: 300}, {Caller: "d", Weight: 100}}
	with := func(b int64) []pgofile.Edge { // b, which is hot in a, is lighter here than the lightest of the hot ones, 120
		return []pgofile.Edge{{Caller: "a", Weight: 9800}, {Caller: "e", Weight: 120}, {Caller: "b", Weight: b}}
	}
	for _, test := range []struct {
		before, after []pgofile.Edge
		want          float64
	}{
		{a, with(70), 120. / 9990}, {a, with(50), .095},
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
