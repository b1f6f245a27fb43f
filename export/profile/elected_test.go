package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// branching is a function with a call in block 1 and on edge 1:
//
//	0 ──e0─▶ 1 ──e2─▶ exit
//	└───e1─────────────▲
func branching() *table.Package {
	return profiletest.Package("example.com/p", table.Function{
		Name: "example.com/p.F", Blocks: make([]table.Block, 3), Exit: 2, Entries: -1,
		Edges: []table.Edge{{From: 0, To: 1, Kind: table.IfThen}, {From: 0, To: 2, Kind: table.Return}, {From: 1, To: 2, Kind: table.Return}},
		Selectors: []table.Selector{
			{Kind: table.Calls, Text: "x.M", Hash: 0, Sites: []table.Site{{At: 1}}},
			{Kind: table.Calls, Text: "both", Hash: 1, Sites: []table.Site{{At: 1}, {At: -2}}},
			{Kind: table.Calls, Text: "none", Hash: 2, Sites: []table.Site{{At: 1}}},
			{Kind: table.Texts, Text: "s", Hash: 3}, // the mark of elected targets is a part of strings' values
		},
	})
}

// electedRun returns a run in which F takes e0 so many times, and e1 then times. Names of addresses are those of the functions.
func electedRun(tab *table.Package, e0, e1 uint64, hashes ...map[uint64]uint64) *rundata.Run {
	r := profiletest.NewRun(1, 0, nil, tab)
	r.Call("example.com/p.F", e0, 0, 2)
	r.Call("example.com/p.F", e1, 1)
	r.Data().Packages[0].Hashes = hashes
	r.Data().Names = map[uint64]rundata.Name{0x10: {Text: "a"}, 0x20: {Text: "b"}, event.ElectedOf | 7: {Text: "text"}}
	return r.Data()
}

// TestElected adds up two runs that have elected different targets: each gets what is left of the executions of its run.
func TestElected(t *testing.T) {
	tab := branching()
	text := map[uint64]uint64{event.ElectedOf | 7: 9}
	p, err := New([]*rundata.Run{
		electedRun(tab, 1000, 50, map[uint64]uint64{0x10: 64, 0x10 | event.ElectedOf: 1, 0x20: 300, event.OtherValue: 2}, map[uint64]uint64{0x20 | event.ElectedOf: 1}, map[uint64]uint64{0x10: 3}, text),
		electedRun(tab, 500, 0, map[uint64]uint64{0x10: 100, 0x20: 64, 0x20 | event.ElectedOf: 1}, map[uint64]uint64{0x20: 70, 0x20 | event.ElectedOf: 1, 0x10: 600}, nil, text),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]Value{
		{{Name: "a", Count: 698 + 100}, {Name: "b", Count: 300 + 400}, {Name: "others", Other: true, Count: 2}},
		{{Name: "b", Count: 1050 + 70}, {Name: "a", Count: 600}}, // no fewer than were counted, though counts of paths may be lost
		{{Name: "a", Count: 3}},
		{{Name: "text", Count: 18}},
	}
	for i, e := range p.Packages[0].Functions[0].Events {
		for j := range e.Values {
			e.Values[j].Number = 0
		}
		if !slices.Equal(e.Values, want[i]) {
			t.Errorf("%s: %+v, want %+v", e.Text, e.Values, want[i])
		}
	}
}

// TestElectedSteps has a run whose functions have elected targets, and any number of others: each has as many steps as a profile.
func TestElectedSteps(t *testing.T) {
	tab := branching()
	run := electedRun(tab, 1000, 50, map[uint64]uint64{0x10 | event.ElectedOf: 1}, nil, nil, nil)
	b := newBuilder(new(Tables))
	settled := b.settle(run.Packages[0], tab)
	if n := settled.Hashes[0][0x10]; n != 1000 || b.budget.Steps != 0 {
		t.Errorf("%d executions of what was elected, and %d steps of the profile's", n, b.budget.Steps)
	}
}

// TestElectedInStrata has events sampled and paths counted, as -mode stratified has by default: what was elected is not an
// estimate, but the others are.
func TestElectedInStrata(t *testing.T) {
	tab := branching()
	tab.Events = table.Strata
	run := electedRun(tab, 100, 0, map[uint64]uint64{0x10: 3, 0x10 | event.ElectedOf: 1, 0x20: 2}, nil, nil, nil)
	run.Stream = &rundata.Stream{Spec: "H[P10]1", Rate: 10, Begun: []uint64{0}, Since: []uint64{0}}
	p, err := New([]*rundata.Run{run}, nil)
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int64)
	for _, v := range p.Packages[0].Functions[0].Events[0].Values {
		counts[v.Name] = v.Count
	}
	if counts["a"] != 80 || counts["b"] != 20 {
		t.Errorf("%v, want 20 of b and the 80 that are left of a", counts)
	}
}

// named returns a run that has what Named returns of another one.
func named(run *rundata.Run, ended bool) *rundata.Run {
	var list []rundata.Sparse
	for _, p := range run.Packages {
		list = append(list, p.Sparse())
	}
	if ended {
		return ofSparse(new(Tables).Named(list, run.Names))
	}
	return ofSparse(NewLive(new(Tables)).Named(list, run.Names))
}

