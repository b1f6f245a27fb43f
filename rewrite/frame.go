package rewrite

import (
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// planFrame gives an activation that may be abandoned an rt.Frame: wherever something may happen from which
// control does not come back, a position and the path register together tell what part of which path has been
// executed (pathnum.Graph.KeepRegister).
//
// The position follows from the line that the program counter is at, for most: that costs nothing until an activation is abandoned.
// Where code of several positions is on one line, the frame says which it is.
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
	if f.sole() {
		p.entries = int64(pl.counters)
		pl.counters++
		return
	}
	f.settle()
	p.frame = len(p.positions) > 0 // not if all that can fail comes after a count
}

// sole plans for an activation that can be abandoned in one position only, to which one path leads: those that have
// entered the function and counted no path from entry were abandoned there. An entry counter costs less than a frame.
func (f *framer) sole() bool {
	if len(f.notes) == 0 || f.without.has(Entries) {
		return false
	}
	at := f.notes[0].position
	if slices.ContainsFunc(f.notes, func(n *note) bool { return n.position != at }) {
		return false
	}
	number, ok := f.onlyPrefix(at.block)
	if ok {
		f.plan.positions = []table.Position{{Hash: -1, Block: at.block, Reached: at.reached, Offset: number}}
	}
	return ok
}

// onlyPrefix returns the number of the part of a path that leads from function entry to a block, if no other path, and
// none from a loop header, does.
func (f *framer) onlyPrefix(block int) (number uint64, ok bool) {
	n := f.fn.Numbering
	starts := func(b int) bool {
		return slices.ContainsFunc(n.Values.Starts, func(s pathnum.Start) bool { return s.Block == b })
	}
	for b := f.fn.Graph.Blocks[block]; ; {
		var in []*ssacfg.Edge
		for _, e := range b.In() {
			if i := slices.Index(f.fn.Graph.Edges, e); !n.Cut[i] {
				in = append(in, e)
				number += n.Values.Edge[i]
			}
		}
		switch {
		case starts(b.Index()):
			return 0, false
		case b.Index() == 0:
			return number, len(in) == 0
		case len(in) != 1:
			return 0, false
		}
		b = in[0].From
	}
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

// note plans that control is, from a place on, in block b, of which it has reached some
// statement runs, and that the register has been increased by ahead too much for that.
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
		i := slices.IndexFunc(f.plan.positions, func(p table.Position) bool { return position{p.Block, p.Reached, p.Offset} == n.position })
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
	kind := positionHash{f.scope, f.byLine}
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

// positionLines tells which lines have code of which positions.
type positionLines struct {
	fset  *token.FileSet
	lines map[int][]position
}

// linesOf returns the lines of the notes of a function; nil if they do not tell its positions.
func (f *framer) linesOf(notes []*note) *positionLines {
	// The code of a function that ranges over a function is in several; the register of one that has a
	// hash table does not go into one number with a line.
	if f.fn.RangesFunc || f.storage == table.StorageHash || f.scope == nil || f.without.has(Lines) {
		return nil
	}
	l := &positionLines{f.fset, make(map[int][]position)}
	for _, n := range notes {
		if slices.ContainsFunc(n.risk, func(s ssacfg.Source) bool { return !s.From.IsValid() || moved(l.fset, s.From) }) {
			return nil
		}
		for _, r := range l.of(n) {
			for line := r.First; line <= r.Last; line++ {
				if !slices.Contains(l.lines[line], n.position) {
					l.lines[line] = append(l.lines[line], n.position)
				}
			}
		}
	}
	return l
}

// moved reports whether stack traces have another line for pos than its own, by a //line directive.
func moved(fset *token.FileSet, pos token.Pos) bool {
	return fset.Position(pos) != fset.PositionFor(pos, false)
}

// of returns the lines of the code that can fail at a note.
func (l *positionLines) of(n *note) []table.Lines {
	var list []table.Lines
	for _, s := range n.risk {
		r := table.Lines{First: l.fset.PositionFor(s.From, false).Line, Last: l.fset.PositionFor(s.To, false).Line}
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// shared reports whether any of the note's lines has code of another position, too.
func (l *positionLines) shared(n *note) bool {
	for _, r := range l.of(n) {
		for line := r.First; line <= r.Last; line++ {
			if len(l.lines[line]) > 1 {
				return true
			}
		}
	}
	return false
}
