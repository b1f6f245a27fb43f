package accuracy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestHand holds the measures against what was computed by hand.
func TestHand(t *testing.T) {
	exact := two(600, 50, 50, 300)
	expect(t, "itself", exact, exact, 1, 1, 1)
	expect(t, "the example of doc.go", exact, two(30, 6, 0, 14), 1900./2000, 0.94, 0.94)
	expect(t, "no samples: every branch is even, 0.5 for 0.65", exact, new(Profile), 0, 0.85, 0)
	expect(t, "all the other ways", two(100, 0, 0, 0), two(0, 0, 0, 100), 0, 0, 0)

	// FT has a flow of 2 in 1902 and is not hot. Of three places one is FF's, and three paths of the estimate
	// share the other two, one of which is not among the hot ones. The first branch goes T in 650/951 and
	// 2/10, the second in 601/951 and 2/10.
	relative := 1 - ((650./951-0.2)+(601./951-0.2))/2
	expect(t, "ties", two(600, 50, 1, 300), two(1, 1, 1, 7), (600+2./3*(1200+100))/1900, relative, relative)

	// Blocks 1 and 2 are branches. Of 100 executions of 1, 10 leave the loop, and of 90 of 2, 9 take edge 3. Of the
	// samples 2 of 4 and 1 of 2 do.
	expect(t, "loop", loop(9, 81, 10), loop(1, 1, 2), 1,
		(100*(1-0.4)+90*(1-0.4))/190,
		min(90./190, 2./6)+min(10./190, 2./6)+min(9./190, 1./6)+min(81./190, 1./6))
}

// TestTies has paths of the estimate that are equally hot.
func TestTies(t *testing.T) {
	tenth := 0.1 // not a constant, which would have no rounding
	for _, test := range []struct {
		what             string
		actual, estimate *Profile
		want             float64
	}{
		{"two places for two, neither of them hot", two(600, 1, 1, 300), two(1, 3, 3, 1), 0},
		{"one place for two that differ by rounding", two(1000, 1, 0, 0), two(3*tenth, 0.3, 0, 0), 0.5},
	} {
		if got, err := Paths(test.actual, test.estimate); err != nil || !near(got, test.want) {
			t.Errorf("%s: got %v, %v, want %v", test.what, got, err, test.want)
		}
	}
}

// TestThreshold holds that a path of exactly 0.125% of the flow is not hot, as PEP has it: above.
func TestThreshold(t *testing.T) {
	if n := two(799, 1, 0, 0).HotPaths(); n != 1 {
		t.Errorf("%d paths are hot, want 1", n)
	}
	if n := two(798, 1, 0, 0).HotPaths(); n != 2 {
		t.Errorf("%d paths are hot, want 2", n)
	}
}

// TestManyWays has a branch with three edges: half the sum of all differences.
func TestManyWays(t *testing.T) {
	of := func(weights ...float64) *Profile {
		f := &Function{Edges: []Edge{{0, 1, false}, {0, 2, false}, {0, 3, false}}}
		for e, w := range weights {
			f.Paths = append(f.Paths, Path{Edges: []int{e}, Weight: w})
		}
		return &Profile{[]*Function{f}}
	}
	expect(t, "three ways", of(5, 3, 2), of(2, 2, 6), 1, 1-(0.3+0.1+0.4)/2, 0.2+0.2+0.2)
	expect(t, "not seen", of(6, 3, 1), new(Profile), 0, 1-(6./10-1./3+1./3-3./10+1./3-1./10)/2, 0)
}

// TestFunctions has two functions in each profile, one of them in both.
func TestFunctions(t *testing.T) {
	f, g, h := diamonds("f", 1), diamonds("g", 1), diamonds("h", 1)
	f.walk("T", 30)
	g.walk("F", 10)
	h.walk("T", 20)
	actual, estimate := &Profile{[]*Function{f, g}}, &Profile{[]*Function{f, h}}
	// Two places: for f and, in vain, h. g's branch is even.
	expect(t, "functions", actual, estimate, 30./40, (30*1+10*0.5)/40, 30./50)
}

