package profile

import (
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestCallCounts takes those of blocks, less activations that ended before a call, and those of edges.
func TestCallCounts(t *testing.T) {
	f := &Function{
		Table:    &table.Function{Calls: []table.Call{{}, {Site: table.Site{Reached: 1}}, {Site: table.Site{Reached: 2}}, {Site: table.Site{At: 1, Reached: 2}}, {Site: table.Site{At: -2}}}},
		Blocks:   []int64{100, 50},
		Edges:    []int64{7, 30},
		Partials: []Partial{{Count: 3, Block: 0, Reached: 0}, {Count: 5, Block: 0, Reached: 1}},
	}
	if got, want := f.CallCounts(), []int64{100, 97, 92, 50, 30}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestValueMethod(t *testing.T) {
	for name, want := range map[string]string{
		"m/p.(*T).M":                  "m/p.T.M",
		"m/p.(*G[go.shape.(*int)]).M": "m/p.G[go.shape.(*int)].M",
		"m/p.T.M":                     "m/p.T.M",
		"m/p.F.func1":                 "m/p.F.func1",
	} {
		if got := valueMethod(name); got != want {
			t.Errorf("valueMethod(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestRename adds up the targets of two runs, whose addresses are different.
func TestRename(t *testing.T) {
	tab := &table.Package{Functions: []table.Function{{Selectors: []table.Selector{{Kind: table.Calls}, {Kind: table.Trips, Hash: 1}}}}}
	run := func(address, count uint64) (*rundata.Package, map[uint64]rundata.Name) {
		return &rundata.Package{Hashes: []map[uint64]uint64{{address: count, address + 8: 1, event.OtherValue: 2}, {address: 9}}},
			map[uint64]rundata.Name{address: {Text: "p.(*T).M", ByValue: true}}
	}
	n := make(namer)
	c := counts{table: tab, hashes: make([]map[uint64]uint64, 2)}
	for _, address := range []uint64{0x1000, 0x2000} {
		p, names := run(address, address)
		c.add(n.renamed(p, tab, names))
	}
	f := &Function{Table: &tab.Functions[0]}
	if err := f.decodeEvents(&c, n, new(sums.Budget)); err != nil {
		t.Fatal(err)
	}
	want := []Value{
		{Name: "p.T.M", Count: 0x3000}, {Name: "others", Other: true, Count: 4}, {Name: unnamed, Unnamed: true, Count: 2},
	}
	if got := f.Events[0].Values; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := f.Events[1]; got.Count != 18 || len(got.Values) != 2 {
		t.Errorf("trips %+v", got)
	}
}
