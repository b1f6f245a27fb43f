package derive

import (
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// Evidence of a call tells that control has come so far in its block. If the call panics, what is in front of it has been
// executed, and what is behind it has not.

// A reached is a call of an instance's source that leaves evidence whenever it is executed.
type reached struct {
	call int // in the list of the function's calls
	n    Sum // how often control has come to it
}

// A callee is what is called at a place: see Call.
type callee struct {
	place pathmap.Place
	name  string
}

// reachedIn returns the calls of an instance's source that leave evidence, in the order in which they are executed. They have
// CALL instructions, or were inlined.
func (d *deriver) reachedIn(in *instance) []reached {
	if in.found {
		return in.reached
	}
	in.found = true
	d.spread(in)
	blocks, inlined := make(map[callee][]int), make(map[callee][]*instance)
	for _, b := range in.code.M.Blocks {
		i := b.Last()
		if b.Calls() && in.has(i.Chain) && !strings.HasPrefix(i.Callee, "runtime.") && !isIntrinsic(d.Arch, d.plain(i.Callee)) {
			c := callee{in.t.Place(i.File, i.Line), d.plain(i.Callee)}
			blocks[c] = append(blocks[c], b.Index)
		}
	}
	for _, c := range in.children {
		place := in.t.Place(c.scope.CallFile, c.scope.CallLine)
		for _, name := range []string{d.nameOf(c.scope), ""} {
			inlined[callee{place, name}] = append(inlined[callee{place, name}], c)
		}
	}
	places := make(map[callee]int)
	for _, c := range d.calls[in.f] {
		places[callee{c.Place, c.Callee}]++
	}
	for k, c := range d.calls[in.f] {
		g := callee{c.Place, c.Callee}
		if c.Piece < 0 || c.Block < 0 || !c.Counted || places[g] != 1 || len(inlined[g]) > 1 {
			continue
		}
		n := in.called(blocks[g])
		if len(inlined[g]) == 1 && n.none() && c.Callee != "" {
			n = d.begins(inlined[g][0])
		}
		if !n.none() {
			in.reached = append(in.reached, reached{k, n})
		}
	}
	return in.reached
}

// begins returns how often an inlined call is begun, by evidence that is there whenever it is; nothing if there is none.
func (d *deriver) begins(in *instance) (n Sum) {
	switch {
	case in.t == nil:
		return in.firstCall()
	case in.t.Failed != "":
	case onePath(in.f):
		if list := d.reachedIn(in); len(list) > 0 {
			return list[0].n
		}
	case len(in.t.Unseen) == 0 && !in.t.Reenters():
		return one(Event{Kind: Begun, M: in.code.M, T: in.t})
	}
	return n
}

// firstCall returns how often control comes to the first call in code without labels, which all executions of an instance come
// to; nothing if that does not follow. It does where the source around has one path, and control cannot return without the
// call. Then the call is missing only where there was a panic before.
func (in *instance) firstCall() (n Sum) {
	for p := in.parent; p != nil; p = p.parent {
		if p.f == nil || !onePath(p.f) {
			return n
		}
	}
	m := in.code.M
	of := func(b *machine.Block) bool { return b.Calls() && slices.Contains(b.Last().Chain, in.scope) }
	for _, b := range m.Blocks {
		if !of(b) || reachable(b.Succs, nil)[b] {
			continue
		}
		seen := reachable(m.Blocks[:1], b)
		if seen[b] && !slices.ContainsFunc(m.Blocks, func(x *machine.Block) bool { return x != b && seen[x] && (x.Ret || of(x)) }) {
			return one(Event{Kind: Called, M: m, K: b.Index})
		}
	}
	return n
}

// reachable returns the blocks that control can come to from some, without leaving but.
func reachable(from []*machine.Block, but *machine.Block) map[*machine.Block]bool {
	seen := make(map[*machine.Block]bool)
	work := slices.Clone(from)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[b] {
			if seen[b] = true; b != but {
				work = append(work, b.Succs...)
			}
		}
	}
	return seen
}

// has reports whether an instruction of a chain of inlined calls is the instance's own.
func (in *instance) has(chain []*machine.Scope) bool {
	if len(chain) == 0 {
		return in.scope == in.code.M.Root
	}
	return chain[len(chain)-1] == in.scope
}

// called returns how often control comes to the calls at the end of machine blocks.
func (in *instance) called(blocks []int) (sum Sum) {
	for _, b := range blocks {
		sum = sum.plus(one(Event{Kind: Called, M: in.code.M, K: b}), 1)
	}
	return sum
}

// passes returns how often control has passed call k of the function's calls: how often it has come to the next one
// that leaves evidence, or else how often it leaves the block.
func (d *deriver) passes(in *instance, k int) Sum {
	block := d.calls[in.f][k].Block
	for _, r := range d.reachedIn(in) {
		if r.call > k && d.calls[in.f][r.call].Block == block {
			return r.n
		}
	}
	if d.source[in.f].Returns(d.calls[in.f][k].Place) {
		return d.inReturn(in, k)
	}
	return in.block(block)
}

// ends returns how often the path of an instance ends, which has one: before a return statement is evaluated, as exact
// mode has it.
func (d *deriver) ends(in *instance) Sum {
	for _, r := range d.reachedIn(in) {
		if d.source[in.f].Returns(d.calls[in.f][r.call].Place) {
			return r.n
		}
	}
	return in.runs
}
