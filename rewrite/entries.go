package rewrite

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// sole plans for an activation that can be abandoned in one position only, to which one path leads. Activations that
// have entered the function and counted no path from entry were abandoned there. An entry counter costs less than a
// frame.
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

// onlyPrefix returns the number of the part of a path that leads from function entry to a block. It is ok if no other
// path, and none from a loop header, leads there.
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
