package prime

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// randomFunction returns a function with a random graph of some blocks, of which each is reachable and leads to the exit.
func randomFunction(r *rand.Rand, blocks int) *table.Function {
	for {
		f := &table.Function{Name: "p.F", Blocks: make([]table.Block, blocks), Exit: blocks - 1, Entries: -1, Storage: table.StorageArray}
		for b := range blocks - 1 {
			for range 1 + r.IntN(2+r.IntN(2)) {
				to := 1 + r.IntN(blocks-1)
				if r.IntN(2) == 0 {
					to = min(b+1+r.IntN(2), blocks-1)
				}
				f.Edges = append(f.Edges, table.Edge{From: b, To: to})
			}
		}
		if leadsToExit(f) {
			if number(f) == nil {
				return f
			}
		}
	}
}

// leadsToExit reports whether each block has a way to the exit. Blocks that cannot be reached are errors of pathnum.New.
func leadsToExit(f *table.Function) bool {
	leads := map[int]bool{f.Exit: true}
	for range f.Blocks {
		for _, e := range f.Edges {
			if leads[e.To] {
				leads[e.From] = true
			}
		}
	}
	return len(leads) == len(f.Blocks)
}

// number numbers the paths of a function, and has their pairs counted.
func number(f *table.Function) error {
	g := &pathnum.Graph{Blocks: len(f.Blocks), Exit: f.Exit}
	for _, e := range f.Edges {
		g.Edges = append(g.Edges, pathnum.Edge{From: e.From, To: e.To, Weight: 1})
	}
	n, err := pathnum.New(g, 0)
	if err != nil {
		return err
	}
	f.Values = n.Values
	for id, cut := range n.Cut {
		f.Edges[id].Back = cut
	}
	f.Pairs, _ = table.NewPairs(&f.Values, n.Ends(), table.MostPairs)
	return nil
}

// walk returns a random way through a function.
func walk(r *rand.Rand, f *table.Function) (edges []int) {
	for block := f.Entry; block != f.Exit; {
		var out []int
		for id, e := range f.Edges {
			if e.From == block {
				out = append(out, id)
			}
		}
		id := out[r.IntN(len(out))]
		edges, block = append(edges, id), f.Edges[id].To
	}
	return edges
}

