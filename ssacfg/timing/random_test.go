package timing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const (
	randomGraphs = 3000
	least        = 5 // cost between points
)

// random returns a graph whose blocks can all be reached. Every block costs something, or walks would not end. Edges have no
// frequency, so loops are entered and left.
func random(r *rand.Rand) *Graph {
	n := 3 + r.IntN(7)
	g := new(Graph)
	for i := range n {
		b := Block{Freq: float64(1 + r.IntN(1000)), Before: uint64(r.IntN(3)), After: uint64(1 + r.IntN(6)), Point: r.IntN(4) > 0}
		if i == 0 {
			b.Freq = 1
		}
		g.Blocks = append(g.Blocks, b)
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: r.IntN(i), To: i, Cost: uint64(r.IntN(2))})
		}
	}
	for range r.IntN(n + 3) {
		g.Edges = append(g.Edges, Edge{From: r.IntN(n), To: r.IntN(n), Cost: uint64(r.IntN(2))})
	}
	return g
}

// walk calls visit for each block at the end of a walk along edges from a block that costs no more than least. It is the slow
// truth of Dijkstra's algorithm.
func (g *Graph) walk(block int, cost uint64, visit func(to int, cost uint64)) {
	for _, e := range g.Edges {
		if e.From != block {
			continue
		}
		if c := cost + g.Blocks[e.From].After + e.Cost + g.Blocks[e.To].Before; c <= least {
			visit(e.To, c)
			g.walk(e.To, c, visit)
		}
	}
}

// closest returns the cost of the cheapest of all walks from a block to itself or between it and points.
func (g *Graph) closest(block int, points []Point) uint64 {
	isPoint := func(b int) bool { return slices.ContainsFunc(points, func(p Point) bool { return p.Block == b }) }
	nearest := uint64(math.MaxUint64)
	g.walk(block, 0, func(to int, cost uint64) {
		if to == block || isPoint(to) {
			nearest = min(nearest, cost)
		}
	})
	for _, p := range points {
		g.walk(p.Block, 0, func(to int, cost uint64) {
			if to == block {
				nearest = min(nearest, cost)
			}
		})
	}
	return nearest
}

// cycles returns the blocks of the loop with a header. From these a way leads back to the header by an edge whose source the
// header dominates. nil if there is none.
func (g *Graph) cycles(header int) map[int]bool {
	var blocks map[int]bool
	for _, e := range g.Edges {
		if e.To != header || header != g.Entry && g.way(g.Entry, e.From, header) {
			continue
		}
		for b := range g.Blocks {
			if b == header || g.way(b, e.From, header) {
				if blocks == nil {
					blocks = make(map[int]bool)
				}
				blocks[b] = true
			}
		}
	}
	return blocks
}

// way reports whether a way leads from one block to another without a third.
func (g *Graph) way(a, b, without int) bool { return g.wayNot(a, b, without, -1) }

func (g *Graph) wayNot(a, b, without, orWithout int) bool {
	var on func(at int, way []int) bool
	on = func(at int, way []int) bool {
		if at == without || at == orWithout || slices.Contains(way, at) {
			return false
		}
		return at == b || slices.ContainsFunc(g.Edges, func(e Edge) bool { return e.From == at && on(e.To, append(way[:len(way):len(way)], at)) })
	}
	return on(a, nil)
}

// around reports whether some way from a header back to it is without a block.
func (g *Graph) around(header, block int) bool {
	return slices.ContainsFunc(g.Edges, func(e Edge) bool {
		dominated := header == g.Entry || !g.way(g.Entry, e.From, header)
		return e.To == header && dominated && block != header && e.From != block && g.round(header, e.From, block)
	})
}

// round is way, from a header on.
func (g *Graph) round(header, to, without int) bool {
	if header == to {
		return true
	}
	return slices.ContainsFunc(g.Edges, func(e Edge) bool { return e.From == header && e.To != header && g.wayNot(e.To, to, without, header) })
}

// TestRandom holds choices against the enumeration of all walks and ways.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	points, tight := 0, 0
	for i := range randomGraphs {
		g := random(r)
		o := Options{EntryShare: 1, Target: r.Float64() * 0.3, MinDistance: least, EveryPass: r.IntN(3) == 0}
		c := Choose(g, o)
		checkLoops(t, g, c)
		left := o.Target
		for j, p := range c.Points {
			if d := g.closest(p.Block, c.Points); d <= least {
				t.Errorf("graph %d: point %d, block %d: a walk of cost %d to a point", i, j, p.Block, d)
			}
			if left <= 0 {
				t.Errorf("graph %d: point %d is one more than was asked for", i, j)
			}
			if o.EveryPass && g.around(p.Header, p.Block) {
				t.Errorf("graph %d: a pass through the loop at %d gets around point %d", i, p.Header, p.Block)
			}
			left -= p.Freq
		}
		points += len(c.Points)
		header := func(l Loop) bool { return len(c.Points) == 1 && l.Header == c.Points[0].Header }
		if most := slices.IndexFunc(c.Loops, header); len(c.Points) == 0 {
			left = 0 // however rare they are
		} else if most >= 0 && c.Loops[most].Freq <= o.Target {
			left = c.Loops[most].Freq // no other one can have a point that is more frequent
		}
		if c.Needed && left >= 0 {
			tight += checkRefusals(t, g, c, left, o.EveryPass)
		}
		if t.Failed() {
			t.Fatalf("%+v\n%+v", g, c)
		}
	}
	if points < randomGraphs/4 || tight < randomGraphs/20 {
		t.Errorf("%d points, %d tight loops: too few to tell anything", points, tight)
	}
}

func checkLoops(t *testing.T, g *Graph, c *Choice) {
	t.Helper()
	for b := range g.Blocks {
		at := slices.IndexFunc(c.Loops, func(l Loop) bool { return l.Header == b })
		blocks := g.cycles(b)
		if (at >= 0) != (blocks != nil) || at >= 0 && c.Loops[at].Blocks != len(blocks) {
			t.Errorf("loop at %d: %d, want blocks %v", b, at, blocks)
		}
	}
}

// checkRefusals makes sure that there really was no point for each loop that is frequent enough, and returns how many were tight.
func checkRefusals(t *testing.T, g *Graph, c *Choice, left float64, everyPass bool) (tight int) {
	t.Helper()
	freq := normalized(g)
	for _, l := range c.Loops {
		if l.Refused == Tight {
			tight++
		}
		if l.Freq <= left {
			continue
		}
		for b := range g.cycles(l.Header) {
			isPoint := slices.ContainsFunc(c.Points, func(p Point) bool { return p.Block == b })
			if isPoint || everyPass && g.around(l.Header, b) {
				continue
			}
			if g.Blocks[b].Point && freq[b] > freq[g.Entry] && g.closest(b, c.Points) > least {
				t.Errorf("loop at %d: nothing is nearer than %d to block %d, and it is no point", l.Header, least, b)
			}
		}
	}
	return tight
}
