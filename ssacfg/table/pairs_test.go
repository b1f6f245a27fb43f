package table

import (
	"math/rand/v2"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// TestPairs numbers all pairs of paths of random graphs, in arrays and hash tables. Each pair must have a number of its own below
// their number, and the number must give the pair.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	tested := 0
	for range 2000 {
		g := &pathnum.Graph{Blocks: 2 + r.IntN(7)}
		g.Exit = g.Blocks - 1
		for b := range g.Exit {
			g.Edges = append(g.Edges, pathnum.Edge{From: b, To: b + 1, Weight: 1})
			if r.IntN(2) == 0 {
				g.Edges = append(g.Edges, pathnum.Edge{From: b, To: 1 + r.IntN(g.Exit), Weight: 1})
			}
		}
		n, err := pathnum.New(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		v := &n.Values
		p, counters := NewPairs(v, n.Ends(), 1<<20)
		if p == nil {
			if len(v.Starts) > 0 {
				t.Fatalf("%+v: no pairs", v)
			}
			continue
		}
		tested += holdPairs(t, n, p, counters)
		tested += holdPairs(t, n, &Pairs{Storage: StorageHash}, (v.NumPaths+1)*v.NumPaths)
	}
	if tested < 10_000 {
		t.Errorf("%d pairs", tested)
	}
}

// holdPairs numbers all pairs of the paths of n, and returns how many there are.
func holdPairs(t *testing.T, n *pathnum.Numbering, p *Pairs, counters uint64) int {
	t.Helper()
	v := &n.Values
	decoder, err := pathnum.NewDecoder(n.Graph.Blocks, n.Graph.Entry, n.Graph.Exit, n.Graph.Edges, n.Cut, *v)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Decoder(v)
	seen := make(map[uint64]bool)
	for before := range v.NumPaths {
		first, _ := decoder.Path(before)
		last := first.Edges[len(first.Edges)-1]
		if !n.Cut[last] {
			continue
		}
		for i, s := range v.Starts {
			if s.Block != n.Graph.Edges[last].To {
				continue
			}
			factor, offset := p.Before(v, i)
			for path := s.Val; path < s.Val+pathsFrom(v, i); path++ {
				number := before*factor + offset + path
				b, q, ok := d.Pair(number)
				if !ok || b != before || q != path || seen[number] || number >= counters || number < v.Starts[0].Val {
					t.Fatalf("%+v: pair %d, %d of %+v is number %d, which is %d, %d, %v", p, before, path, v, number, b, q, ok)
				}
				seen[number] = true
			}
		}
	}
	return len(seen)
}

// TestPairsFolded has so many paths that pairs have no numbers.
func TestPairsFolded(t *testing.T) {
	v := &pathnum.Values{NumPaths: mostPaired + 1, Starts: []pathnum.Start{{Block: 1, Val: 1}}}
	if p, n := NewPairs(v, []pathnum.Span{{Low: 0, High: 1}}, 1); !p.On() || !p.Folded || p.Storage != StorageHash || n != 0 {
		t.Errorf("%+v, %d counters", p, n)
	}
	v.NumPaths--
	p, n := NewPairs(v, []pathnum.Span{{Low: 0, High: 1}}, 1)
	if !p.On() || p.Folded || p.Storage != StorageHash || n != 0 {
		t.Errorf("%+v, %d counters", p, n)
	}
	factor, offset := p.Before(v, 0)
	path := v.NumPaths - 1
	if last := path*factor + offset + path; last >= runfile.OtherPair {
		t.Errorf("the last pair has number %d, and the runtime means other pairs by %d", last, uint64(runfile.OtherPair))
	}
}

// TestCheckPairs has tables whose pairs have counters that are not there.
func TestCheckPairs(t *testing.T) {
	for _, p := range []*Pairs{
		{Storage: StorageArray, First: 1},
		{Storage: StorageArray, Ends: []pathnum.Span{{Low: 0, High: 2}}},
		{Storage: StorageArray, First: 90, Ends: []pathnum.Span{{Low: 0, High: 2}}},
		{Storage: StorageArray, Ends: []pathnum.Span{{Low: 2, High: 1}}},
		{Storage: StorageArray, Ends: []pathnum.Span{{Low: 0, High: 3}}},
		{Storage: StorageHash, Hash: -1},
		{Storage: "list"},
	} {
		f := &Function{Pairs: p, Values: pathnum.Values{NumPaths: 3, Starts: []pathnum.Start{{Block: 1, Val: 2}}}}
		err := f.checkPairs(&Package{Counters: 91})
		if fits := p.First == 0 && len(p.Ends) == 1 && p.Ends[0].High == 2 && p.Ends[0].Low == 0; fits != (err == nil) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
