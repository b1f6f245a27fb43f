package ssacfg

import (
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/timing"
)

// Timing returns the graph as package timing takes it, with equal indices. It also returns the place in each block where a point
// would be, nil if there is none. Frequencies are the weights of edges: estimates, or counts since Reweigh.
func (fn *Func) Timing() (*timing.Graph, []*mark.Place) {
	g := fn.Graph
	out := &timing.Graph{Blocks: make([]timing.Block, len(g.Blocks))}
	places := make([]*mark.Place, len(g.Blocks))
	for i, b := range g.Blocks {
		places[i] = b.timingPlace()
		before := b.trace.until(places[i]).cost()
		out.Blocks[i] = timing.Block{Freq: b.frequency(), Before: before, After: b.trace.cost() - before, Point: places[i] != nil}
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, timing.Edge{From: e.From.index, To: e.To.index, Cost: e.trace.cost(), Freq: e.Weight})
	}
	return out, places
}

// frequency returns how often a block is executed.
func (b *Block) frequency() float64 {
	in, out := 0.0, 0.0
	for _, e := range b.in {
		in += e.Weight
	}
	for _, e := range b.out {
		out += e.Weight
	}
	return max(in, out) // control comes to the entry by no edge, and leaves the exit by none
}

// timingPlace returns the first place in b where a statement can be written that is executed whenever b is.
func (b *Block) timingPlace() *mark.Place {
	for _, p := range b.Places {
		if p.Kind == mark.Stmt || p.Kind == mark.After {
			return p
		}
	}
	return nil
}

// withCost returns t with something behind it that costs so much.
func (t trace) withCost(cost uint64) trace {
	if cost == 0 {
		return t
	}
	if n := len(t); n > 0 {
		if before, ok := t[n-1].(spent); ok {
			t[n-1] = before + spent(cost)
			return t
		}
	}
	return append(t, spent(cost))
}

// cost returns that of all of t.
func (t trace) cost() (sum uint64) {
	for _, s := range t {
		if cost, ok := s.(spent); ok {
			sum += uint64(cost)
		}
	}
	return sum
}

// until returns what comes before a place.
func (t trace) until(p *mark.Place) trace {
	for i, s := range t {
		if s == step(reached{p}) && p != nil {
			return t[:i]
		}
	}
	return nil
}