func TestErrors(t *testing.T) {
	straight := &Profile{[]*Function{{Name: "g", Edges: []Edge{{0, 1, false}},
		Paths: []Path{{Edges: []int{0}, Weight: 5}}}}}
	other := two(1, 0, 0, 0)
	other.Functions[0].Edges[0].To = 2
	for name, measure := range measures {
		for _, actual := range []*Profile{new(Profile), straight} {
			if got, err := measure(actual, two(1, 1, 1, 1)); err == nil {
				t.Errorf("%s, without branches: %v", name, got)
			}
		}
		if got, err := measure(two(1, 0, 0, 0), other); err == nil || !strings.Contains(err.Error(), "graphs") {
			t.Errorf("%s, of different programs: %v, %v", name, got, err)
		}
	}
}

// TestSame holds that a profile is a perfect estimate of itself, and that the unit of weights is of no account.
func TestSame(t *testing.T) {
	for seed := range uint64(300) {
		p, q := random(seed), random(seed)
		r := rand.New(rand.NewPCG(seed, 1))
		q = q.weigh(func(p Path) float64 { return float64(r.IntN(4)) * p.Weight })
		scaled := q.weigh(func(p Path) float64 { return p.Weight / 7 })
		for name, measure := range measures {
			own, err := measure(p, p)
			if err != nil {
				if p.HotPaths() > 0 {
					t.Errorf("seed %d: %s: %v", seed, name, err)
				}
				continue
			}
			if !near(own, 1) {
				t.Errorf("seed %d: %s of the profile itself is %v", seed, name, own)
			}
			before, _ := measure(p, q)
			after, _ := measure(p, scaled)
			if !near(before, after) || before < 0 || before > 1+1e-12 {
				t.Errorf("seed %d: %s is %v, and of a seventh of all weights %v", seed, name, before, after)
			}
		}
	}
}

// TestOrder holds that the functions and paths of a profile can be in any order.
func TestOrder(t *testing.T) {
	for seed := range uint64(100) {
		p := random(seed)
		r := rand.New(rand.NewPCG(seed, 2))
		q := p.weigh(func(Path) float64 { return float64(r.IntN(3)) })
		turned := q.weigh(func(p Path) float64 { return p.Weight })
		r.Shuffle(len(turned.Functions), func(i, j int) {
			turned.Functions[i], turned.Functions[j] = turned.Functions[j], turned.Functions[i]
		})
		for _, f := range turned.Functions {
			r.Shuffle(len(f.Paths), func(i, j int) { f.Paths[i], f.Paths[j] = f.Paths[j], f.Paths[i] })
		}
		for name, measure := range measures {
			want, _ := measure(p, q)
			if got, _ := measure(p, turned); !near(got, want) {
				t.Errorf("seed %d: %s is %v, in another order %v", seed, name, want, got)
			}
		}
	}
}

// thin samples each execution with a probability.
func (p *Profile) thin(probability float64, r *rand.Rand) *Profile {
	return p.weigh(func(p Path) float64 {
		n := 0.0
		for range int(p.Weight) {
			if r.Float64() < probability {
				n++
			}
		}
		return n
	})
}

// TestThin samples profiles evenly: with more samples the estimates get better, and are perfect in the end.
func TestThin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rates := []float64{0.001, 0.01, 0.1, 0.5, 1}
	for name, measure := range measures {
		before := 0.0
		for _, rate := range rates {
			mean, n := 0.0, 0.0
			for seed := range uint64(100) {
				p := random(seed)
				if accuracy, err := measure(p, p.thin(rate, r)); err == nil {
					mean, n = mean+accuracy, n+1
				}
			}
			mean /= n
			if mean < before || rate == rates[0] && mean > 0.9 {
				t.Errorf("%s at a rate of %v is %v, with fewer samples %v", name, rate, mean, before)
			}
			before = mean
		}
		if math.Abs(before-1) > 1e-12 {
			t.Errorf("%s of all executions is %v", name, before)
		}
	}
}
