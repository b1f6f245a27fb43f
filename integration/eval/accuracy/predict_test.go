package accuracy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// predicted returns the weights of predicted paths, by what they are.
func predicted(p *Profile) map[pathID]float64 {
	weights := make(map[pathID]float64)
	for _, f := range p.Functions {
		for i := range f.Paths {
			weights[f.id(&f.Paths[i])] = f.Paths[i].Weight
		}
	}
	return weights
}

// TestPredictHand has the example of doc.go.
func TestPredictHand(t *testing.T) {
	got := predicted(Predict(two(600, 50, 50, 300), 0.001))
	want := predicted(two(422.5, 227.5, 227.5, 122.5))
	comparePredicted(t, "example", got, want)
	// 99 of 100 paths that start at 1 go round by the edge profile, which cannot tell that the path in never leaves.
	got = predicted(Predict(loop(9, 81, 10), 0.001))
	enter, around := 9., 90.
	want = make(map[pathID]float64)
	f := loop(1, 1, 1).Functions[0]
	for _, p := range []Path{
		{Start: 0, Edges: []int{0, 1, 3, 5, 6}, Weight: enter * 0.9 * 0.1},
		{Start: 0, Edges: []int{0, 1, 4, 6}, Weight: enter * 0.9 * 0.9},
		{Start: 0, Edges: []int{0, 2}, Weight: enter * 0.1},
		{Start: 1, Loop: true, Edges: []int{1, 3, 5, 6}, Weight: around * 0.9 * 0.1},
		{Start: 1, Loop: true, Edges: []int{1, 4, 6}, Weight: around * 0.9 * 0.9},
		{Start: 1, Loop: true, Edges: []int{2}, Weight: around * 0.1},
	} {
		want[f.id(&p)] = p.Weight
	}
	comparePredicted(t, "loop", got, want)
}

func comparePredicted(t *testing.T, what string, got, want map[pathID]float64) {
	t.Helper()
	for id, w := range want {
		if math.Abs(got[id]-w) > 1e-9 {
			t.Errorf("%s: path %s %x has %v, want %v", what, id.function, id.path, got[id], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d paths, want %d", what, len(got), len(want))
	}
}

// TestPredictAll holds Predict against the list of all paths.
func TestPredictAll(t *testing.T) {
	most := 0
	for seed := range uint64(300) {
		p := random(seed)
		all := new(Profile)
		for _, f := range p.Functions {
			g := *f
			g.Paths = f.allPaths()
			all.Functions = append(all.Functions, &g)
		}
		total := 0.0
		for _, w := range all.flows() {
			total += w.flow
		}
		for _, least := range []float64{0.3, 0.01, 0.00123} {
			want := make(map[pathID]float64)
			weights := predicted(all)
			for _, w := range all.flows() {
				if w.flow >= least*total {
					want[w.pathID] = weights[w.pathID]
				}
			}
			comparePredicted(t, fmt.Sprintf("seed %d, %v", seed, least), predicted(Predict(p, least)), want)
			most = max(most, len(want))
		}
	}
	if most < 50 {
		t.Errorf("no more than %d paths in a profile", most)
	}
}

// allPaths returns all paths of f with their predicted weights, by the definition.
func (f *Function) allPaths() []Path {
	weights, outs := f.weights(), f.outs()
	var all []Path
	var walk func(p Path, v int)
	walk = func(p Path, v int) {
		for i, share := range distribution(outs[v], weights) {
			id := outs[v][i]
			next := Path{p.Start, p.Loop, append(slices.Clone(p.Edges), id), p.Weight * share}
			if e := f.Edges[id]; e.Back || len(outs[e.To]) == 0 {
				all = append(all, next)
			} else {
				walk(next, e.To)
			}
		}
	}
	entered := sum(outs[f.Entry], weights)
	for start := range outs {
		again := 0.0
		for id, e := range f.Edges {
			if e.Back && e.To == start {
				again += weights[id]
			}
		}
		if start == f.Entry {
			walk(Path{Start: start, Weight: max(0, entered-again)}, start)
		}
		if again > 0 {
			walk(Path{Start: start, Loop: true, Weight: again}, start)
		}
	}
	return all
}

// TestPredictMany has functions of 2^50 paths.
func TestPredictMany(t *testing.T) {
	biased, even := diamonds("biased", 50), diamonds("even", 50)
	all := strings.Repeat("T", 50)
	biased.walk(all, 450)
	for i := range all {
		biased.walk(all[:i]+"F"+all[i+1:], 10)
	}
	// Of 950 executions each branch goes F in 10. Paths with one F are expected in 0.6%, with two in 0.007%.
	p := Predict(&Profile{[]*Function{biased}}, 0.001)
	if n := len(p.Functions[0].Paths); n != 1+50 {
		t.Errorf("%d paths, want that without F and those with one", n)
	}
	p = Predict(&Profile{[]*Function{biased}}, 0.00001)
	if n := len(p.Functions[0].Paths); n != 1+50+50*49/2 {
		t.Errorf("%d paths, want those with up to two Fs", n)
	}
	even.walk(all, 1)
	even.walk(strings.Repeat("F", 50), 1)
	if p := Predict(&Profile{[]*Function{even}}, 0.00001); len(p.Functions) > 0 {
		t.Errorf("%d paths, each one of 2^50", len(p.Functions[0].Paths))
	}
}

// TestPredictIndependent holds that branches which are independent are predicted perfectly.
func TestPredictIndependent(t *testing.T) {
	exact := two(490, 210, 210, 90)
	if got, err := Paths(exact, Predict(exact, Threshold)); err != nil || !near(got, 1) {
		t.Errorf("got %v, %v", got, err)
	}
	// Two of four paths are taken, and the edges say that all four are.
	correlated := two(50, 0, 0, 50)
	if got, err := Paths(correlated, Predict(correlated, Threshold)); err != nil || !near(got, 0.5) {
		t.Errorf("correlated: got %v, %v", got, err)
	}
}

// TestPredictNothing has profiles without a branch, of which no path is hot.
func TestPredictNothing(t *testing.T) {
	f := &Function{Name: "g", Edges: []Edge{{0, 1, false}}, Paths: []Path{{Edges: []int{0}, Weight: 5}}}
	for _, p := range []*Profile{{}, {[]*Function{f}}} {
		if q := Predict(p, Threshold); len(q.Functions) > 0 {
			t.Errorf("got %v", q.Functions[0].Paths)
		}
	}
}
