package main

import (
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
func (x executed) may(e derive.Event) bool {
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

// told returns why copies do not tell how often a path is executed, "" if they do. It goes by doubts that were met, too.
func (c *copiedProgram) told(f *pathmap.Func, d *pathnum.Decoder, id uint64, x executed) string {
	path, err := d.Path(id)
	switch proof := c.proofs[f]; {
	case err != nil:
		return err.Error()
	case !proof.Told(path.Edges) && len(proof.Targets) > 0:
		return "the path is in doubt"
	}
	of := func(s derive.Share) bool { return s.Path < 0 || uint64(s.Path) == id }
	for _, s := range c.derived.Open[f] {
		may := len(s.N.Terms) == 0
		for e := range s.N.Terms {
			may = may || x.may(e)
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
	for _, d := range c.met[e.T] {
		if !agree(e, d) {
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
	case e.Kind == derive.Edge:
		return e.T.F.SameEdge(d.Ways, e.K)
	}
	return true
}
