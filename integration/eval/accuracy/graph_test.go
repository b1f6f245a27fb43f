package accuracy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// diamonds returns a function of n branches in turn. Of branch i, from 0 on, edge 4i is taken and 4i+1 not taken.
//
//	   ┌─4i──▶ 3i+1 ─4i+2─┐
//	3i ┤                  ├▶ 3(i+1)
//	   └─4i+1▶ 3i+2 ─4i+3─┘
func diamonds(name string, n int) *Function {
	f := &Function{Name: name}
	for i := range n {
		at := 3 * i
		f.Edges = append(f.Edges, Edge{From: at, To: at + 1}, Edge{From: at, To: at + 2},
			Edge{From: at + 1, To: at + 3}, Edge{From: at + 2, To: at + 3})
	}
	return f
}

// walk adds a path through diamonds, by its branches: "TF" takes the first.
func (f *Function) walk(branches string, weight float64) {
	p := Path{Weight: weight}
	for i, b := range branches {
		e := 4 * i
		if b == 'F' {
			e++
		}
		p.Edges = append(p.Edges, e, e+2)
	}
	f.Paths = append(f.Paths, p)
}

// two returns a profile of one function of two branches, with weights of its paths TT, TF, FT and FF.
func two(weights ...float64) *Profile {
	f := diamonds("f", 2)
	for i, w := range weights {
		if w > 0 {
			f.walk([]string{"TT", "TF", "FT", "FF"}[i], w)
		}
	}
	return &Profile{[]*Function{f}}
}

// loop returns a profile of a function with a loop that has one branch in it. The loop is entered and goes round by the
// branch, goes round past it, and is left, so many times.
//
//	0 ─0─▶ 1 ─1─▶ 2 ─3─▶ 3 ─5─▶ 4 ─6 (back)─▶ 1
//	       │      └──4──────────▲
//	       └─2─▶ 5 (exit)
func loop(in, around, out float64) *Profile {
	f := &Function{Name: "loop",
		Edges: []Edge{{0, 1, false}, {1, 2, false}, {1, 5, false}, {2, 3, false}, {2, 4, false}, {3, 4, false},
			{4, 1, true}},
		Paths: []Path{
			{Start: 0, Edges: []int{0, 1, 3, 5, 6}, Weight: in},
			{Start: 1, Loop: true, Edges: []int{1, 4, 6}, Weight: around},
			{Start: 1, Loop: true, Edges: []int{2}, Weight: out},
		},
	}
	return &Profile{[]*Function{f}}
}

// random returns a profile of some functions with random graphs and weights, which are whole numbers.
func random(seed uint64) *Profile {
	r := rand.New(rand.NewPCG(seed, 0))
	p := new(Profile)
	for i := range 1 + r.IntN(4) {
		p.Functions = append(p.Functions, randomFunction(fmt.Sprintf("f%d", i), r))
	}
	return p
}

// randomFunction makes a graph whose edges go to blocks further on, or back, and walks along it.
func randomFunction(name string, r *rand.Rand) *Function {
	f := &Function{Name: name}
	blocks := 2 + r.IntN(8)
	for v := range blocks - 1 {
		for range 1 + r.IntN(3) {
			f.Edges = append(f.Edges, Edge{From: v, To: v + 1 + r.IntN(blocks-v-1)})
		}
		if r.IntN(4) == 0 {
			f.Edges = append(f.Edges, Edge{From: v, To: r.IntN(v + 1), Back: true})
		}
	}
	seen := make(map[pathID]bool)
	start, again := 0, false
	for range 1 + r.IntN(30) {
		p := f.randomPath(start, again, r)
		last := f.Edges[p.Edges[len(p.Edges)-1]]
		if start, again = 0, last.Back; again {
			start = last.To
		}
		if id := f.id(&p); !seen[id] {
			seen[id] = true
			f.Paths = append(f.Paths, p)
		}
	}
	return f
}

func (f *Function) randomPath(start int, again bool, r *rand.Rand) Path {
	p := Path{Start: start, Loop: again, Weight: float64(1 + r.IntN(1000))}
	outs := f.outs()
	for v := start; len(outs[v]) > 0; {
		id := outs[v][r.IntN(len(outs[v]))]
		p.Edges = append(p.Edges, id)
		if f.Edges[id].Back {
			break
		}
		v = f.Edges[id].To
	}
	return p
}

// weigh returns a copy of p with other weights. Paths that weigh nothing are left out, as in a profile.
func (p *Profile) weigh(weight func(Path) float64) *Profile {
	out := new(Profile)
	for _, f := range p.Functions {
		g := *f
		g.Paths = nil
		for _, path := range f.Paths {
			if path.Weight = weight(path); path.Weight > 0 {
				g.Paths = append(g.Paths, path)
			}
		}
		out.Functions = append(out.Functions, &g)
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

var measures = map[string]func(actual, estimate *Profile) (float64, error){"Paths": Paths, "Relative": Relative,
	"Absolute": Absolute}

// expect holds the three measures against what they should be.
func expect(t *testing.T, what string, actual, estimate *Profile, paths, relative, absolute float64) {
	t.Helper()
	for name, want := range map[string]float64{"Paths": paths, "Relative": relative, "Absolute": absolute} {
		if got, err := measures[name](actual, estimate); err != nil || !near(got, want) {
			t.Errorf("%s: %s is %v, %v, want %v", what, name, got, err, want)
		}
	}
}
