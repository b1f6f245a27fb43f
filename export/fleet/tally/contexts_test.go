package tally

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// grow adds to a tree of calls, whose nodes may be anywhere in the list.
func grow(r *rand.Rand, spent map[string]uint64) *rundata.Contexts {
	pkg := &rundata.Package{Path: "p"}
	names := []string{"main", "f", "g", "h"}
	c := &rundata.Contexts{Nodes: []pcct.Node{{Parent: -1, Frames: []pcct.Frame{{Name: "main"}}}}}
	at := map[string]int{"main": 0}
	r.Shuffle(3, func(i, j int) { names[i+1], names[j+1] = names[j+1], names[i+1] })
	for _, name := range names {
		if r.IntN(3) > 0 {
			spent[name] += uint64(r.IntN(5))
		}
		if name != "main" {
			at[name] = len(c.Nodes)
			c.Nodes = append(c.Nodes, pcct.Node{Parent: 0, Frames: []pcct.Frame{{Name: name}}})
		}
		c.Nodes[at[name]].Time = spent[name]
		c.Paths = append(c.Paths, rundata.ContextPath{
			Node: at[name], PathAt: rundata.PathAt{Package: pkg, Hash: -1, Number: 3}, Estimate: spent[name], Samples: spent[name],
			Time: time.Duration(spent[name]),
		})
	}
	return c
}

// TestContextsSince holds what was spent between two trees against sums by name.
func TestContextsSince(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		spent := make(map[string]uint64)
		before := grow(r, spent)
		early := maps.Clone(spent)
		since := ContextsSince(grow(r, spent), before)
		for _, n := range since.Nodes {
			name := n.Frames[0].Name
			if want := spent[name] - early[name]; n.Time != want {
				t.Fatalf("%s: %d, want %d", name, n.Time, want)
			}
		}
		for _, p := range since.Paths {
			name := since.Nodes[p.Node].Frames[0].Name
			if want := spent[name] - early[name]; p.Estimate != want || p.Samples != want || uint64(p.Time) != want {
				t.Fatalf("path in %s: %+v, want %d", name, p, want)
			}
		}
	}
}
