package windows

import (
	"math"
	"math/rand/v2"
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

// TestControlsOfRuns simulates runs of counting copies. In windows the program has more or less time than the clock says, most
// of all by a factor that is the same in a run. A function is called some 200 times in all windows. Estimates of a path are
// better than by the clock, and 95% of the intervals hold the truth.
func TestControlsOfRuns(t *testing.T) {
	const runs, windows, net, calls, executions = 200, 70, 0.003, 70_000, 7_000_000
	held, off, clockOff := 0, 0.0, 0.0
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 25))
		path, call := rundata.Replicate{Of: 1, Level: 1}, rundata.Replicate{Level: 1}
		p := &rundata.Package{Counters: []uint64{0, 0}}
		path.PathAt = rundata.PathAt{Package: p, Hash: -1}
		slow := math.Exp(0.5 * random.NormFloat64())
		for w := range windows {
			had := net * slow * math.Exp(0.3*random.NormFloat64()) // of what the window stands for
			saw := func(r *rundata.Replicate, all float64) {
				n := poisson(random, all/windows*had)
				r.Samples += n
				r.Sum[w%runfile.Replicates] += uint64(float64(n) / net * runfile.SampleUnit)
			}
			saw(&path, executions)
			saw(&call, calls)
		}
		list, err := Estimate([]rundata.Replicate{path}, []rundata.Control{{Exact: calls, Seen: []rundata.Replicate{call}}}, Counted, true)
		if err != nil {
			t.Fatal(err)
		}
		if low, high := Design.Of(interval.Log, list[0].Total, list[0].Selections, 0); low <= executions && executions <= high {
			held++
		}
		clock, err := Estimate([]rundata.Replicate{path}, nil, Counted, true)
		if err != nil {
			t.Fatal(err)
		}
		off += math.Abs(math.Log(list[0].Total / executions))
		clockOff += math.Abs(math.Log(clock[0].Total / executions))
	}
	share := float64(held) / runs
	t.Logf("%.3f of intervals hold the truth; off by %.3f, by the clock %.3f", share, off/runs, clockOff/runs)
	if sigma := math.Sqrt(0.95 * 0.05 / runs); share < 0.95-5*sigma {
		t.Errorf("%.3f of intervals hold the truth, want 0.95", share)
	}
	if off > clockOff/2 {
		t.Errorf("estimates are off by %.3f, by the clock by %.3f", off/runs, clockOff/runs)
	}
}

// poisson returns a number with a mean.
func poisson(random *rand.Rand, mean float64) (n uint64) {
	for t := random.ExpFloat64(); t < mean; t += random.ExpFloat64() {
		n++
	}
	return n
}
