package profiletest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// nested is a function with a loop in a loop, whose body has two ways:
//
//	0 ──e0─▶ 1 ──e1─▶ 2 ──e3─▶ 3 ──e8─▶ 6 ──e5──▶ 2
//	         │        │        └───e9─▶ 7 ──e10─▶ 2
//	         │        └───e4─▶ 4 ──e6─▶ 1
//	         └───e2─▶ 5 ──e7─▶ 8
func nested() *table.Package {
	p := Package("example.com/m", table.Function{
		Name: "example.com/m.F", File: "m.go", Line: 1, EndLine: 12, Exit: 8, Entries: -1,
		Blocks: []table.Block{{Line: 1}, {Line: 2}, {Line: 3}, {Line: 4}, {Line: 9}, {Line: 11}, {Line: 5}, {Line: 7}, {}},
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.Jump}, {From: 1, To: 2, Kind: table.CondTrue, Line: 2}, {From: 1, To: 5, Kind: table.CondFalse, Line: 2},
			{From: 2, To: 3, Kind: table.CondTrue, Line: 3}, {From: 2, To: 4, Kind: table.CondFalse, Line: 3},
			{From: 6, To: 2, Kind: table.LoopBack}, {From: 4, To: 1, Kind: table.LoopBack}, {From: 5, To: 8, Kind: table.Return, Line: 11},
			{From: 3, To: 6, Kind: table.IfThen, Line: 4}, {From: 3, To: 7, Kind: table.IfElse, Line: 4}, {From: 7, To: 2, Kind: table.LoopBack},
		},
	})
	return Sampled(p)
}

// What nested does, and how often: rounds of the inner loop go the first way in a share of all cases.
const (
	NestedCalls  = 200
	NestedOuter  = 50  // rounds for each call
	NestedInner  = 400 // rounds for each of these
	NestedShare  = 0.7
	NestedRounds = NestedCalls * NestedOuter * NestedInner
)

// NestedPaths are the paths that end where sites are sampled, with how often they are executed in all.
var NestedPaths = []struct {
	Edges []int
	Count float64
}{
	{[]int{0, 1, 3, 8, 5}, NestedCalls * NestedShare},
	{[]int{0, 1, 3, 9, 10}, NestedCalls * (1 - NestedShare)},
	{[]int{1, 3, 8, 5}, NestedCalls * (NestedOuter - 1) * NestedShare},
	{[]int{1, 3, 9, 10}, NestedCalls * (NestedOuter - 1) * (1 - NestedShare)},
	{[]int{3, 8, 5}, NestedCalls * NestedOuter * (NestedInner - 1) * NestedShare},
	{[]int{3, 9, 10}, NestedCalls * NestedOuter * (NestedInner - 1) * (1 - NestedShare)},
}

// NestedRun returns a run of nested: all exits of loops were counted, and a thousand rounds at first. Then windows of level 2
// saw one of 100 rounds, in which the program took 1.5 times as long as elsewhere.
func NestedRun(seed uint64) *Run {
	const name, windows, stands, slow = "example.com/m.F", 1000, 100, 1.5
	random := rand.New(rand.NewPCG(seed, 21))
	r := NewRun(1, 0, []string{"/tmp/m"}, nested())
	*r.Counted() = rundata.Sampling{
		Policy: sampler.Default, Period: 10 * time.Millisecond, Ticks: 2 * windows, CPU: 20 * time.Second,
		Cost: 30 * time.Millisecond, Counted: true, CountedAll: true, Windows: windows, Sites: 4,
	}
	r.Count(name, NestedCalls, 2, 7)
	r.Count(name, NestedCalls*NestedOuter, 4, 6)
	r.Count(name, 700, 3, 8, 5)
	r.Count(name, 300, 3, 9, 10)
	for _, p := range NestedPaths[:4] {
		r.Count(name, 1, p.Edges...)
	}
	see := func(of, window int, count float64, edges ...int) {
		mean := count / windows / stands / slow
		if ends := poisson(random, mean); ends > 0 {
			r.Seen(name, of, 2, window, ends, stands, edges...)
		}
	}
	for window := range windows {
		see(0, window, NestedCalls, 2, 7)
		see(0, window, NestedCalls*NestedOuter, 4, 6)
		for _, p := range NestedPaths {
			see(2, window, p.Count, p.Edges...)
		}
	}
	for i, edges := range [][]int{{2, 7}, {4, 6}, {3, 8, 5}, {3, 9, 10}} {
		r.Site(Site{Address: 0x401000 + 16*uint64(i), Function: name, Path: edges})
		r.Data().Sites[i].Sampled = i >= 2
	}
	return r
}

// poisson returns a number of the Poisson distribution.
func poisson(r *rand.Rand, mean float64) (n uint64) {
	for limit, p := math.Exp(-mean), r.Float64(); p > limit; n++ {
		p *= r.Float64()
	}
	return n
}
