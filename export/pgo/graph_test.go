package pgo

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// calling returns a profile of one package, in which each function consists of one block that calls others, of the given
// executions.
func calling(pkg *profile.Package, functions map[string][]int, executed map[string]int64) *profile.Profile {
	for name, callees := range functions {
		f := &profile.Function{Package: pkg.Path, Table: &table.Function{Name: pkg.Path + "." + name}, Blocks: []int64{executed[name]}}
		for i, c := range callees {
			f.Table.Calls = append(f.Table.Calls, table.Call{Callee: c, Line: i})
		}
		pkg.Functions = append(pkg.Functions, f)
	}
	return &profile.Profile{Packages: []*profile.Package{pkg}}
}

// TestGenericCalls has instances share what their function does as they share the calls of it, also where they are called by
// generic functions.
func TestGenericCalls(t *testing.T) {
	pkg := &profile.Package{Path: "m/p.q", Callees: []table.Callee{
		{Package: "m/p.q", Name: "F[go.shape.int,go.shape.map[string]go.shape.int]"},
		{Package: "m/p.q", Name: "F[go.shape.string,go.shape.bool]"},
		{Package: "m/p.q", Name: "(*G[$1]).M"},
		{Package: "sort", Name: "Ints"},
	}}
	p := calling(pkg, map[string][]int{"three": {0}, "one": {1}, "F[...]": {2}, "F[...].func1": {3}, "(*G[...]).M": {3}},
		map[string]int64{"three": 30, "one": 10, "F[...]": 400, "F[...].func1": 8, "(*G[...]).M": 4000})
	got := rounded(newGraph(callsOf(p)).weights())
	slices.SortFunc(got, func(a, b pgofile.Edge) int { return int(a.Weight - b.Weight) })
	edge := func(caller, callee string, weight int64) pgofile.Edge {
		return pgofile.Edge{Caller: "m/p%2eq." + caller, Callee: callee, Weight: weight}
	}
	want := []pgofile.Edge{
		edge("F[go.shape.string,go.shape.bool].func1", "sort.Ints", 2),
		edge("F[go.shape.int,go.shape.map[string]go.shape.int].func1", "sort.Ints", 6),
		edge("one", "m/p%2eq.F[go.shape.string,go.shape.bool]", 10),
		edge("three", "m/p%2eq.F[go.shape.int,go.shape.map[string]go.shape.int]", 30),
		edge("F[go.shape.string,go.shape.bool]", "m/p%2eq.(*G[go.shape.bool]).M", 100),
		edge("F[go.shape.int,go.shape.map[string]go.shape.int]", "m/p%2eq.(*G[go.shape.map[string]go.shape.int]).M", 300),
		edge("(*G[go.shape.bool]).M", "sort.Ints", 1000),
		edge("(*G[go.shape.map[string]go.shape.int]).M", "sort.Ints", 3000),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestGenericWithoutWeight has an instance that calls of no weight lead to, as those of a service with -weight 0: it has no
// share.
func TestGenericWithoutWeight(t *testing.T) {
	of := func(name string) table.Callee { return table.Callee{Package: "m", Name: name} }
	got := rounded(newGraph(map[call]float64{
		{caller: of("one"), callee: of("Two")}:                10,
		{caller: of("canary"), callee: of("F[go.shape.int]")}: 0,
		{caller: of("F[...]"), callee: of("Two")}:             0,
	}).weights())
	if diff := cmp.Diff([]pgofile.Edge{{Caller: "m.one", Callee: "m.Two", Weight: 10}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestMethodLikeLiteral has a method that is called as literals are, and literals in it and in a function.
func TestMethodLikeLiteral(t *testing.T) {
	of := func(name string) table.Callee { return table.Callee{Package: "m", Name: name} }
	edges := rounded(newGraph(map[call]float64{
		{caller: of("one"), callee: of("(*G[go.shape.int]).func1")}: 1,
		{caller: of("one"), callee: of("F[go.shape.int]")}:          2,
		{caller: of("(*G[...]).func1"), callee: of("Two")}:          3,
		{caller: of("(*G[...]).func1.func2"), callee: of("Two")}:    4,
		{caller: of("(*G[...]).func1.func2.1"), callee: of("Two")}:  5,
		{caller: of("F[...].func1.2"), callee: of("Two")}:           6,
		{caller: of("F[...]-range1.1"), callee: of("Two")}:          7,
		{caller: of("F[...].func1-range2.1"), callee: of("Two")}:    8,
	}).weights())
	slices.SortFunc(edges, func(a, b pgofile.Edge) int { return int(a.Weight - b.Weight) })
	var got []string
	for _, e := range edges {
		if e.Callee == "m.Two" {
			got = append(got, e.Caller)
		}
	}
	want := []string{"m.(*G[go.shape.int]).func1", "m.(*G[go.shape.int]).func1.func2", "m.(*G[go.shape.int]).func1.func2.1",
		"m.F[go.shape.int].func1.2", "m.F[go.shape.int]-range1.1", "m.F[go.shape.int].func1-range2.1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestHottest leaves out what is less than 0.01% of all in sum.
func TestHottest(t *testing.T) {
	edges := []pgofile.Edge{{Caller: "c", Weight: 1}, {Caller: "b", Weight: 99_999}, {Caller: "a", Weight: 900_000}, {Caller: "d", Weight: 90}}
	got := hottest(edges, pgoShare)
	if want := []pgofile.Edge{{Caller: "a", Weight: 900_000}, {Caller: "b", Weight: 99_999}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
