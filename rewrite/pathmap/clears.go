package pathmap

import (
	"go/token"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// The compiler makes one call of a loop that clears a slice, and asks before whether there is anything to clear:
//
//	23  for i := range s {          TESTQ DX, DX
//	24          s[i] = nil          JE …
//	    }                           CALL runtime.memclrHasPointers
//
// The call is evidence of one round. How many rounds there are is in the register, and all but one of them are the path around
// the loop.

// A clearing is such a loop.
type clearing struct {
	header, body int
	path         uint64        // of a round behind another
	call, test   *machine.Inst // in the machine code
}

// findClears finds the loops that are calls. A loop has no evidence of its own at a call in front of which the number of rounds
// is not known, so that nothing tells whether there is any.
func (t *Target) findClears() {
	t.clears, t.unclear = make(map[*machine.Inst]*clearing), make(map[int]bool)
	for _, b := range t.M.Blocks {
		for _, i := range b.Insts {
			if !i.IsCall() || !strings.HasPrefix(i.Callee, "runtime.memclr") {
				continue
			}
			header, ok := t.headerOf(i)
			if !ok {
				continue
			}
			if c := t.clearAt(b, i, header); c != nil {
				t.clears[i] = c
			} else {
				t.unclear[header] = true
			}
		}
	}
	for i, c := range t.clears {
		if t.unclear[c.header] {
			delete(t.clears, i)
		}
	}
}

// headerOf returns the header of the range loop that an instruction has the position of, of the range clause or what is ranged
// over.
func (t *Target) headerOf(i *machine.Inst) (block int, ok bool) {
	s := t.source
	piece := s.piece(i.File)
	r := s.over[piece]
	if r.f == nil && s.ranges[piece] {
		r = s.of(piece)
	}
	return r.block, r.f == t.F && t.isOwn(i)
}

// isOwn reports whether an instruction is the target's, and not of a call in it.
func (t *Target) isOwn(i *machine.Inst) bool {
	if t.At == nil {
		return len(i.Chain) == 0
	}
	return len(i.Chain) > 0 && i.Chain[len(i.Chain)-1] == t.At
}

// clearAt returns the loop with a header that a call in b is, nil if the number of rounds is not known.
func (t *Target) clearAt(b *machine.Block, call *machine.Inst, header int) *clearing {
	c := &clearing{header: header, call: call}
	way, ok := t.round(header)
	if !ok {
		return nil
	}
	c.body = t.F.edges[way[0]].to
	w := opWriter{target: t, extra: new(Executions)}
	w.edges(append(slices.Clone(way), way...))
	ends := slices.DeleteFunc(w.ops, func(o Op) bool { return !o.End })
	if len(ends) != 2 {
		return nil
	}
	c.path = ends[0].Next + ends[1].Add
	for len(b.Preds) == 1 {
		p := b.Preds[0]
		last := p.Last()
		if !p.Cond || len(p.Succs) != 2 {
			if b = p; b.Calls() {
				return nil
			}
			continue
		}
		test := last.Test
		if of, ok := t.headerOf(last); !ok || of != header || last.Kind != machine.Branch || last.Check ||
			test == nil || test == last || test.Compare == nil || !test.Compare.Self || test.Compare.Register < 0 ||
			test.Compare.Bits != 64 {
			return nil
		}
		c.test = test
		return c
	}
	return nil
}

// round returns the edges of a range loop from its header and back, if they are one way.
func (t *Target) round(header int) (way []int, ok bool) {
	next := -1
	for _, e := range t.F.out[header] {
		if t.F.Graph.Edges[e].Kind == table.RangeNext {
			next = e
		}
	}
	for range t.F.blocks {
		if next < 0 {
			return nil, false
		}
		way = append(way, next)
		to := t.F.edges[next].to
		if to == header {
			return way, true
		}
		if next = -1; len(t.F.out[to]) == 1 {
			next = t.F.out[to][0]
		}
	}
	return nil, false
}

// findKnownRounds finds the range loops over arrays, which go round equally often each time. The compiler may leave them out.
func (t *Target) findKnownRounds() {
	t.rounds = make(map[int][]int)
	for header, out := range t.F.out {
		way, ok := t.round(header)
		if !ok || len(out) != 2 {
			continue
		}
		next := t.F.Graph.Edges[way[0]]
		if next.Test == nil || !next.True || next.Test.Op != token.LSS {
			continue
		}
		n, ok := int64Of(next.Test.With)
		if !ok || n < 1 || n > mostKnownRounds {
			continue
		}
		var all []int
		for range n {
			all = append(all, way...)
		}
		t.rounds[header] = append(all, out[0]+out[1]-way[0])
	}
}

// wholeLoop returns the edges of all rounds of a loop that edge e enters, and the one behind it. It is nil if how often the loop
// goes round is not known, if there is evidence of it, or if block b is in it.
func (t *Target) wholeLoop(e, b int, stops []bool) []int {
	all := t.rounds[t.F.edges[e].to]
	for _, o := range all {
		if from := t.F.edges[o].from; from == b || from == t.F.edges[e].from || stops[from] {
			return nil
		}
	}
	return all
}

// mostKnownRounds is how often a loop goes round that is one step.
const mostKnownRounds = 64

// lookAtClears returns the looks at how many rounds loops go that are calls.
func (t *Target) lookAtClears() (list []*Look) {
	for _, b := range t.M.Blocks {
		for _, i := range b.Insts {
			if c := t.clears[i]; c != nil {
				list = append(list, &Look{At: c.test, Register: c.test.Compare.Register, Condition: -1, Block: c.header, Rounds: true,
					Path: c.path})
			}
		}
	}
	return list
}

// More returns how many rounds there are behind the first, by the value that a look at rounds has.
func (l *Look) More(value uint64) uint64 { return max(value, 1) - 1 }
