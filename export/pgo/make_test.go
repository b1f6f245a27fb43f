package pgo

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/builds"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// straight is a function without branches, which has calls.
type straight struct {
	name  string
	calls []table.Call
}

// tableOf returns the table of package m/p.
func tableOf(callees []string, functions ...straight) *table.Package {
	var all []table.Function
	for _, f := range functions {
		all = append(all, table.Function{
			Name: "m/p." + f.name, Line: 10, EndLine: 30, Blocks: make([]table.Block, 2), Exit: 1,
			Edges: []table.Edge{{To: 1}}, Calls: f.calls,
		})
	}
	pkg := profiletest.Package("m/p", all...)
	for _, name := range callees {
		pkg.Callees = append(pkg.Callees, table.Callee{Package: "m/p", Name: name})
	}
	return pkg
}

// ran returns what a run of a table has counted, which has called a function so many times.
func ran(t *testing.T, pkg *table.Package, service string, second int, name string, times uint64) *builds.Counts {
	t.Helper()
	r := profiletest.NewRun(1, second, nil, pkg)
	if times > 0 {
		r.Call("m/p."+name, times, 0)
	}
	p, err := profile.New([]*rundata.Run{r.Data()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := pkg.Encode()
	if err != nil {
		t.Fatal(err)
	}
	c, err := builds.OfTables([][]byte{encoded})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(int64(second), 0)
	return &builds.Counts{Service: service, Runs: 1, First: start, Last: start, Tables: c.Tables, Profile: p}
}

// The old version of a package, and the new one. Two lines have come above the calls in F. The call of gone has gone,
// and that of b is there once more.
var (
	oldTable = tableOf([]string{"a", "b", "gone"}, straight{"F", []table.Call{{Line: 1}, {Line: 2, Callee: 1}, {Line: 3, Callee: 2}}})
	newTable = tableOf([]string{"b", "a"}, straight{"F", []table.Call{{Line: 3, Callee: 1}, {Line: 4}, {Line: 9}}})
)

func mustMake(t *testing.T, o Options, all ...*builds.Counts) *Result {
	t.Helper()
	r, err := Make(all, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMake has two builds and two services, in whatever order.
func TestMake(t *testing.T) {
	all := []*builds.Counts{
		ran(t, oldTable, "shop", 1, "F", 1000),
		ran(t, oldTable, "shop", 9, "F", 0), // an old instance, started again
		ran(t, newTable, "shop", 5, "F", 10),
		ran(t, newTable, "canary", 6, "F", 400),
	}
	want := []pgofile.Edge{
		{Caller: "m/p.F", Callee: "m/p.a", Offset: 3, Weight: 1110},
		{Caller: "m/p.F", Callee: "m/p.b", Offset: 4, Weight: 1110},
		{Caller: "m/p.F", Callee: "m/p.b", Offset: 9, Weight: 110},
	}
	o := Options{Weights: map[string]float64{"canary": 0.25}}
	first := mustMake(t, o, all...)
	if diff := cmp.Diff(want, first.Edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	text := `2 builds, 4 runs, started on 1970-01-01
services: canary (1 run, × 0.25), shop (3 runs)
calls by weight: 9.91% found by line, 60.06% by matching, 30.03% lost
lost, for the most part: m/p.F 30.03%`
	if diff := cmp.Diff(text, strings.Join(first.Text(), "\n")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(first, mustMake(t, o, all...)); diff != "" {
			t.Fatalf("in another order (-first +then):\n%s", diff)
		}
	}
}

// TestLatest has a profile for an older build, and for one of the services.
func TestLatest(t *testing.T) {
	older, newer := ran(t, oldTable, "shop", 1, "F", 7), ran(t, newTable, "canary", 5, "F", 3)
	r := mustMake(t, Options{Latest: []*builds.Counts{older}}, older, newer)
	want := []pgofile.Edge{
		{Caller: "m/p.F", Callee: "m/p.a", Offset: 1, Weight: 10},
		{Caller: "m/p.F", Callee: "m/p.b", Offset: 2, Weight: 10},
		{Caller: "m/p.F", Callee: "m/p.gone", Offset: 3, Weight: 7},
	}
	if diff := cmp.Diff(want, r.Edges); diff != "" {
		t.Errorf("for the older build (-want +got):\n%s", diff)
	}
	if r := mustMake(t, Options{Services: []string{"canary"}}, older, newer); r.Runs != 1 || r.Edges[0].Weight != 3 {
		t.Errorf("one service: %+v", r)
	}
	for _, o := range []Options{{Services: []string{"shpo"}}, {Weights: map[string]float64{"shpo": 2}}} {
		if r, err := Make([]*builds.Counts{older, newer}, o); err == nil || !strings.HasSuffix(err.Error(), "there are runs of canary, shop") {
			t.Errorf("unknown service: %v, %v", r, err)
		}
	}
}

// TestRenamed has a function whose name is gone: its graph is the same.
func TestRenamed(t *testing.T) {
	with := func(name string) *table.Package {
		pkg := tableOf([]string{name}, straight{"F", []table.Call{{Line: 1}}})
		branchy := table.Function{Name: "m/p." + name, Line: 40, EndLine: 50, Blocks: make([]table.Block, 5), Exit: 4,
			Edges: []table.Edge{{To: 1}, {To: 2}, {From: 1, To: 3}, {From: 2, To: 3}, {From: 3, To: 4}}}
		all := profiletest.Package("m/p", pkg.Functions[0], branchy)
		all.Callees = pkg.Callees
		return all
	}
	r := mustMake(t, Options{}, ran(t, with("small"), "", 1, "F", 50), ran(t, with("little"), "", 2, "F", 0))
	if want := []pgofile.Edge{{Caller: "m/p.F", Callee: "m/p.little", Offset: 1, Weight: 50}}; !slices.Equal(r.Edges, want) {
		t.Errorf("%v, want %v", r.Edges, want)
	}
	if r.ByMatch != 50 {
		t.Errorf("%v by matching, for the compiler looks for another name", r.ByMatch)
	}
}

// TestPrograms has two programs, of which the older one has packages of its own: they are no part of the newer one, and
// not gone.
func TestPrograms(t *testing.T) {
	program := func(path, callee string, second int) *builds.Counts {
		c := ran(t, tableOf([]string{callee}, straight{"F", []table.Call{{Line: 1}}}), "", second, "F", 5)
		main := profiletest.Package(path, table.Function{Name: path + ".main", Blocks: make([]table.Block, 2), Exit: 1, Edges: []table.Edge{{To: 1}}})
		main.Main = true
		of, err := profile.New(nil, []*table.Package{main})
		if err != nil {
			t.Fatal(err)
		}
		c.Profile.Packages = append(c.Profile.Packages, of.Packages...)
		c.Tables[path] = builds.Sum{1}
		return c
	}
	list := groupBuilds([]*builds.Counts{program("m/cmd/a", "x", 3), program("m/cmd/b", "y", 2), program("m/cmd/a", "z", 1)})
	if len(list) != 3 {
		t.Fatalf("%d builds, want 3", len(list))
	}
	latest := newLatest(list)
	var paths []string
	for _, pkg := range latest.Packages {
		paths = append(paths, pkg.Path)
	}
	if !slices.Equal(paths, []string{"m/cmd/a", "m/cmd/b", "m/p"}) || latest.Packages[2].Callees[0].Name != "x" {
		t.Errorf("%v, and F calls %v", paths, latest.Packages[2].Callees)
	}
}

// TestNothing has runs that have counted nothing, or nothing of the latest build.
func TestNothing(t *testing.T) {
	other := tableOf([]string{"c"}, straight{"G", []table.Call{{Line: 1}}})
	for _, test := range []struct {
		all  []*builds.Counts
		want string
	}{
		{nil, "no calls have been counted"},
		{[]*builds.Counts{ran(t, oldTable, "", 1, "F", 0)}, "no calls have been counted"},
		{[]*builds.Counts{ran(t, oldTable, "", 1, "F", 9), ran(t, other, "", 2, "G", 0)}, "no call that has been counted is in the build"},
	} {
		if r, err := Make(test.all, Options{}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, %v, want %s", r, err, test.want)
		}
	}
}

// TestSmallWeight has a service that weighs so little that its calls are less than one: only ratios matter.
func TestSmallWeight(t *testing.T) {
	all := []*builds.Counts{ran(t, oldTable, "shop", 1, "F", 1000), ran(t, newTable, "shop", 2, "F", 10)}
	for weight, want := range map[float64][]int64{1: {1010, 1010, 10}, 0.01: {101, 101, 1}, 1e-5: {101, 101, 1}, 0.5: {505, 505, 5}} {
		var got []int64
		for _, e := range mustMake(t, Options{Weights: map[string]float64{"shop": weight}}, all...).Edges {
			got = append(got, e.Weight)
		}
		if !slices.Equal(got, want) {
			t.Errorf("a service of weight %v: edges of %v, want %v", weight, got, want)
		}
	}
}

// TestNoWeight has a service that weighs nothing: its calls were counted all the same.
func TestNoWeight(t *testing.T) {
	o := Options{Weights: map[string]float64{"web": 0}}
	idle := ran(t, newTable, "shop", 2, "F", 0)
	_, err := Make([]*builds.Counts{ran(t, newTable, "web", 1, "F", 9), idle}, o)
	want := "all calls that have been counted are of services of weight 0: web; "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = Make([]*builds.Counts{ran(t, newTable, "web", 1, "F", 0), idle}, o)
	if err == nil || !strings.HasPrefix(err.Error(), "no calls have been counted") {
		t.Errorf("%v of no calls", err)
	}
}

// TestSums has sums and weights that do not fit 64 bits.
func TestSums(t *testing.T) {
	if got := sum(math.MaxInt64-1, 2); got != math.MaxInt64 {
		t.Error(got)
	}
	if got := product(1<<40, 1<<30); got != math.MaxInt64 {
		t.Error(got)
	}
	if got := product(3, sum(4, 5)); got != 27 {
		t.Error(got)
	}
	a, b := pgofile.Edge{Caller: "a"}, pgofile.Edge{Caller: "b"}
	total := int64(0)
	for _, e := range rounded(map[pgofile.Edge]float64{a: 3e30, b: 1e30}) {
		total += e.Weight
		if share := float64(e.Weight) / mostWeight; math.Abs(share-map[string]float64{"a": .75, "b": .25}[e.Caller]) > 1e-9 {
			t.Errorf("%s has %v of the weight", e.Caller, share)
		}
	}
	if total < 0 || total > mostWeight {
		t.Errorf("weights add up to %d", total)
	}
}
