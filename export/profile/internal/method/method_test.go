package method

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestMethods asks of all ways of counting what has to be true of each.
func TestMethods(t *testing.T) {
	for name, m := range methods {
		if m.Words() == 0 {
			t.Errorf("%q: paths have no words", name)
		}
		executed := make([]uint64, 3*m.Words())
		for i := range m.Words() {
			executed[m.Words()+i] = m.Count(12345)
		}
		if list := m.Array(executed, 0, 3); len(list) != 1 || list[0].ID != 1 {
			t.Errorf("%q: %v, want path 1 to be the only one", name, list)
		}
		if got := m.Executions(m.Count(12345)); got != 12345 && m.Certainty() != Whether {
			t.Errorf("%q: 12345 executions are a count of %d", name, got)
		}
		if w := m.Says(); w.Mode == "" || w.Counts == "" || w.Title == "" {
			t.Errorf("%q: %+v", name, w)
		}
	}
	if Check(&table.Package{Functions: []table.Function{{Counts: "another"}}}) == nil {
		t.Error("an unknown way of counting is read")
	}
}

func TestCounts(t *testing.T) {
	const unit = runfile.SampleUnit
	estimates := []uint64{0, 0, 7 * unit, 2, 0, 0, unit / 3, 1, unit + unit/2, 1}
	estimatedTable := map[uint64]uint64{4: 9 * unit, 4 | runfile.SamplesOf: 3, 2: unit, 2 | runfile.SamplesOf: 1, 3: unit}
	for _, test := range []struct {
		name      string
		got, want []Count
	}{
		{"exact array", Of(table.Exact).Array([]uint64{9, 0, 5, 9}, 1, 2), []Count{{ID: 1, N: 5}}},
		{"exact hash", Of(table.Exact).Hash(map[uint64]uint64{3: 1, 1: 2, 2: 0}), []Count{{ID: 1, N: 2}, {ID: 3, N: 1}}},
		{"ticks array", Of(table.Ticks).Array(estimates, 1, 4), []Count{{0, 7, 2}, {2, 1, 1}, {3, 2, 1}}},
		{"strata hash", Of(table.Strata).Hash(estimatedTable), []Count{{2, 1, 1}, {ID: 3, N: 1}, {4, 9, 3}}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
	if got := Of(table.Ticks).Executions(math.MaxUint64); got < math.MaxUint64/unit {
		t.Errorf("rounding overflows: %d", got)
	}
}
