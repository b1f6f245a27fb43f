package contexts

import (
	"maps"
	"math"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// tree makes a context tree of stacks, innermost function first, with a node for each frame.
type tree struct {
	profile.Profile
	known map[string]*profile.Context
}

func newTree() *tree { return &tree{known: make(map[string]*profile.Context)} }

// node returns the context of a stack. Lines differ between trees and nodes.
func (t *tree) node(line int32, names ...string) *profile.Context {
	if len(names) == 0 {
		return nil
	}
	parent := t.node(line, names[1:]...)
	c := &profile.Context{Parent: parent, Frames: []pcct.Frame{{Name: names[0], Line: line}}}
	t.Contexts = append(t.Contexts, c)
	return c
}

func (t *tree) spend(ns int64, line int32, names ...string) {
	t.node(line, names...).Time = ns
}

// call adds a function that was called in a context.
func (t *tree) call(n int64, c *profile.Context) {
	f := &profile.Function{Table: &table.Function{Name: c.Frames[0].Name}, Calls: []profile.Call{{Context: c, Count: n}}}
	t.Packages = append(t.Packages, &profile.Package{Functions: []*profile.Function{f}})
}

// example has the trees of the package documentation.
func example() (a, b *tree) {
	a, b = newTree(), newTree()
	a.spend(2, 1, "next", "parse", "main")
	a.spend(3, 2, "next", "parse", "main") // another line, the same node
	a.spend(1, 3, "parse", "main")
	b.spend(4, 4, "next", "parse", "main")
	b.spend(2, 5, "parse", "main")
	b.spend(1, 6, "next", "main")
	return a, b
}

func TestCorrelation(t *testing.T) {
	a, b := example()
	check(t, "example", 8*math.Sqrt(3)/14, 1e-12)(Correlation(Times(&a.Profile), Times(&b.Profile)))
	x, y, z := Key{}.down("x"), Key{}.down("y"), Key{}.down("z")
	check(t, "itself", 1, 1e-12)(Correlation(Weights{x: 1, y: 2}, Weights{x: 10, y: 20}))
	check(t, "opposite", -1, 1e-12)(Correlation(Weights{x: 1, y: 2}, Weights{x: 2, y: 1}))
	// Missing is 0: (1, 1, 0) and (0, 1, 1).
	check(t, "half", -0.5, 1e-12)(Correlation(Weights{x: 1, y: 1}, Weights{y: 1, z: 1}))
	for _, none := range []Weights{nil, {x: 1}, {x: 1, y: 1}} {
		if got, err := Correlation(none, none); err == nil {
			t.Errorf("of %v: %v", none, got)
		}
	}
}

func check(t *testing.T, what string, want, by float64) func(float64, error) {
	return func(got float64, err error) {
		t.Helper()
		if err != nil || math.Abs(got-want) > by {
			t.Errorf("%s: got %v, %v, want %v", what, got, err, want)
		}
	}
}

// TestInlined has a node with an inlined function where the other tree has two.
func TestInlined(t *testing.T) {
	a, b := newTree(), newTree()
	a.spend(1, 1, "next", "parse")
	b.Contexts = []*profile.Context{{Frames: []pcct.Frame{{Name: "next"}, {Name: "parse"}}, Time: 1}}
	if wa, wb := Times(&a.Profile), Times(&b.Profile); !maps.Equal(wa, wb) || len(wa) != 1 {
		t.Errorf("%v, %v", wa, wb)
	}
}

// TestUnion has time and calls of the same context.
func TestUnion(t *testing.T) {
	a := newTree()
	a.spend(30, 1, "next", "parse")
	a.spend(10, 1, "next", "scan")
	a.call(7, a.node(0, "next", "parse"))
	nodes, edges := Times(&a.Profile), Calls(&a.Profile)
	parse, scan := Key{}.down("parse").down("next"), Key{}.down("scan").down("next")
	if want := (Weights{parse: 7}); !maps.Equal(edges, want) {
		t.Errorf("calls: %v, want %v", edges, want)
	}
	a.node(1, "next", "parse").New = 3
	a.node(2, "next", "parse").New = 2
	if got, want := New(&a.Profile), (Weights{parse: 5}); !maps.Equal(got, want) {
		t.Errorf("new: %v, want %v", got, want)
	}
	want := Weights{parse: 30, scan: 10, parse.down(""): 7}
	if got := Union(nodes, edges); !maps.Equal(got, want) {
		t.Errorf("union: %v, want %v", got, want)
	}
}

// TestEffective has ten contexts of the same weight, of which some are seen at different lines, and one that
// is never seen.
func TestEffective(t *testing.T) {
	a := newTree()
	for _, name := range strings.Split("abcdefghij", "") {
		for line := range int32(4) {
			a.node(line, name, "main").Samples = 1000
		}
	}
	a.node(0, "k", "main")
	effective, n := Effective(&a.Profile)
	if math.Abs(effective-10) > 0.01 || n != 40_000 {
		t.Errorf("%v of %v samples", effective, n)
	}
	if effective, _ := Effective(&profile.Profile{Contexts: []*profile.Context{{Samples: 1}}}); !math.IsInf(effective, 1) {
		// 0/0 would be no number for a table
		t.Errorf("of one sample: %v", effective)
	}
}

func TestSince(t *testing.T) {
	x, y := Key{}.down("x"), Key{}.down("y")
	before, now := Weights{x: 2}, Weights{x: 5, y: 1}
	if got, want := now.Since(before), (Weights{x: 3, y: 1}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if now[x] != 5 {
		t.Error("the later state is another now")
	}
}

// TestFold has stacks whose innermost functions are not instrumented, both in a tree and in a CPU profile.
func TestFold(t *testing.T) {
	_, b := example()
	b.spend(8, 7, "runtime.mallocgc", "sort[...].func1", "main")
	for _, name := range []string{"next", "sort[...].func1", "never"} {
		b.Packages = append(b.Packages, &profile.Package{Functions: []*profile.Function{{Table: &table.Function{Name: name}}}})
	}
	known := NewInstrumented(&b.Profile)
	want := map[string]float64{"next": 5, None: 2, "sort[...].func1": 8}
	if got := known.ByFunction(&b.Profile); !maps.Equal(got, want) {
		t.Errorf("of a tree: %v, want %v", got, want)
	}

	function := func(name string) pprof.Line { return pprof.Line{Function: &pprof.Function{Name: name}} }
	cpu := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample: []*pprof.Sample{
			{Value: []int64{1, 5}, Location: []*pprof.Location{{Line: []pprof.Line{function("strings.Index"),
				function("next")}}, {Line: []pprof.Line{function("main")}}}},
			{Value: []int64{1, 2}, Location: []*pprof.Location{{Line: []pprof.Line{function("runtime.gcBgMarkWorker")}}}},
			{Value: []int64{1, 8}, Location: []*pprof.Location{{Line: []pprof.Line{function("sort[...].func1")}}, {Line: []pprof.Line{function("next")}}}},
		},
	}
	if got, err := known.ByFunctionOf(cpu); !maps.Equal(got, want) || err != nil {
		t.Errorf("of a CPU profile: %v, %v, want %v", got, err, want)
	}
	main := Key{}.down("main")
	wantTimes := Weights{main.down("next").down("strings.Index"): 5, Key{}.down("runtime.gcBgMarkWorker"): 2,
		Key{}.down("next").down("sort[...].func1"): 8}
	if got, err := TimesOf(cpu); !maps.Equal(got, wantTimes) || err != nil {
		t.Errorf("times: %v, %v, want %v", got, err, wantTimes)
	}
	cpu.SampleType[1].Type = "wall"
	if got, err := known.ByFunctionOf(cpu); err == nil {
		t.Errorf("of another profile: %v", got)
	}
}

func TestOverlap(t *testing.T) {
	a := map[string]float64{"f": 1, "g": 3}
	check(t, "itself", 1, 1e-12)(Overlap(a, map[string]float64{"f": 10, "g": 30}))
	check(t, "other shares", 0.75, 1e-12)(Overlap(a, map[string]float64{"f": 2, "g": 2}))
	check(t, "nothing in common", 0, 0)(Overlap(a, map[string]float64{"h": 2}))
	if got, err := Overlap(a, nil); err == nil {
		t.Errorf("with nothing: %v", got)
	}
}
