package main

import (
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// executed says how often each edge was taken of the functions that exact mode has counted.
type executed map[*pathmap.Func][]int64

func (r *report) executed() executed {
	of := make(executed)
	for _, row := range r.rows {
		of[row.f] = row.edgeCounts()
	}
	return of
}

// may reports whether an event may have happened, by what exact mode has counted in any code of the function.
func (x executed) may(found *derive.Found, e derive.Event) bool {
	if e.Kind == derive.Way { // it does not happen where the call is not executed
		return slices.ContainsFunc(slices.Collect(maps.Keys(found.Runs(e.T).Terms)), func(e derive.Event) bool { return x.may(found, e) })
	}
	if e.T == nil || x[e.T.F] == nil {
		return true
	}
	for k, edge := range e.T.F.Graph.Edges {
		is := e.Kind != derive.Block && e.Kind != derive.Edge || e.Kind == derive.Block && edge.From.Index() == e.K ||
			e.Kind == derive.Edge && k == e.K
		if is && x[e.T.F][k] > 0 {
			return true
		}
	}
	return false
}

// A met is a doubt that was met when the program ran, and how often.
type met struct {
	copies.Doubt
	n int64
}

// missed returns how often a path may have been executed besides, where doubts were met. Bounded reports whether that is all:
// where nothing tells how often a loop goes round, it is not.
func (c *copiedProgram) missed(f *pathmap.Func, d *pathnum.Decoder, id uint64) (n int64, bounded bool) {
	path, err := d.Path(id)
	if err != nil {
		return 0, true
	}
	bounded = true
	for t, list := range c.met {
		if t.F != f {
			continue
		}
		for _, m := range list {
			if m.Ways != nil && (&pathmap.Doubt{Ways: m.Ways}).On(f, path.Edges) {
				n += m.n
				bounded = bounded && !f.Ends(m.Ways)
			}
		}
	}
	return n, bounded
}

// lost reports whether control came from or to a block of a path by a way that is none of the source. Other paths may have been
// counted in the place of those that were executed.
func (c *copiedProgram) lost(f *pathmap.Func, path []int) bool {
	for t, list := range c.met {
		for _, m := range list {
			if t.F == f && m.Ways == nil && (f.Passes(path, m.From) || f.Passes(path, m.To)) {
				return true
			}
		}
	}
	return false
}

// told returns why copies do not tell how often a path is executed, but for doubts that were met, "" if they do.
func (c *copiedProgram) told(f *pathmap.Func, d *pathnum.Decoder, id uint64, x executed) string {
	path, err := d.Path(id)
	switch proof := c.proofs[f]; {
	case err != nil:
		return err.Error()
	case !proof.Mapped(path.Edges) && len(proof.Targets) > 0:
		return "nothing tells whether the path is executed"
	}
	if c.lost(f, path.Edges) {
		return "control came by ways that are none of the source"
	}
	of := func(s derive.Share) bool { return s.Path < 0 || uint64(s.Path) == id }
	for _, s := range c.derived.Open[f] {
		may := len(s.N.Terms) == 0
		for e := range s.N.Terms {
			may = may || x.may(c.found, e)
		}
		if of(s) && may {
			return "where it is inlined nothing tells how often it is executed: " + s.Why
		}
	}
	for _, s := range c.found.Shares[f] {
		for e := range s.N.Terms {
			if of(s) && !c.knows(e) {
				return "where it is inlined a block is in doubt"
			}
		}
	}
	return ""
}

// knows reports whether no doubt was met about how often an event has happened.
func (c *copiedProgram) knows(e derive.Event) bool {
	if e.Kind == derive.Way {
		for at := range c.found.Runs(e.T).Terms {
			if !c.knows(at) {
				return false
			}
		}
	}
	for _, m := range c.met[e.T] {
		if !agree(e, m.Doubt) {
			return false
		}
	}
	return true
}

// agree reports whether an event happens equally often on all ways of a doubt.
func agree(e derive.Event, d copies.Doubt) bool {
	switch {
	case d.Ways == nil:
		return false
	case e.Kind == derive.Block:
		return e.T.F.SameBlock(d.Ways, e.K)
	case e.Kind == derive.Way: // the doubt may be which way without evidence was taken
		return !slices.EqualFunc(d.Ways, e.T.Unseen, slices.Equal)
	case e.Kind == derive.Edge:
		return e.T.F.SameEdge(d.Ways, e.K)
	}
	return true
}
