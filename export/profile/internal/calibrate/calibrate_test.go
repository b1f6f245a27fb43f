package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/interval"
)

// A world is a program of which everything is known. It is in one of two phases at a time. Each phase has an item of
// each level, and a factor for windows of each level.
type world struct {
	rate   [2][3]float64 // executions in a window's CPU time, by phase and level of the item
	factor [2][3]float64 // by which probes slow the program down, by phase and level of the windows
	ticks  int
}

const (
	replicates = 16
	stands     = 100 // times its own CPU time that a tick is long
)

var usual = world{
	rate:   [2][3]float64{{10, 300, 9000}, {3, 100, 3000}},
	factor: [2][3]float64{{1, 1.2, 4}, {1, 1.2, 4}},
	ticks:  640,
}

// uneven has probes slow one phase down more than the other.
var uneven = world{rate: usual.rate, factor: [2][3]float64{{1, 1.1, 3.5}, {1, 1.3, 4.5}}, ticks: usual.ticks}

// draw returns what windows see, and how often each item is executed.
func (w *world) draw(r *rand.Rand) (items []Item, cells []Cell, truth []float64) {
	truth = make([]float64, 6)
	var windows [3]int
	for tick := range w.ticks {
		phase := tick / 5 % 2
		level := 1 + r.IntN(2)
		for of, rate := range w.rate[phase] {
			truth[3*phase+of] += rate * stands
			if of > level {
				continue
			}
			seen := poisson(r, rate/w.factor[phase][level])
			cells = append(cells, Cell{Level: level, Group: phase, Replicate: windows[level] % replicates,
				Item: 3*phase + of, Sum: seen * stands * 2, Seen: seen})
		}
		windows[level]++
	}
	for i := range truth {
		items = append(items, Item{Level: i % 3})
		if i%3 == 0 {
			items[i].Exact = truth[i]
		}
	}
	return items, cells, truth
}

// poisson returns a number of the Poisson distribution, or of the normal one where that is alike.
func poisson(r *rand.Rand, mean float64) float64 {
	if mean > 100 {
		return max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64()))
	}
	n, p := 0.0, r.Float64()
	for limit := math.Exp(-mean); p > limit; n++ {
		p *= r.Float64()
	}
	return n
}

