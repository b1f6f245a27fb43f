package main

import (
	"errors"
	"fmt"
	"maps"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// A follower counts paths as a copy of the machine code would that does what a plan says. It knows a node, a sum, and what looks
// have told.
type follower struct {
	target *pathmap.Target
	plan   *pathmap.Plan
	counts map[uint64]int64
}

// A progress is where an activation is.
type progress struct {
	node  int
	sum   uint64
	lost  bool        // the path
	told  map[int]int // by block: the edge that a look has told
	known uint64      // bits of conditions
}

func newFollower(t *pathmap.Target) *follower {
	return &follower{target: t, plan: t.Plan(nil), counts: make(map[uint64]int64)}
}

func (f *follower) begin() progress { return progress{sum: f.plan.Start, told: make(map[int]int)} }

// branch goes on to the end of a machine block and takes an edge, or ends the function, if that is -1.
func (f *follower) branch(p *progress, block, edge int) {
	for range len(f.plan.Nodes) + 1 {
		if p.node < 0 {
			return
		}
		n := &f.plan.Nodes[p.node]
		switch {
		case n.Block.Index == block:
			f.take(p, &n.Exits[min(max(0, edge), len(n.Exits)-1)])
			return
		case n.Block.Skips && n.Block.Succs[0].Index == block: // the plan leads past the test there
			f.take(p, &n.Exits[0])
			return
		case len(n.Exits) != 1:
			panic(fmt.Sprintf("BUG: %s: control is in block %d, and not in %d", f.target.M.Name, n.Block.Index, block))
		}
		f.take(p, &n.Exits[0])
	}
	panic(fmt.Sprintf("BUG: %s: no way to block %d", f.target.M.Name, block))
}

func (f *follower) take(p *progress, x *pathmap.Exit) {
	f.do(p, x.Ops, true)
	p.node = x.To
}

// do does operations, which are known to be the right ones or not.
func (f *follower) do(p *progress, ops []pathmap.Op, known bool) {
	for _, o := range ops {
		if o.Choice != nil {
			f.choose(p, o.Choice)
			continue
		}
		p.lost = p.lost || o.Lost || !known
		p.known = p.known&^o.Mask | o.Told
		if p.sum += o.Add; o.End {
			if !p.lost {
				f.counts[p.sum]++
			}
			p.sum, p.lost, p.known = o.Next, false, 0
			clear(p.told)
		}
	}
}

// choose does what the one way does that looks have left.
func (f *follower) choose(p *progress, c *pathmap.Choice) {
	chosen, n := 0, 0
	for k, way := range c.Ways {
		agrees := p.known&c.Not[k] == 0
		for _, e := range way {
			told, ok := p.told[f.from(e)]
			agrees = agrees && (!ok || told == e)
		}
		if agrees {
			if n++; n == 1 {
				chosen = k
			}
		}
	}
	for _, way := range c.Ways {
		for _, e := range way {
			delete(p.told, f.from(e))
		}
	}
	sure := c.Sure()
	f.do(p, c.Ops[chosen][:sure], true)
	f.do(p, c.Ops[chosen][sure:], n == 1)
}

func (f *follower) from(e int) int { return f.target.F.Graph.Edges[e].From.Index() }

func (f *follower) look(p *progress, i *machine.Inst, value uint64) {
	for _, l := range f.target.Looks {
		switch {
		case l.At != i:
		case l.Rounds:
			if n := l.More(value); n > 0 {
				f.counts[l.Path] += int64(n)
			}
		default:
			p.told[l.Block] = l.Edge(value)
		}
	}
}

// checkPlans returns an error for each plan that has counted otherwise than the walker. That counts no doubtful paths, either.
func (m *program) checkPlans() (err error) {
	for _, fn := range m.funcs {
		for k, f := range fn.followers {
			if w := fn.walkers[k]; !maps.Equal(f.counts, w.Counts) {
				err = errors.Join(err, fmt.Errorf("%s in %s: the plan counts %v, the walker %v", f.target.F.Name, fn.machine.Name, f.counts, w.Counts))
			}
		}
	}
	return err
}
