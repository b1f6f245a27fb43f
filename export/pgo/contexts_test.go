package pgo

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// at returns a frame of a function that starts on line 10.
func at(function string, offset int32) pcct.Frame {
	return pcct.Frame{Name: function, Line: 10 + offset, StartLine: 10}
}

// below returns a context in which some CPU time was spent, ms, innermost frame first.
func below(parent *profile.Context, ms int64, frames ...pcct.Frame) *profile.Context {
	return &profile.Context{Parent: parent, Frames: frames, Time: ms * 1e6, Samples: 1}
}

// stacksOfF has stacks of F as it was in the old version of its package, whose package is path.
func stacksOfF(path string) []*profile.Context {
	exit := below(nil, 0, at(goexit, 0))
	f := func(offset int32) *profile.Context { return below(exit, 0, at(path+".F", offset)) }
	unmarshal := below(f(2), 0, at("encoding/json.Unmarshal", 5))
	inlined := []pcct.Frame{at("encoding/json.step", 1), at("encoding/json.scan[go.shape.int]", 6)}
	return []*profile.Context{
		below(exit, 90, at(path+".F", 7)),                 // runtime.goexit calls nothing
		below(f(1), 10, at(path+".a", 0)),                 // counted, too, with less weight
		below(f(1), 20, at(path+".dynamic", 0)),           // on a line that has moved
		below(f(2), 40, at(path+".dynamic", 0)),           // on one of which that is not known
		below(unmarshal, 3, at("encoding/json.valid", 2)), // not instrumented
		below(unmarshal, 4, at("encoding/json.valid", 1)), // the same call
		below(unmarshal, 5, inlined...),                   // step is inlined
		below(unmarshal, 6, pcct.Frame{}),                 // there was no room for its name
	}
}

