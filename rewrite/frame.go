package rewrite

import (
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// planFrame gives an activation that may be abandoned an rt.Frame: wherever something may happen from which
// control does not come back, the frame has a position and the path register that
// together tell what part of which path has been executed (pathnum.Graph.KeepRegister).
func (pl *planner) planFrame(p *plan) {
	f := framer{pl, p, make(map[table.Position]int)}
	for i, e := range p.fn.Graph.Edges {
		f.edge(e, i)
	}
	for _, b := range p.fn.Graph.Blocks {
		for i, place := range b.Places {
			if c := f.at[place]; c != nil && c.end {
				break // and does not begin again in this block
			}
			f.place(b, i, place)
		}
	}
	p.frame = len(p.positions) > 0 // not if all that can fail comes after a count
}

type framer struct {
	*planner
	*plan
	known map[table.Position]int // hash table by position
}

// edge plans what the frame says when control takes an edge whose code is not in the block
// it leads to.
func (f framer) edge(e *ssacfg.Edge, i int) {
	n := f.fn.Numbering
	op, cut := n.Ops[i], n.Cut[i]
	switch {
	case e.To == f.fn.Graph.Exit():
		if op.Count != pathnum.NoCount || e.Place == nil {
			f.end(e)
		} // else the path has been counted, and its end noted, before
	case e.Place == nil || entersBy(e):
	case op.Count != pathnum.NoCount && !cut:
		codeAt(f.at, e.Place).end = true // nothing that comes after can fail
	case e.To.RiskyFirst || cut && riskyAfter(e.From, e.Place):
		f.note(e.Place, e.To, 0, 0)
	case op.Then != pathnum.NoChange && riskyAfter(e.From, e.Place):
		f.note(e.Place, e.From, reached(e.From, e.Place), n.Inc[i])
	}
}

// end plans the end of the activation: on e, or before where e has no place.
func (f framer) end(e *ssacfg.Edge) {
	if e.Place != nil {
		codeAt(f.at, e.Place).end = true
		return
	}
	for _, in := range e.From.In() {
		f.end(in)
	}
}

// place plans the position at a place of a block, unless an edge has done that.
func (f framer) place(b *ssacfg.Block, i int, p *mark.Place) {
	if !b.Risky[i] {
		return
	}
	if c := f.at[p]; c != nil && c.position >= 0 {
		return
	}
	f.note(p, b, reached(b, p), 0)
}

// note plans that the frame says at a place that control is in block b, of which it has reached some
// statement runs, and that the register has been increased by ahead too much for that.
func (f framer) note(at *mark.Place, b *ssacfg.Block, reached int, ahead uint64) {
	pos := table.Position{
		Block:   b.Index(),
		Reached: reached,
		Offset:  f.fn.Numbering.Potential[b.Index()] - ahead,
	}
	hash, ok := f.known[pos]
	if !ok {
		hash = f.hashes
		f.hashes++
		f.known[pos] = hash
		pos.Hash = hash
		f.positions = append(f.positions, pos)
	}
	codeAt(f.at, at).position = hash
}

func riskyAfter(b *ssacfg.Block, p *mark.Place) bool {
	for i, x := range b.Places {
		if x == p {
			return b.Risky[i]
		}
	}
	return false
}

// reached returns how many statement runs of b start at or before a place.
func reached(b *ssacfg.Block, p *mark.Place) int {
	n := 0
	for _, x := range b.Places {
		if x.StartsRun() {
			n++
		}
		if x == p {
			break
		}
	}
	return n
}
