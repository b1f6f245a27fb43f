package main

import "fmt"

// A verdict is how the path ends of functions can be told.
type verdict struct {
	ends     int64
	whole    int64 // in functions all of whose paths the machine code tells
	marked   int64 // in those of which it does with markers on some edges,
	markers  int64 // which are executed so often
	register int64 // in those that keep the register
	blocks   int   // of machine functions with plans
	nodes    int   // of the plans
	single   int   // plans with no more nodes than blocks that are reached
	plans    int
}

// judge returns the verdict on a function, and which edges of it are to be marked. If expected, it goes by what is expected, in place
// of what was counted.
func (r *row) judge(expected bool) (v verdict, markers []int) {
	v.ends = r.ends
	if r.proof == nil {
		v.register = r.ends
		return v, nil
	}
	if r.whole() {
		v.whole = r.ends
		return v, nil
	}
	counts := r.edgeCounts()
	by := counts
	if expected {
		by = nil
	}
	p := r.proof.Verdict(by)
	if p.Register != "" || r.count.Any != "" || len(r.count.Open) > 0 {
		v.register = r.ends
		return v, nil
	}
	v.marked = r.ends
	for _, e := range p.Markers {
		v.markers += counts[e]
	}
	return v, p.Markers
}

// edgeCounts returns how often each edge is executed.
func (r *row) edgeCounts() []int64 {
	counts := make([]int64, len(r.f.Graph.Edges))
	d, _ := r.f.Decoder()
	for id, n := range r.exact {
		p, err := d.Path(id)
		if err != nil {
			continue
		}
		for _, e := range p.Edges {
			counts[e] += n
		}
	}
	return counts
}

func (v *verdict) add(o verdict) {
	v.ends += o.ends
	v.whole += o.whole
	v.marked += o.marked
	v.markers += o.markers
	v.register += o.register
}

// verdict returns that on all functions.
func (r *report) verdict(expected bool) (v verdict) {
	for _, row := range r.rows {
		one, _ := row.judge(expected)
		v.add(one)
	}
	for _, fn := range r.program.funcs {
		for _, f := range fn.followers {
			reached := make(map[int]bool)
			for _, n := range f.plan.Nodes {
				reached[n.Block.Index] = true
			}
			v.plans, v.blocks, v.nodes = v.plans+1, v.blocks+len(reached), v.nodes+len(f.plan.Nodes)
			if len(reached) == len(f.plan.Nodes) {
				v.single++
			}
		}
	}
	return v
}

func (v verdict) String() string {
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(1, v.ends)) }
	return fmt.Sprintf("%.2f | %.2f | %.4f | %.2f", share(v.whole), share(v.whole+v.marked), share(v.markers), share(v.register))
}