// TestContexts takes the calls that no count tells of from the stacks of an older build.
func TestContexts(t *testing.T) {
	older := ran(t, oldTable, "shop", 1, "F", 1000)
	older.Profile.Contexts = stacksOfF("m/p")
	newer := ran(t, newTable, "shop", 5, "F", 0)
	r := mustMake(t, Options{}, older, newer)
	want := []pgofile.Edge{
		{Caller: "m/p.F", Callee: "m/p.dynamic", Offset: 3, Weight: 4000},
		{Caller: "m/p.F", Callee: "m/p.a", Offset: 3, Weight: 2000},
		{Caller: "encoding/json.Unmarshal", Callee: "encoding/json.valid", Offset: 5, Weight: 1400},
		{Caller: "encoding/json.Unmarshal", Callee: "encoding/json.scan[go.shape.int]", Offset: 5, Weight: 1000},
		{Caller: "encoding/json.scan[go.shape.int]", Callee: "encoding/json.step", Offset: 6, Weight: 1000},
		{Caller: "m/p.F", Callee: "m/p.b", Offset: 4, Weight: 1000},
	}
	if diff := cmp.Diff(want, r.Edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	const text = "calling contexts of sampled runs: 4 edges that counts do not tell; a millisecond weighs as 200 executions, " +
		"so that what is hot in either is hot in both"
	if lines := r.Text(); lines[len(lines)-1] != text {
		t.Errorf("%q, want %q", lines[len(lines)-1], text)
	}
}

// TestMove has functions that have another name now, and those of package main in a test binary.
func TestMove(t *testing.T) {
	branchy := func(name string) table.Function {
		return table.Function{Name: name, Line: 40, EndLine: 50, Blocks: make([]table.Block, 5), Exit: 4,
			Edges: []table.Edge{{To: 1}, {To: 2}, {From: 1, To: 3}, {From: 2, To: 3}, {From: 3, To: 4}}}
	}
	of := func(main bool, path, name string) *profile.Profile {
		pkg := profiletest.Package(path, branchy(path+"."+name))
		pkg.Main = main
		p, err := profile.New(nil, []*table.Package{pkg})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	gone := of(false, "m/q", "g") // has another function, with another graph
	gone.Packages[0].Functions[0].Table.Edges = []table.Edge{{To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}}
	edge := func(caller, callee string) pgofile.Edge {
		return pgofile.Edge{Caller: caller, Callee: callee, Offset: 3}
	}
	for _, test := range []struct {
		build, latest *profile.Profile
		edge, want    pgofile.Edge
	}{
		{of(false, "m/p", "less"), of(false, "m/p", "before"), edge("sort.f", "m/p.less"), edge("sort.f", "m/p.before")},
		{of(false, "m/p", "F[...]"), of(false, "m/p", "G[...]"), edge("m/p.F[go.shape.int]", "x.X"),
			edge("m/p.G[go.shape.int]", "x.X")},
		{of(true, "m/p", "f"), of(true, "m/p", "f"), edge("m/p.f", "x.X"), edge("main.f", "x.X")},
		{of(true, "m/p", "f"), of(true, "m/p", "f"), edge("sort.f", "main.f"), edge("sort.f", "main.f")},
		{of(false, "m/p", "f"), gone, edge("sort.f", "m/p.f"), edge("sort.f", "m/p.f")},
	} {
		if got, ok := newMatch(test.build, test.latest).move(test.edge); !ok || got != test.want {
			t.Errorf("%v is %v, %t, want %v", test.edge, got, ok, test.want)
		}
	}
	if got, ok := newMatch(of(false, "m/p", "f"), gone).move(edge("m/p.f", "x.X")); ok {
		t.Errorf("a function that is gone is %v", got)
	}
}

// TestContextsWeights has the stacks of two services, of which one has a weight; and a CPU profile in place of stacks.
func TestContextsWeights(t *testing.T) {
	shop, canary := ran(t, oldTable, "shop", 1, "F", 1000), ran(t, oldTable, "canary", 2, "F", 1000)
	shop.Profile.Contexts, canary.Profile.Contexts = stacksOfF("m/p"), stacksOfF("m/p")
	o := Options{Weights: map[string]float64{"canary": 2}}
	weightOf := func(r *Result, callee string) int64 {
		for _, e := range r.Edges {
			if e.Callee == callee {
				return e.Weight
			}
		}
		return 0
	}
	if got := weightOf(mustMake(t, o, shop, canary), "encoding/json.valid"); got != 4200 {
		t.Errorf("json.valid has weight %d, want 4200", got)
	}
	o.Weights["canary"], o.Weights["shop"] = 1, 0
	if got := weightOf(mustMake(t, o, shop, canary), "encoding/json.valid"); got != 1400 {
		t.Errorf("json.valid has weight %d of one service, want 1400", got)
	}
	o.CPU = []pgofile.Edge{
		{Caller: "m/p.F", Callee: "m/p.a", Offset: 1, Weight: 2}, {Caller: "sort.Ints", Callee: "sort.pdq", Weight: 1},
	}
	r := mustMake(t, o, shop, canary)
	if r.CPU.Contexts || weightOf(r, "sort.pdq") != 1000 || weightOf(r, "encoding/json.valid") != 0 {
		t.Errorf("with a CPU profile: %+v, %v", r.CPU, r.Edges)
	}
}

// TestContextsWrite has the stacks of one profile, as the agent serves it: equal to those of one build of it.
func TestContextsWrite(t *testing.T) {
	c := ran(t, oldTable, "", 1, "F", 1000)
	c.Profile.Contexts = stacksOfF("m/p")
	var b bytes.Buffer
	if err := Write(&b, c.Profile); err != nil {
		t.Fatal(err)
	}
	want, err := pgofile.Encode(mustMake(t, Options{}, c).Edges)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Error("Write and Make differ")
	}
	edges, err := pgofile.Decode(b.Bytes())
	valid := pgofile.Edge{Caller: "encoding/json.Unmarshal", Callee: "encoding/json.valid", Offset: 5, Weight: 1400}
	if err != nil || !slices.Contains(edges, valid) {
		t.Errorf("%v, %v: want %v", edges, err, valid)
	}
}
