package balance

import (
	"math"
	"math/rand/v2"
	"testing"
)

// place numbers: outside of the function, and the headers of its loops.
const (
	outside = iota
	outer
	inner
)

// TestLoop has a loop whose rounds are sampled: how often it was entered follows from how often it was left.
func TestLoop(t *testing.T) {
	paths := []Path{
		{From: outside, To: outer, Exact: 1, Variance: 1e6, Counts: []float64{1}},
		{From: outer, To: outer, Exact: 100, Variance: 1e12, Counts: []float64{5e9}},
		{From: outer, To: outside, Exact: 300, Counts: []float64{300}},
	}
	Balance(paths, 2)
	want(t, paths, 0, 300)
	want(t, paths, 1, 5e9)
	want(t, paths, 2, 300)
}

// TestNothingToMove leaves counts as they are that do not fit together: activations were abandoned.
func TestNothingToMove(t *testing.T) {
	paths := []Path{
		{From: outside, To: outer, Exact: 7, Counts: []float64{7}},
		{From: outer, To: outside, Exact: 5, Counts: []float64{5}},
	}
	Balance(paths, 2)
	want(t, paths, 0, 7)
	want(t, paths, 1, 5)
	Balance(nil, 3)
}

// TestNotBelowExact never makes less of a path than was counted of it.
func TestNotBelowExact(t *testing.T) {
	paths := []Path{
		{From: outside, To: outer, Exact: 50, Variance: 100, Counts: []float64{60}},
		{From: outer, To: outside, Exact: 10, Counts: []float64{10}},
	}
	Balance(paths, 2)
	want(t, paths, 0, 50)
}

// TestRandom samples a random walk over two nested loops. Balanced estimates must hold the flow, and must be nearer to
// the truth in the mean than those that are not balanced.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	before, after := 0.0, 0.0
	for range 200 {
		const calls, rounds, inners = 100, 30, 40
		truth := []float64{calls, calls * rounds, calls * rounds * inners, calls * rounds, calls}
		shape := [][2]int{{outside, outer}, {outer, inner}, {inner, inner}, {inner, outer}, {outer, outside}}
		var paths []Path
		for i, s := range shape {
			p := Path{From: s[0], To: s[1], Exact: truth[i], Counts: []float64{truth[i], truth[i]}}
			if i != 4 { // which is counted
				const weight = 50
				p.Exact, p.Variance = 0, truth[i]*weight
				for k := range p.Counts {
					p.Counts[k] += random.NormFloat64() * math.Sqrt(p.Variance)
				}
			}
			paths = append(paths, p)
		}
		for i := range paths {
			before += square((paths[i].Counts[0] - truth[i]) / truth[i])
		}
		Balance(paths, 3)
		for i := range paths {
			after += square((paths[i].Counts[0] - truth[i]) / truth[i])
		}
		for k := range 2 {
			excess := make([]float64, 3)
			for _, p := range paths {
				excess[p.To] += p.Counts[k]
				excess[p.From] -= p.Counts[k]
			}
			for place, e := range excess {
				if math.Abs(e) > 1e-6 && paths[0].Counts[k] > 0 {
					t.Fatalf("selection %d: %v more into place %d than out of it", k, e, place)
				}
			}
		}
	}
	if after > before/2 {
		t.Errorf("mean square of errors: %v, %v before", after, before)
	}
}

func square(x float64) float64 { return x * x }

func want(t *testing.T, paths []Path, i int, count float64) {
	t.Helper()
	if got := paths[i].Counts[0]; math.Abs(got-count) > 1e-6*count {
		t.Errorf("path %d: %v executions, want %v", i, got, count)
	}
}
