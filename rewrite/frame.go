package rewrite

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// planFrame gives an activation that may be abandoned an abandon.Frame. Wherever something may happen from which
// control does not come back, a position and the path register together tell what has been executed. They tell
// which part of which path (pathnum.Graph.KeepRegister).
//
// The position follows from the line that the program counter is at, for most: that costs nothing until an activation is
// abandoned. Where code of several positions is on one line, the frame says which it is.
//
// Most functions do without one: see counted.
func (pl *planner) planFrame(p *plan) {
	f := framer{pl, p, pl.scopes[p.fn], nil}
	for i, e := range p.fn.Graph.Edges {
		f.edge(e, i)
	}
	for _, b := range p.fn.Graph.Blocks {
		for i, place := range b.Places {
			if c := f.at[place]; c != nil && (c.end || c.pause) {
				break // and does not begin again in this block
			}
			f.place(b, i, place)
		}
	}
	if f.counted() {
		return
	}
	if f.sole() {
		p.entries = int64(pl.counters)
		pl.counters++
		return
	}
	f.settle()
	p.frame = len(p.positions) > 0 // not if all that can fail comes after a count
}

type framer struct {
	*planner
	*plan
	scope *scope // nil if lines do not tell positions
	notes []*note
}

// A note is what a frame has to say from a place on: that control has come to a position. Risk
// is the code that can fail there.
type note struct {
	place *mark.Place
	position
	risk ssacfg.Risk
}

// A position is where in the graph an activation can be abandoned; see table.Position.
type position struct {
	block, reached int
	offset         uint64
}

// edge plans what the frame says when control takes an edge whose code is not in the block
// it leads to.
func (f *framer) edge(e *ssacfg.Edge, i int) {
	n := f.fn.Numbering
	op, cut := n.Ops[i], n.Cut[i]
	switch {
	case e.To == f.fn.Graph.Exit():
		if op.Count != pathnum.NoCount || e.Place == nil {
			f.end(e)
		} // else the path has been counted, and its end noted, before
	case e.Place == nil || entersBy(e):
	case op.Count != pathnum.NoCount && !cut: // nothing that comes after can fail
		if f.returns(e) {
			codeAt(f.at, e.Place).end = true
		} else {
			codeAt(f.at, e.Place).pause = true
		}
	case len(e.To.RiskFirst) > 0:
		f.note(e.Place, e.To, 0, 0, e.To.RiskFirst.Join(riskAfter(e.From, e.Place)))
	case cut && len(riskAfter(e.From, e.Place)) > 0:
		f.note(e.Place, e.To, 0, 0, riskAfter(e.From, e.Place))
	case op.Then != pathnum.NoChange && len(riskAfter(e.From, e.Place)) > 0:
		f.note(e.Place, e.From, reached(e.From, e.Place), n.Inc[i], riskAfter(e.From, e.Place))
	}
}

// returns reports whether a path that has been counted on e goes on to the exit, and not
// round a loop. There is no branch behind a count.
func (f *framer) returns(e *ssacfg.Edge) bool {
	for ; e.To != f.fn.Graph.Exit(); e = e.To.Out()[0] {
		if f.fn.Numbering.Cut[slices.Index(f.fn.Graph.Edges, e)] {
			return false
		}
	}
	return true
}

// end plans the end of the activation: on e, or before where e has no place.
func (f *framer) end(e *ssacfg.Edge) {
	if e.Place != nil {
		codeAt(f.at, e.Place).end = true
		return
	}
	for _, in := range e.From.In() {
		f.end(in)
	}
}

// place plans the position at a place of a block, unless an edge has done that.
func (f *framer) place(b *ssacfg.Block, i int, p *mark.Place) {
	if len(b.Risks[i]) == 0 || slices.ContainsFunc(f.notes, func(n *note) bool { return n.place == p }) {
		return
	}
	f.note(p, b, reached(b, p), 0, b.Risks[i])
}

// note plans that control is, from a place on, in block b, of which it has reached some statement runs. The register
// has then been increased by ahead too much.
func (f *framer) note(at *mark.Place, b *ssacfg.Block, reached int, ahead uint64, risk ssacfg.Risk) {
	offset := f.fn.Numbering.Potential[b.Index()] - ahead
	f.notes = append(f.notes, &note{at, position{b.Index(), reached, offset}, risk})
}

// settle decides for each note whether it takes code, and lists the positions.
func (f *framer) settle() {
	f.notes = slices.DeleteFunc(f.notes, func(n *note) bool { return f.at[n.place] != nil && f.at[n.place].end })
	for _, n := range f.notes {
		if c := f.at[n.place]; c != nil {
			c.pause = false // the next path begins right here
		}
	}
	lines := f.linesOf(f.notes)
	hashes := make(map[position]int)
	for _, n := range f.notes {
		i := slices.IndexFunc(f.plan.positions, func(p table.Position) bool {
			return position{p.Block, p.Reached, p.Offset} == n.position
		})
		if i < 0 {
			i = len(f.plan.positions)
			f.plan.positions = append(f.plan.positions, table.Position{Hash: -1, Block: n.block, Reached: n.reached, Offset: n.offset})
		}
		if lines != nil {
			f.plan.positions[i].Lines = append(f.plan.positions[i].Lines, lines.of(n)...)
			if !lines.shared(n) {
				f.byLine = true
				continue
			}
		}
		hash, ok := hashes[n.position]
		if !ok {
			hash = f.newHash()
			hashes[n.position] = hash
			f.plan.positions[i].Hash = hash
		}
		codeAt(f.at, n.place).position = hash
	}
	for _, c := range f.at {
		c.end = c.end || c.pause && !f.byLine // if the frame says where an activation is, it has to say that it is nowhere, too
	}
	kind := positionHash{scope: f.scope, byLine: f.byLine}
	if f.byLine {
		f.lineHash = f.newHash()
		f.planner.positions[f.lineHash] = kind
	}
	for _, hash := range hashes {
		f.planner.positions[hash] = kind
	}
}

func (pl *planner) newHash() int {
	pl.hashes++
	return pl.hashes - 1
}

// riskAfter returns what can fail in b between a place and the next.
func riskAfter(b *ssacfg.Block, p *mark.Place) ssacfg.Risk {
	for i, x := range b.Places {
		if x == p {
			return b.Risks[i]
		}
	}
	return nil
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
