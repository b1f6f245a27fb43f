package method

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

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
		{"strata hash", Of(table.Strata).Hash(estimatedTable), []Count{{2, 1, 1}, {4, 9, 3}}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
	for _, m := range []table.Method{table.Exact, table.Ticks, table.Strata} {
		if got := Of(m).Executions(Of(m).Count(12345)); got != 12345 {
			t.Errorf("%v: 12345 executions are a count of %d", m, got)
		}
	}
	if got := Of(table.Ticks).Executions(math.MaxUint64); got < math.MaxUint64/unit {
		t.Errorf("rounding overflows: %d", got)
	}
}
