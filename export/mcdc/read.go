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
	tests [][]test // by edge
	walks bool     // it is known which walks abandoned activations have taken
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
	pieces  []piece                // of evaluations, on paths that were cut in their midst
	several []decision.Observation // of which it is not known how they began

	at     decision.Vector // on the path that is being read
	passed bool            // the path has a branch of it
	to     int             // block that the last of them leads to
	open   bool            // abandoned activations have evaluated it, and it is not known how
}

func newReader(f *profile.Function, decisions []*Decision, feasible []bool) *reader {
	r := &reader{f: f, tests: make([][]test, len(f.Table.Edges)), walks: f.Table.Counted == nil || noOtherWalks(f)}
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
			last := r.f.Table.Edges[p.Edges[len(p.Edges)-1]]
			r.path(piece{start: p.Start, loop: p.Loop, end: last.To, cut: last.Back, count: p.Count}, p.Edges)
		}
	}
	for _, p := range r.f.Partials {
		r.path(piece{start: p.Start, loop: p.Loop, end: p.Block, abandoned: true, count: p.Count}, p.Edges)
	}
	for _, one := range r.found {
		one.join()
	}
}

// path adds the evaluations on a path.
func (r *reader) path(p piece, edges []int) {
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
		if p.abandoned && !r.walks {
			one.open = true
		} else {
			p.nearby = p.abandoned && r.leads(one.to, p.end)
			one.add(p)
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

// add adds evaluations with what a path says of the conditions. If activations were abandoned nearby it is not known
// whether that was before a hidden condition had a value: lines tell no more.
func (o *found) add(p piece) {
	e := o.evaluate(o.at)
	switch {
	case e.whole && e.hidden && p.nearby:
		o.open = true
	case e.whole:
		o.addVector(&e, p.count)
	case e.begins && !e.fits:
		o.lost = "paths have conditions that the expression does not evaluate"
	case e.begins && p.abandoned:
		o.d.Cut += p.count
	case e.begins && p.cut || !e.begins && p.loop:
		p.at, p.begins = slices.Clone(o.at), e.begins
		o.pieces = append(o.pieces, p)
	default:
		o.lost = "a path ends in the midst of it"
	}
}

// evaluated is what conditions make of a decision.
type evaluated struct {
	decision.Vector
	outcome decision.Value
	hidden  bool // the last condition is evaluated, and not known
	begins  bool // the first condition is known
	fits    bool // no other conditions are known than those that are evaluated
	whole   bool // all of them are, but for one that is hidden
}

func (o *found) evaluate(at decision.Vector) (e evaluated) {
	known := 0
	e.Vector, e.outcome = o.d.Expr.Evaluate(len(at), func(i int) decision.Value {
		if fixed, ok := o.problem.Fixed[i]; ok {
			return fixed
		}
		if at[i] != decision.Skipped {
			known++
		}
		e.hidden = e.hidden || o.problem.Hidden[i]
		return at[i]
	})
	e.fits, e.begins = true, known > 0
	for i, is := range at {
		if is != e.Vector[i] && o.problem.Fixed[i] == decision.Skipped {
			e.fits = false
		}
	}
	e.whole = e.fits && (e.outcome != decision.Skipped || e.hidden)
	return e
}

// addVector adds whole evaluations.
func (o *found) addVector(e *evaluated, count int64) {
	key := e.String()
	if o.vectors[key] == nil {
		o.vectors[key] = &Evaluated{Vector: e.Vector, Outcome: e.outcome, Hidden: e.hidden}
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
		seen = append(seen, decision.Observation{Alternatives: alternatives(&d.Vectors[i])})
	}
	d.Result = decision.Assess(&o.problem, append(seen, o.several...))
	d.Doubtful = o.open || !d.Function.KnowsAll()
}

// alternatives returns the vectors that an evaluation may have had.
func alternatives(v *Evaluated) []decision.Vector {
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
