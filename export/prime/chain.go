package prime

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// A chain knows how often paths, and pairs of them, were executed.
type chain struct {
	*graph
	f       *profile.Function
	decoder *pathnum.Decoder
	paths   map[uint64]*profile.Path
	after   map[uint64][]profile.Pair // by the path before
	before  map[uint64][]profile.Pair // by the path behind
}

func newChain(g *graph, f *profile.Function) *chain {
	c := &chain{
		graph: g, f: f, decoder: f.Decoder(), paths: make(map[uint64]*profile.Path),
		after: make(map[uint64][]profile.Pair), before: make(map[uint64][]profile.Pair),
	}
	for i := range f.Paths {
		c.paths[f.Paths[i].ID] = &f.Paths[i]
	}
	for _, p := range f.Pairs {
		c.after[p.Before] = append(c.after[p.Before], p)
		c.before[p.Path] = append(c.before[p.Path], p)
	}
	return c
}

// bounds returns how often, but for pairs that were lost, a row of edges over back edges was executed at least, and at most.
// Its parts between them are whole paths, of each of which it is known how often it came after the part before, and went on
// to the one behind.
func (c *chain) bounds(edges []int) (low, high int64) {
	parts := c.parts(edges)
	var whole []uint64
	for _, part := range parts[1 : len(parts)-1] {
		id, err := c.decoder.Number(pathnum.Path{Start: c.edges[part[0]].From, Loop: true, Edges: part})
		if err != nil || c.paths[id] == nil {
			return 0, 0
		}
		whole = append(whole, id)
	}
	if len(whole) == 0 || !c.f.Table.Pairs.On() {
		return 0, c.single(parts)
	}
	first, last := parts[0], parts[len(parts)-1]
	high = c.sum(c.before[whole[0]], func(p profile.Pair) bool { return endsWith(c.edgesOf(p.Before), first) })
	low = high
	link := func(n, through int64) {
		low, high = max(0, low+n-through), min(high, n)
	}
	for i, id := range whole[1:] {
		n := c.sum(c.after[whole[i]], func(p profile.Pair) bool { return p.Path == id })
		link(n, c.paths[whole[i]].Count)
	}
	id := whole[len(whole)-1]
	link(c.sum(c.after[id], func(p profile.Pair) bool { return beginsWith(c.edgesOf(p.Path), last) }), c.paths[id].Count)
	return min(low, high), high
}

// edgesOf returns the edges of a path, nil if its counts were lost.
func (c *chain) edgesOf(id uint64) []int {
	if p := c.paths[id]; p != nil {
		return p.Edges
	}
	return nil
}

// single returns the most that single paths let a row of parts have been executed.
func (c *chain) single(parts [][]int) int64 {
	first, last := parts[0], parts[len(parts)-1]
	var ends, begins int64
	for _, p := range c.paths {
		if endsWith(p.Edges, first) {
			ends += p.Count
		}
		if p.Loop && beginsWith(p.Edges, last) {
			begins += p.Count
		}
	}
	return min(ends, begins)
}

// parts divides a row of edges behind back edges, but the last.
func (c *chain) parts(edges []int) (parts [][]int) {
	start := 0
	for i, id := range edges[:len(edges)-1] {
		if c.edges[id].Back {
			parts = append(parts, edges[start:i+1])
			start = i + 1
		}
	}
	return append(parts, edges[start:])
}

func (c *chain) sum(pairs []profile.Pair, is func(p profile.Pair) bool) (n int64) {
	for _, p := range pairs {
		if is(p) {
			n += p.Least
		}
	}
	return n
}

func endsWith(edges, end []int) bool {
	return len(edges) >= len(end) && slices.Equal(edges[len(edges)-len(end):], end)
}

func beginsWith(edges, begin []int) bool {
	return len(edges) >= len(begin) && slices.Equal(edges[:len(begin)], begin)
}
