package timing

import (
	"container/heap"
	"math"
	"slices"
)

// distances finds the shortest ways between points by cost, as AUDIT 5.3 has it. Whether a way is feasible does not matter, since
// a profile does not know all that a function does.
//
// The paper has it whatever the frequency, too. Then each loop around another one is tight, for that may end before it
// begins. Here what leaves a loop costs as much as the shortest way round it so many times as it goes round on the average.
type distances struct {
	g       *Graph
	found   []loop // in depth-first order
	out, in [][]Edge
}

func newDistances(g *Graph) *distances {
	d := &distances{g: g}
	edges := slices.Clone(g.Edges)
	d.use(edges)
	d.found = d.loops()
	for _, l := range slices.Backward(d.found) { // inner ones first
		times := l.iterations(edges)
		if times == 0 {
			continue
		}
		inside := &distances{g: g}
		inside.use(slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return !l.contains(e.From) || !l.contains(e.To) }))
		round := inside.search(l.header, inside.out, to, func(b int) bool { return b == l.header }, None)
		for i, e := range edges {
			if l.contains(e.From) && !l.contains(e.To) {
				edges[i].Cost += uint64(min(times*float64(round), 1e12))
			}
		}
	}
	d.use(edges)
	return d
}

// use sets the edges at each block.
func (d *distances) use(edges []Edge) {
	d.out, d.in = make([][]Edge, len(d.g.Blocks)), make([][]Edge, len(d.g.Blocks))
	for _, e := range edges {
		d.out[e.From] = append(d.out[e.From], e)
		d.in[e.To] = append(d.in[e.To], e)
	}
}

// iterations returns how often a loop goes round each time it is entered.
func (l *loop) iterations(edges []Edge) float64 {
	entered, round := 0.0, 0.0
	for _, e := range edges {
		switch {
		case e.To != l.header:
		case l.contains(e.From):
			round += e.Freq
		default:
			entered += e.Freq
		}
	}
	if entered <= 0 {
		return 0
	}
	return round / entered
}

// None is the distance where there is no way.
const None = math.MaxUint64

// nearest returns the cost of the shortest way from a block to itself or between it and one of some points, in either
// direction. Ways that cost more than most are not looked for: those are None.
func (d *distances) nearest(block int, points map[int]bool, most uint64) uint64 {
	target := func(b int) bool { return b == block || points[b] }
	return min(d.search(block, d.out, to, target, most), d.search(block, d.in, from, target, most))
}

// search is Dijkstra's algorithm from a block along edges, until it comes to a target, by at least one edge.
func (d *distances) search(block int, edges [][]Edge, next func(Edge) int, target func(int) bool, most uint64) uint64 {
	var q queue
	relax := func(b int, cost uint64) {
		for _, e := range edges[b] {
			if c := cost + d.g.weight(e); c <= most { // costs are far from an overflow
				heap.Push(&q, reached{next(e), c})
			}
		}
	}
	settled := make(map[int]bool)
	relax(block, 0)
	for len(q) > 0 {
		r := heap.Pop(&q).(reached)
		if target(r.block) {
			return r.cost
		}
		if !settled[r.block] {
			settled[r.block] = true
			relax(r.block, r.cost)
		}
	}
	return None
}

// reached is a block with what it has cost to come there.
type reached struct {
	block int
	cost  uint64
}

// A queue is a heap of blocks, of which the first has cost least.
type queue []reached

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(reached)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