// profileOf returns the profile of walks: the counts of their paths, and of the pairs of them.
func profileOf(t *testing.T, f *table.Function, walks [][]int) *profile.Function {
	t.Helper()
	fn := &profile.Function{Package: "p", Table: f, Entries: int64(len(walks)), Edges: make([]int64, len(f.Edges))}
	d := fn.Decoder()
	paths, pairs := make(map[uint64]int64), make(map[[2]uint64]int64)
	for _, edges := range walks {
		p, before, follows := pathnum.Path{Start: f.Entry}, uint64(0), false
		for _, id := range edges {
			p.Edges = append(p.Edges, id)
			if e := f.Edges[id]; e.Back || e.To == f.Exit {
				number, err := d.Number(p)
				if err != nil {
					t.Fatal(err)
				}
				paths[number]++
				if follows {
					pairs[[2]uint64{before, number}]++
				}
				p, before, follows = pathnum.Path{Start: e.To, Loop: true}, number, true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(paths)) {
		p, err := d.Path(id)
		if err != nil {
			t.Fatal(err)
		}
		fn.Paths = append(fn.Paths, profile.Path{ID: id, Count: paths[id], Start: p.Start, Loop: p.Loop, Edges: p.Edges})
	}
	for pair, n := range pairs {
		fn.Pairs = append(fn.Pairs, profile.Pair{Before: pair[0], Path: pair[1], Count: n, Least: n})
	}
	return fn
}

// truth returns the prime paths of a function by their definition, Ammann & Offutt 7.2.1: all simple paths, without those
// that are part of others.
func truth(f *table.Function) map[string][]int {
	simple := make(map[string][]int)
	var grow func(edges []int)
	grow = func(edges []int) {
		simple[fmt.Sprint(edges)] = slices.Clone(edges)
		first, last := f.Edges[edges[0]].From, f.Edges[edges[len(edges)-1]].To
		if first == last {
			return
		}
		for id, e := range f.Edges {
			inside := slices.ContainsFunc(edges, func(on int) bool { return f.Edges[on].To == e.To })
			if e.From == last && !inside {
				grow(append(slices.Clone(edges), id))
			}
		}
	}
	for id := range f.Edges {
		grow([]int{id})
	}
	primes := maps.Clone(simple)
	for _, edges := range simple {
		for i := range edges {
			for j := i + 1; j <= len(edges); j++ {
				if j-i < len(edges) {
					delete(primes, fmt.Sprint(edges[i:j]))
				}
			}
		}
	}
	return primes
}

// occurrences returns how often edges follow each other in walks.
func occurrences(walks [][]int, edges []int) (n int64) {
	for _, w := range walks {
		for i := 0; i+len(edges) <= len(w); i++ {
			if slices.Equal(w[i:i+len(edges)], edges) {
				n++
			}
		}
	}
	return n
}

// TestPrime holds the prime paths of random graphs against their definition, and their counts against walks.
func TestPrime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all, over, told := 0, 0, 0
	for range 2000 {
		f := randomFunction(r, 2+r.IntN(7))
		var walks [][]int
		for range r.IntN(12) {
			walks = append(walks, walk(r, f))
		}
		fn := profileOf(t, f, walks)
		primes := truth(f)
		got := Of(fn, Options{Most: 1 << 30})
		if got.TooMany || got.Why != "" {
			t.Fatalf("%+v: too many: %v, %s", f, got.TooMany, got.Why)
		}
		g := newGraph(f)
		for state, list := range got.List {
			for _, p := range list {
				if primes[fmt.Sprint(p.Edges)] == nil {
					t.Fatalf("%+v: %v is not prime, or there twice", f, p.Edges)
				}
				delete(primes, fmt.Sprint(p.Edges))
				n, joins := occurrences(walks, p.Edges), g.joins(p.Edges)
				switch {
				case joins <= 1 && (p.Low != n || p.High != n), n < p.Low, n > p.High, p.Low > p.High:
					t.Fatalf("%+v\n%v: %d to %d times, want %d", f, p.Edges, p.Low, p.High, n)
				case (n > 0) != (state == Covered) && state != Untold, joins <= 1 && state == Untold:
					t.Fatalf("%+v\n%v: %s, and executed %d times", f, p.Edges, state, n)
				}
				all++
				if joins > 1 {
					over++
					if state != Untold {
						told++
					}
				}
			}
		}
		for _, edges := range primes {
			t.Fatalf("%+v: %v is prime, and not found", f, edges)
		}
	}
	t.Logf("%d prime paths, %d of them over more than one back edge, of which %d are told", all, over, told)
	if all < 10_000 || over < 100 || told == 0 || told == over {
		t.Errorf("%d prime paths, %d over more than one back edge, %d told: the graphs test too little", all, over, told)
	}
}

// TestExecuted holds the covered paths that are found without enumeration against those of it.
func TestExecuted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		f := randomFunction(r, 2+r.IntN(7))
		fn := profileOf(t, f, [][]int{walk(r, f), walk(r, f), walk(r, f)})
		g := newGraph(f)
		found, ok := g.executed(fn)
		if !ok {
			t.Fatal("too many")
		}
		want := make(executed)
		for _, p := range Of(fn, Options{Most: 1 << 30}).List[Covered] {
			if g.joins(p.Edges) <= 1 {
				want[key(p.Edges)] = count{p.Low, p.Low}
			}
		}
		if !maps.Equal(found, want) {
			t.Fatalf("%+v: found %v, want %v", f, found, want)
		}
	}
}

// TestTooMany has more prime paths than are enumerated: what was covered is known, and nothing is missing.
func TestTooMany(t *testing.T) {
	f := &table.Function{Name: "p.F", Entries: -1}
	const diamonds = 20
	for b := range diamonds {
		for range 2 {
			f.Edges = append(f.Edges, table.Edge{From: b, To: b + 1})
		}
	}
	f.Exit = diamonds
	f.Blocks = make([]table.Block, diamonds+1)
	if err := number(f); err != nil {
		t.Fatal(err)
	}
	got := Of(profileOf(t, f, [][]int{walk(rand.New(rand.NewPCG(5, 6)), f)}), Options{Most: 3})
	if !got.TooMany || got.Total[Covered] != 1 || got.Total[Missing] != 0 {
		t.Errorf("%+v, want one covered path of too many", got)
	}
}
