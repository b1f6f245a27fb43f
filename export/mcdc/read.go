package mcdc

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A reader finds the vectors of a function's decisions in its paths.
type reader struct {
	f     *profile.Function
	found []*found // by decision
	tests map[int][]test
	walks bool // it is known which walks abandoned activations have taken
}

// A test is what an edge says of a condition.
type test struct {
	decision, condition int
	is                  decision.Value
}

// found is what was found of one decision.
type found struct {
	d       *Decision
	problem decision.Problem
	lost    string // why paths do not tell the conditions
	vectors map[string]*Evaluated

	at     decision.Vector // on the path that is being read
	passed bool            // the path has a branch of it
	to     int             // block that the last of them leads to
	open   bool            // abandoned activations have evaluated it, and it is not known how
}

func newReader(f *profile.Function, decisions []*Decision, feasible []bool) *reader {
	r := &reader{f: f, tests: make(map[int][]test), walks: f.Table.Counted == nil || noOtherWalks(f)}
	for i, d := range decisions {
		one := &found{d: d, vectors: make(map[string]*Evaluated), at: make(decision.Vector, len(d.Conditions))}
		one.problem, one.lost = newProblem(f, &d.Logical)
		if feasible != nil {
			one.problem.Never = never(&d.Logical, feasible)
		}
		r.found = append(r.found, one)
		if one.lost != "" {
			continue
		}
		for j, c := range d.Conditions {
			for _, t := range c.Tests {
				r.tests[t.Then] = append(r.tests[t.Then], test{i, j, decision.True})
				for _, id := range t.Else {
					r.tests[id] = append(r.tests[id], test{i, j, decision.False})
				}
			}
		}
	}
	return r
}

// noOtherWalks reports whether no other walks of abandoned activations have the same edges in all. That is so if each block is
// the start of all of them that pass it, or all come to it by one edge.
func noOtherWalks(f *profile.Function) bool {
	const start = -1
	into := make(map[int]int)
	by := func(block, edge int) bool {
		was, ok := into[block]
		into[block] = edge
		return !ok || was == edge
	}
	for _, p := range f.Partials {
		if !by(p.Start, start) {
			return false
		}
		for _, id := range p.Edges {
			if !by(f.Table.Edges[id].To, id) {
				return false
			}
		}
	}
	return true
}

// read reads all paths, and what abandoned activations have executed of some.
func (r *reader) read() {
	for i := range r.f.Paths {
		if p := &r.f.Paths[i]; p.Count > 0 {
			r.path(p.Edges, p.Count, nil)
		}
	}
	for i := range r.f.Partials {
		p := &r.f.Partials[i]
		r.path(p.Edges, p.Count, p)
	}
}

// path adds the evaluations on a path, or on what abandoned activations have executed of one.
func (r *reader) path(edges []int, count int64, abandoned *profile.Partial) {
	var passed []*found
	for _, id := range edges {
		for _, t := range r.tests[id] {
			one := r.found[t.decision]
			if !one.passed {
				one.passed = true
				passed = append(passed, one)
			}
			if was := one.at[t.condition]; was != decision.Skipped && was != t.is {
				one.lost = "a path has one of its conditions true and false"
			}
			one.at[t.condition], one.to = t.is, r.f.Table.Edges[id].To
		}
	}
	for _, one := range passed {
		if abandoned != nil && !r.walks {
			one.open = true
		} else {
			one.add(count, abandoned != nil, abandoned != nil && r.leads(one.to, abandoned.Block))
		}
		one.passed = false
		clear(one.at)
	}
}

// leads reports whether control can only go from one block to another.
func (r *reader) leads(from, to int) bool {
	for range r.f.Table.Blocks {
		if from == to {
			return true
		}
		next := -1
		for _, e := range r.f.Table.Edges {
			if e.From == from && next >= 0 {
				return false
			} else if e.From == from {
				next = e.To
			}
		}
		if next < 0 {
			return false
		}
		from = next
	}
	return false
}

// add adds evaluations of a decision with what the path says of its conditions. If activations were abandoned nearby
// it is not known whether that was before a hidden condition had a value: lines tell no more.
func (o *found) add(count int64, abandoned, nearby bool) {
	hidden := false
	v, outcome := o.d.Expr.Evaluate(len(o.at), func(i int) decision.Value {
		if fixed, ok := o.problem.Fixed[i]; ok {
			return fixed
		}
		hidden = hidden || o.problem.Hidden[i]
		return o.at[i]
	})
	for i, is := range o.at {
		if is != v[i] && o.problem.Fixed[i] == decision.Skipped {
			o.lost = "paths have conditions that the expression does not evaluate"
		}
	}
	switch {
	case outcome != decision.Skipped || hidden && !nearby:
	case hidden:
		o.open = true
		return
	case abandoned:
		o.d.Cut += count
		return
	default:
		o.lost = "a path ends in the midst of it"
		return
	}
	key := v.String()
	if o.vectors[key] == nil {
		o.vectors[key] = &Evaluated{Vector: v, Outcome: outcome, Hidden: hidden}
	}
	o.vectors[key].Count += count
}

// assess sets what is known of a decision.
func (o *found) assess(d *Decision) {
	d.Why = o.lost
	if o.lost != "" {
		d.Result = unknown(len(d.Conditions))
		return
	}
	var seen []decision.Observation
	for _, v := range o.vectors {
		d.Vectors = append(d.Vectors, *v)
	}
	slices.SortFunc(d.Vectors, func(a, b Evaluated) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(b.Vector, a.Vector))
	})
	for i := range d.Vectors {
		seen = append(seen, decision.Observation{Alternatives: o.alternatives(&d.Vectors[i])})
	}
	d.Result = decision.Assess(&o.problem, seen)
	d.Doubtful = o.open || !d.Function.KnowsAll()
}

// alternatives returns the vectors that an evaluation may have had.
func (o *found) alternatives(v *Evaluated) []decision.Vector {
	if !v.Hidden {
		return []decision.Vector{v.Vector}
	}
	last := len(v.Vector) - 1
	t, f := slices.Clone(v.Vector), slices.Clone(v.Vector)
	t[last], f[last] = decision.True, decision.False
	return []decision.Vector{t, f}
}

// unknown is the result for a decision of n conditions that paths do not tell.
func unknown(n int) *decision.Result {
	r := &decision.Result{Effects: make([]decision.Effect, n)}
	for i := range r.Effects {
		r.Effects[i].State = decision.Unknown
	}
	return r
}
