package profile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// decodeCounted sets f.Partials where the table has Counted: it solves the flow of what abandoned activations had executed
// and takes it apart into walks. Which of several walks with the same blocks and edges in all they were, nobody knows.
func (f *Function) decodeCounted(c *counts, b *sums.Budget) error {
	t := f.Table.Counted
	lines := c.hash(t.Hash)
	if len(lines) == 0 {
		return nil
	}
	p := newPartials(f)
	if err := b.Step(len(p.Edges) + len(p.Line)); err != nil {
		return err
	}
	known := make([]bool, len(p.Edges))
	for i, e := range p.Edges {
		known[i] = e.Known
	}
	for key, n := range lines {
		// A goroutine that runs when the program ends can be where nothing can fail. It is on no path then.
		if set, ok := p.Line[int(key>>32)]; ok {
			if err := b.Spend(n, 1); err != nil {
				return err
			}
			p.flow[p.Sets[set].Known] += int64(n)
		}
	}
	// Behind each path that has ended with a back edge another one begins.
	for block, k := range p.Starts {
		p.flow[k] = p.ended.back[block] - p.ended.loop[block]
	}
	for i, e := range t.Edges {
		k, ended := p.Entry, p.ended.entry
		if e >= 0 {
			k, ended = p.Edge[e], p.ended.edges[e]
		}
		n := c.counter(t.First + uint64(i))
		if err := b.Spend(n, 1); err != nil {
			return err
		}
		if k < 0 {
			return fmt.Errorf("path table: a counter of edge %d, which leads to no position", e)
		}
		p.flow[k], known[k] = int64(n)-ended, true
	}
	if !p.Solve(p.flow, known) {
		return fmt.Errorf("path table: counters do not tell what abandoned activations executed")
	}
	return p.takeApart(b)
}

// partials are the walks of abandoned activations of f, of which flow has those that are not in f.Partials yet.
type partials struct {
	f *Function
	*table.PartialGraph
	flow  []int64 // of each edge of the graph
	ended ended
	in    [][]int // edges of f into each block that are in the graph
	steps int     // that were taken to find walks
}

// ended is how often paths were executed to the end.
type ended struct {
	entry int64   // that start at the entry
	loop  []int64 // that start at a block as the header of a loop
	back  []int64 // that end with a back edge to a block
	edges []int64 // that have an edge
}

func newPartials(f *Function) *partials {
	blocks, edges := len(f.Table.Blocks), len(f.Table.Edges)
	p := &partials{f: f, PartialGraph: f.Table.Partial(), in: make([][]int, blocks)}
	p.flow = make([]int64, len(p.Edges))
	for i, e := range f.Table.Edges {
		if p.Edge[i] >= 0 {
			p.in[e.To] = append(p.in[e.To], i)
		}
	}
	p.ended = ended{loop: make([]int64, blocks), back: make([]int64, blocks), edges: make([]int64, edges)}
	for i := range f.Paths {
		path := &f.Paths[i]
		if path.Loop {
			p.ended.loop[path.Start] += path.Count
		} else {
			p.ended.entry += path.Count
		}
		if f.EndsInLoop(path) {
			p.ended.back[f.Table.Edges[path.Edges[len(path.Edges)-1]].To] += path.Count
		}
		for _, e := range path.Edges {
			p.ended.edges[e] += path.Count
		}
	}
	return p
}

// takeApart adds walks that have the flow to f.Partials. Lost counts make flows that do not fit together, or are negative. Then
// there are still as many walks to each position as were abandoned there.
func (p *partials) takeApart(b *sums.Budget) error {
	for _, set := range p.Sets {
		left := p.flow[set.Known]
		for i, position := range set.Positions {
			n := min(max(p.flow[set.Edges[i]], 0), left)
			left -= n
			for position >= 0 && n > 0 {
				walk := p.walk(&p.f.Table.Positions[position], n)
				if err := cmp.Or(b.Spend(uint64(walk.Count), len(walk.Edges)+1), b.Step(p.steps)); err != nil {
					return err
				}
				p.steps = 0
				p.f.Partials = append(p.f.Partials, walk)
				n -= walk.Count
			}
		}
	}
	return nil
}

// walk takes a walk that leads to a position out of the flow, n times at most, from its end to its start.
func (p *partials) walk(to *table.Position, n int64) Partial {
	w := Partial{Count: n, Start: to.Block, Block: to.Block, Reached: to.Reached}
	var flows []int
	take := func(k int) {
		if p.flow[k] > 0 {
			w.Count = min(w.Count, p.flow[k])
		}
		flows = append(flows, k)
	}
	for {
		if k, ok := p.start(w.Start); ok {
			w.Loop = k != p.Entry
			take(k)
			break
		}
		edge := p.into(w.Start)
		take(p.Edge[edge])
		w.Edges = append(w.Edges, edge)
		w.Start = p.f.Table.Edges[edge].From
	}
	for _, k := range flows {
		p.flow[k] -= w.Count
	}
	slices.Reverse(w.Edges)
	return w
}

// start returns the edge by which walks that are in the flow begin at a block. If there are none that lead into it either, it
// returns the edge by which any might.
func (p *partials) start(block int) (k int, ok bool) {
	loop, isHeader := p.Starts[block]
	entry := block == p.f.Table.Entry
	in := p.into(block)
	switch {
	case isHeader && p.flow[loop] > 0:
		return loop, true
	case entry && (p.flow[p.Entry] > 0 || in < 0):
		return p.Entry, true
	case in < 0 && isHeader:
		return loop, true
	}
	return p.Entry, in < 0
}

// into returns the edge into a block that most of the flow takes, -1 if there is none.
func (p *partials) into(block int) int {
	best := -1
	p.steps += len(p.in[block])
	for _, i := range p.in[block] {
		if best < 0 || p.flow[p.Edge[i]] > p.flow[p.Edge[best]] {
			best = i
		}
	}
	return best
}