func mustEstimate(t *testing.T, items []Item, cells []Cell) *Estimates {
	t.Helper()
	e, err := Estimate(items, cells, replicates, Usual)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// intervalOf returns a statistic of the totals, and its 95% interval.
func intervalOf(e *Estimates, scale interval.Scale, statistic func([]float64) float64) (value, low, high float64) {
	var list []float64
	for _, s := range e.Selections(2) {
		list = append(list, statistic(s))
	}
	value = statistic(e.Total)
	low, high = interval.New(Weights(replicates, 2), replicates-1, 0.95).Of(scale, value, list, 0)
	return value, low, high
}

// TestBias holds the mean of many estimates against the truth. The factor is 1.2 for windows of one level and 4 for those
// of the other.
func TestBias(t *testing.T) {
	const runs = 100
	var sum, squares [6]float64
	for seed := range uint64(runs) {
		items, cells, truth := usual.draw(rand.New(rand.NewPCG(seed, 1)))
		for i, x := range mustEstimate(t, items, cells).Total {
			d := math.Log(x / truth[i])
			sum[i], squares[i] = sum[i]+d, squares[i]+d*d
		}
	}
	for i := range sum {
		mean := sum[i] / runs
		sigma := math.Sqrt(max(0, squares[i]/runs-mean*mean) / runs)
		t.Logf("item %d: off by %.4f ± %.4f in the mean, %.3f each", i, mean, sigma, sigma*math.Sqrt(runs))
		if math.Abs(mean) > 0.01+5*sigma {
			t.Errorf("item %d is off by a factor of exp(%.4f ± %.4f) in the mean", i, mean, sigma)
		}
	}
}

// TestCoverage holds that intervals of 95% hold the truth as often, or more often. Factors of the two phases differ.
func TestCoverage(t *testing.T) {
	const runs = 200
	statistics := map[string]struct {
		of    func(total []float64) float64
		scale interval.Scale
	}{
		"all":         {func(x []float64) float64 { return x[0] + x[1] + x[2] + x[3] + x[4] + x[5] }, interval.Log},
		"level 1":     {func(x []float64) float64 { return x[4] }, interval.Log},
		"level 2":     {func(x []float64) float64 { return x[5] }, interval.Linear},
		"share":       {func(x []float64) float64 { return x[1] / (x[1] + x[4]) }, interval.Logit},
		"dense share": {func(x []float64) float64 { return x[2] / (x[2] + x[5]) }, interval.Logit},
	}
	held := make(map[string]int)
	for seed := range uint64(runs) {
		items, cells, truth := uneven.draw(rand.New(rand.NewPCG(seed, 2)))
		e := mustEstimate(t, items, cells)
		for name, s := range statistics {
			value, low, high := intervalOf(e, s.scale, s.of)
			if low > value || value > high {
				t.Fatalf("seed %d: %s: %v to %v of %v", seed, name, low, high, value)
			}
			if want := s.of(truth); low <= want && want <= high {
				held[name]++
			}
		}
	}
	sigma := math.Sqrt(0.95 * 0.05 / runs)
	for name := range statistics {
		share := float64(held[name]) / runs
		t.Logf("%s: %.3f", name, share)
		if share < 0.95-5*sigma {
			t.Errorf("%s: %.3f of intervals hold the truth, want 0.95", name, share)
		}
	}
}

// TestClock has windows that see nothing of lower levels: the clock tells, and the interval says how little that is
// worth.
func TestClock(t *testing.T) {
	var cells []Cell
	for r := range replicates {
		cells = append(cells, Cell{Level: 1, Replicate: r, Item: 1, Sum: 1000, Seen: 100})
	}
	e := mustEstimate(t, []Item{{Level: 0, Exact: 5}, {Level: 1}}, cells)
	value, low, high := intervalOf(e, interval.Log, func(x []float64) float64 { return x[1] })
	if off := math.Exp(2 * Usual.Center); value != 16000 || high < off*value || low > value/off {
		t.Errorf("got %v to %v of %v, want 16000, within a factor of %v or more", low, high, value, off)
	}
	if e.Grain[0] != 1 || math.Abs(e.Grain[1]-10) > 1e-9 {
		t.Errorf("a path end stands for %v, want 1 and 10", e.Grain)
	}
}

// TestLadder computes the example of doc.go: each of two levels has ten times the ratio, and windows are slow.
func TestLadder(t *testing.T) {
	items := []Item{{Level: 0, Exact: 1e4}, {Level: 1}, {Level: 2}}
	var cells []Cell
	for r := range replicates {
		cells = append(cells,
			Cell{Level: 1, Replicate: r, Item: 0, Sum: 500, Seen: 50},
			Cell{Level: 1, Replicate: r, Item: 1, Sum: 15000, Seen: 1500},
			Cell{Level: 2, Replicate: r, Item: 0, Sum: 1000. / 3, Seen: 10. / 3},
			Cell{Level: 2, Replicate: r, Item: 1, Sum: 10000, Seen: 100},
			Cell{Level: 2, Replicate: r, Item: 2, Sum: 300000, Seen: 3000})
	}
	for i, want := range []float64{1e4, 3e5, 9e6} {
		if got := mustEstimate(t, items, cells).Total[i]; math.Abs(got/want-1) > 0.01 {
			t.Errorf("item %d: %.5g, want %.5g", i, got, want)
		}
	}
}

// TestFew has a path that windows of one replicate saw, and a share that is 1 without it.
func TestFew(t *testing.T) {
	items, cells, _ := usual.draw(rand.New(rand.NewPCG(1, 3)))
	items = append(items, Item{Level: 2})
	cells = append(cells, Cell{Level: 2, Item: 6, Replicate: 3, Sum: 200, Seen: 1})
	e := mustEstimate(t, items, cells)
	value, low, high := intervalOf(e, interval.Log, func(x []float64) float64 { return x[6] })
	if low != 0 || high < 2*value || high > 10*value {
		t.Errorf("a path seen once: %v to %v of %v", low, high, value)
	}
	_, low, high = intervalOf(e, interval.Logit, func(x []float64) float64 { return x[2] / (x[2] + x[6]) })
	if high != 1 || low < 0.9 {
		t.Errorf("the share of the other way: %v to %v", low, high)
	}
	_, low, high = intervalOf(e, interval.Log, func(x []float64) float64 { return x[0] })
	if low != high || low != items[0].Exact {
		t.Errorf("a count: %v to %v, want %v", low, high, items[0].Exact)
	}
}

// TestManyGroups has more groups than have factors of their own, and items in no window.
func TestManyGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	items := []Item{{Exact: 0}, {Level: 1}, {Exact: 3}}
	var cells []Cell
	for g := range 3 * mostGroups {
		for rep := range replicates {
			seen := poisson(r, 3)
			items[0].Exact += 300
			cells = append(cells, Cell{Level: 1, Group: -g, Replicate: rep, Item: 0, Sum: seen * 50, Seen: seen},
				Cell{Level: 1, Group: -g, Replicate: rep, Item: 1, Sum: 5000, Seen: 100})
		}
	}
	e := mustEstimate(t, items, cells)
	want := 2 * 5000.0 * 3 * mostGroups * replicates
	sigma := 1 / math.Sqrt(3*3*mostGroups*replicates)
	if got := e.Total[1] / want; math.Abs(got-1) > 0.02+5*sigma {
		t.Errorf("got %.3f of what there is", got)
	}
}

func TestErrors(t *testing.T) {
	items := []Item{{Exact: 1}, {Level: 2}}
	for name, c := range map[string]Cell{
		"item":      {Level: 2, Item: 2},
		"replicate": {Level: 2, Item: 1, Replicate: replicates},
		"level":     {Level: 1, Item: 1},
		"level 0":   {Level: 0, Item: 0},
		"sum":       {Level: 2, Item: 1, Sum: math.NaN()},
	} {
		if _, err := Estimate(items, []Cell{c}, replicates, Usual); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, it := range []Item{{Level: -1}, {Exact: -1}, {Level: 1, Exact: 1}} {
		if _, err := Estimate([]Item{it}, nil, replicates, Usual); err == nil {
			t.Errorf("%v: no error", it)
		}
	}
	if _, err := Estimate(items, nil, 1, Usual); err == nil {
		t.Error("one replicate: no error")
	}
}
