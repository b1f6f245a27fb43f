package windows

import (
	"math"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/interval"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestEstimate has a clock that is wrong by a factor of three: what is counted tells.
func TestEstimate(t *testing.T) {
	p := &rundata.Package{Path: "example.com/m", Counters: []uint64{60_000, 0, 500, 0}}
	counted, sampled := rundata.PathAt{Package: p, Hash: -1, Number: 0}, rundata.PathAt{Package: p, Hash: -1, Number: 1}
	const rounds = 20 // of the sampled path for each of the counted one
	replicate := func(at rundata.PathAt, of int, ends, stand float64) rundata.Replicate {
		r := rundata.Replicate{PathAt: at, Of: of, Level: 1, Samples: uint64(ends)}
		for i := range r.Sum {
			off := 1 + 0.02*float64(i%3-1)
			r.Sum[i] = uint64(stand * off / runfile.Replicates * runfile.SampleUnit)
		}
		return r
	}
	list, err := Estimate([]rundata.Replicate{
		replicate(counted, 0, 3000, 20_000), replicate(sampled, 1, 60_000, 20_000*rounds),
	}, nil, Counted, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].PathAt != sampled || list[0].Samples != 60_000 {
		t.Fatalf("estimates %+v", list)
	}
	if want := 60_000.0 * rounds; math.Abs(list[0].Total-want) > want/20 {
		t.Errorf("%v executions, want %v", list[0].Total, want)
	}
	if len(list[0].Selections) != len(Design.Weights) {
		t.Errorf("%d selections with %d weights", len(list[0].Selections), len(Design.Weights))
	}
}

// TestEstimateDamaged leaves out what no window can have seen.
func TestEstimateDamaged(t *testing.T) {
	p := &rundata.Package{Path: "example.com/m", Counters: []uint64{1, 0}}
	at := rundata.PathAt{Package: p, Hash: -1}
	list, err := Estimate([]rundata.Replicate{
		{PathAt: at, Of: 3, Level: 1},
		{PathAt: at, Of: 1, Level: 15},
	}, nil, Counted, false)
	if err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestEstimateLevels has a site of level 3, of which there were as many when two were not enough.
func TestEstimateLevels(t *testing.T) {
	p := &rundata.Package{Path: "example.com/m", Counters: []uint64{0, 0}}
	r := rundata.Replicate{PathAt: rundata.PathAt{Package: p, Hash: -1}, Of: 3, Level: 3, Samples: 1600}
	for i := range r.Sum {
		r.Sum[i] = 1000 * runfile.SampleUnit
	}
	list, err := Estimate([]rundata.Replicate{r}, nil, Counted, false)
	if err != nil || len(list) != 1 || list[0].Total != 1000*runfile.Replicates {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestEstimateControls has a clock that is wrong by a factor of three, and no path that was counted: what is known of activations
// tells. No window has seen those of a rare function, and what is damaged says nothing.
func TestEstimateControls(t *testing.T) {
	p := &rundata.Package{Path: "example.com/m", Counters: []uint64{0, 0}}
	const known, rounds = 60_000, 20
	seen := func(level int, stand float64) rundata.Replicate {
		r := rundata.Replicate{Of: level, Level: 1, Samples: 3000}
		for i := range r.Sum {
			off := 1 + 0.02*float64(i%3-1)
			r.Sum[i] = uint64(stand * off / runfile.Replicates * runfile.SampleUnit)
		}
		return r
	}
	path := seen(1, 20_000*rounds)
	path.PathAt = rundata.PathAt{Package: p, Hash: -1}
	controls := []rundata.Control{
		{Exact: known, Seen: []rundata.Replicate{seen(0, 20_000)}},
		{Exact: 600, Seen: []rundata.Replicate{{Level: levels + 1, Samples: 1 << 40}}},
	}
	list, err := Estimate([]rundata.Replicate{path}, controls, Counted, true)
	if err != nil || len(list) != 1 {
		t.Fatalf("estimates %+v: %v", list, err)
	}
	if want := float64(known * rounds); math.Abs(list[0].Total-want) > want/20 {
		t.Errorf("%v executions, want %v", list[0].Total, want)
	}
	clock, err := Estimate([]rundata.Replicate{path}, nil, Counted, true)
	if err != nil || math.Abs(clock[0].Total-20_000*rounds) > 4000 {
		t.Errorf("%v executions by the clock: %v", clock[0].Total, err)
	}
	width := func(s []float64) float64 {
		low, high := Design.Of(interval.Log, list[0].Total, s, 0)
		return high / low
	}
	if a, b := width(list[0].Selections), width(clock[0].Selections); a > b {
		t.Errorf("intervals have %v of their beginning at the end with controls, %v without", a, b)
	}
}