func ofSparse(list []rundata.Sparse, names map[uint64]string) *rundata.Run {
	out := &rundata.Run{Names: make(map[uint64]rundata.Name)}
	for i := range list {
		out.Packages = append(out.Packages, list[i].Dense())
	}
	for number, name := range names {
		out.Names[number] = rundata.Name{Text: name}
	}
	return out
}

// eventsOf returns the values of all events, as text.
func eventsOf(t *testing.T, runs ...*rundata.Run) string {
	t.Helper()
	p, err := New(runs, nil)
	if err != nil || p.Damaged != nil {
		t.Fatal(err, p.Damaged)
	}
	var all []any
	for _, e := range p.Packages[0].Functions[0].Events {
		for _, v := range e.Values {
			all = append(all, fmt.Sprintf("%s %d of %d", v.Name, v.Count, v.Samples))
		}
	}
	return fmt.Sprint(all...)
}

// TestNamed has runs whose numbers are names, and the same runs as they are, whose addresses are different. It holds
// the values of both against each other, in exact counts and where events are estimates.
func TestNamed(t *testing.T) {
	tab := branching()
	text := map[uint64]uint64{event.ElectedOf | 7: 9}
	a := electedRun(tab, 1000, 50, map[uint64]uint64{0x10: 64, 0x10 | event.ElectedOf: 1, 0x20: 300, event.OtherValue: 2},
		map[uint64]uint64{0x20 | event.ElectedOf: 1}, map[uint64]uint64{0x10: 3}, text)
	b := electedRun(tab, 500, 0, map[uint64]uint64{0x20: 100, 0x10: 64, 0x10 | event.ElectedOf: 1}, map[uint64]uint64{0x30: 70}, nil, text)
	b.Names[0x10], b.Names[0x20] = b.Names[0x20], b.Names[0x10]
	if got, want := eventsOf(t, named(a, true), named(b, true)), eventsOf(t, a, b); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := eventsOf(t, named(b, false)); strings.Contains(got, unnamed) || !strings.Contains(eventsOf(t, named(b, true)), unnamed) {
		t.Errorf("of a run that goes on: %s", got)
	}
	tab.Events = table.Strata
	run := electedRun(tab, 100, 0, map[uint64]uint64{0x10: 3, 0x10 | event.ElectedOf: 1, 0x20: 2}, nil, nil, nil)
	run.Stream = &rundata.Stream{Spec: "H[P10]1", Rate: 10, Begun: []uint64{0}, Since: []uint64{0}}
	tables := new(Tables)
	p, err := tables.New([]*rundata.Run{run}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := eventsOf(t, ofSparse(tables.Sparse(p, run, false))), eventsOf(t, run); got != want {
		t.Errorf("in strata: %s\nwant %s", got, want)
	}
}

// TestElectedDamaged has marks of elected targets in data that does not go with its table: what is wrong is left out.
func TestElectedDamaged(t *testing.T) {
	for name, damage := range map[string]func(*rundata.Package, *table.Function){
		"counters": func(p *rundata.Package, _ *table.Function) { p.Counters = p.Counters[:1] },
		"hashes":   func(p *rundata.Package, _ *table.Function) { p.Hashes = p.Hashes[:1] },
		"sites":    func(_ *rundata.Package, f *table.Function) { f.Selectors[0].Sites = []table.Site{{At: 3}} },
		"paths":    func(p *rundata.Package, _ *table.Function) { p.Counters[1] = 1 << 63 },
	} {
		tab := branching()
		run := electedRun(tab, 1, 1, map[uint64]uint64{0x10 | event.ElectedOf: 1}, nil, nil, nil)
		damage(run.Packages[0], &tab.Functions[0])
		var err error
		if run.Packages[0].Table, err = tab.Encode(); err != nil {
			t.Fatal(err)
		}
		p, err := New([]*rundata.Run{run}, nil)
		if err != nil || len(p.Damaged) != 1 {
			t.Errorf("%s: %v, damaged %v", name, err, p.Damaged)
		}
	}
}

// TestQuestionMark has a string that is what values without a name are called, beside such values: in a run, and in the forms in
// which runs add up.
func TestQuestionMark(t *testing.T) {
	run := electedRun(branching(), 100, 0, nil, nil, nil, map[uint64]uint64{8: 5, 9: 4, 10: 3})
	run.Names[8] = rundata.Name{Text: unnamed}
	p, err := New([]*rundata.Run{run}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		run  *rundata.Run
		want string
	}{
		"run":       {run, `? 7 known: false, "?" 5 known: true, `},
		"sum":       {named(run, true), `? 7 known: false, "?" 5 known: true, `},
		"estimates": {ofSparse(new(Tables).Sparse(p, run, false)), `? 7 known: false, "?" 5 known: true, `},
		"live":      {named(run, false), `"?" 5 known: true, `},
	} {
		p, err := New([]*rundata.Run{of.run}, nil)
		if err != nil || p.Damaged != nil {
			t.Fatal(name, err, p.Damaged)
		}
		e, got := p.Packages[0].Functions[0].Events[3], ""
		for _, v := range e.Values {
			got += fmt.Sprintf("%s %d known: %v, ", e.Show(v), v.Count, v.Known())
		}
		if got != of.want {
			t.Errorf("%s: %s, want %s", name, got, of.want)
		}
	}
}
