package derive

import (
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A path ends in front of its return statement. So control that leaves the block has come to none of the statement's calls yet:
// what is evaluated in front of one may panic. Then the call is executed less often than the block. A call there is executed as
// often as control comes back from the last call in front of it, or passes the last check. If nothing in front of it may panic,
// it is executed as often as the block.

// A stop is a machine block that control may not go on from: it calls, or fails a check.
type stop struct {
	b    *machine.Block
	of   *machine.Scope // what was inlined of the statement's calls, which the block is in, or the instance
	call []int          // of the calls that the source has there, their indices; nil if it has none
}

// inReturn returns how often call k of a return statement is executed.
func (d *deriver) inReturn(in *instance, k int) Sum {
	c := d.calls[in.f][k]
	var front []stop
	for _, s := range d.stops(in)[c.Block] {
		switch own := s.of != in.scope && slices.Contains(s.call, k); {
		case own && len(s.call) == 1:
			if !d.endsFirst(in, s) {
				return unknown("%s: %s may panic before its path ends", in.f.Name, c.Callee)
			}
		case len(s.call) == 0 || slices.Min(s.call) <= k:
			front = append(front, s)
		}
	}
	if len(front) == 0 {
		return in.block(c.Block)
	}
	for _, s := range front {
		if b := d.before(in, s, k); b != nil && isLast(b, front) {
			return one(Event{Kind: Back, M: in.code.M, K: b.Index})
		}
	}
	return unknown("%s: nothing tells how often the arguments of %s are evaluated in a return statement", in.f.Name, c.Callee)
}

// before returns the block that control always comes to in front of call k, where a stop may end it; nil if that is not known.
func (d *deriver) before(in *instance, s stop, k int) *machine.Block {
	switch {
	case s.of != in.scope:
	case s.b.Calls():
		if d.precedes(in, s.call, k) {
			return s.b
		}
	case d.source[in.f].ChecksWithin(d.calls[in.f][k].Pos):
		return s.check()
	}
	return nil
}

// check returns the block whose check alone leads to a stop, be it by a jump; nil if there is none, as for statements that panic.
func (s stop) check() *machine.Block {
	if s.b.Last().Kind != machine.Panics || s.b.Last().Callee == "runtime.gopanic" || len(s.b.Preds) != 1 {
		return nil
	}
	b := s.b.Preds[0]
	if !b.Cond && len(b.Insts) == 1 && len(b.Preds) == 1 {
		b = b.Preds[0]
	}
	if !b.Checks() {
		return nil
	}
	return b
}

// precedes reports whether some calls are executed whenever call k is, and in front of it.
func (d *deriver) precedes(in *instance, some []int, k int) bool {
	calls := d.calls[in.f]
	return len(some) > 0 && !slices.ContainsFunc(some, func(n int) bool {
		return n >= k || calls[n].Block != calls[k].Block || !calls[n].Counted
	})
}

// isLast reports whether control that has come back from a call, or has passed a check, comes to none of some stops any more, but
// around a loop.
func isLast(b *machine.Block, list []stop) bool {
	behind := make(map[*machine.Block]bool)
	for k, s := range b.Succs {
		if b.Passes(k) {
			maps.Copy(behind, ahead([]*machine.Block{s}))
		}
	}
	return !slices.ContainsFunc(list, func(s stop) bool { return behind[s.b] })
}

// ahead returns the blocks that control can come to from some, but around loops.
func ahead(from []*machine.Block) map[*machine.Block]bool {
	seen := make(map[*machine.Block]bool)
	for work := slices.Clone(from); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		for k, s := range b.Succs {
			if !b.Skips && b.Back[k] {
				continue
			}
			work = append(work, s)
		}
	}
	return seen
}

// stops returns the stops of return statements of an instance's source, by block.
func (d *deriver) stops(in *instance) map[int][]stop {
	if in.stops != nil {
		return in.stops
	}
	in.stops = make(map[int][]stop)
	calls := make(map[callee][]int)
	for k, c := range d.calls[in.f] {
		calls[callee{c.Place, c.Callee}] = append(calls[callee{c.Place, c.Callee}], k)
	}
	inlined := make(map[*machine.Scope][]int) // calls of the statements
	for _, s := range in.scope.Children {
		if place := in.t.Place(s.CallFile, s.CallLine); d.source[in.f].Returns(place) {
			inlined[s] = calls[callee{place, d.nameOf(s)}]
		}
	}
	for _, b := range in.code.M.Blocks {
		i := b.Last()
		if !b.Calls() && i.Kind != machine.Panics || comesBack(i.Callee) {
			continue
		}
		at := slices.IndexFunc(i.Chain, func(s *machine.Scope) bool { _, ok := inlined[s]; return ok })
		switch {
		case at >= 0:
			s := i.Chain[at]
			in.stops[in.t.CallBlock(s)] = append(in.stops[in.t.CallBlock(s)], stop{b, s, inlined[s]})
		case !in.has(i.Chain):
		default:
			if place := in.t.Place(i.File, i.Line); d.source[in.f].Returns(place) {
				at := in.t.BlockAt(i.File)
				in.stops[at] = append(in.stops[at], stop{b, in.scope, calls[callee{place, d.plain(i.Callee)}]})
			}
		}
	}
	return in.stops
}

// endsFirst reports whether the path of what was inlined ends in front of a stop that is in it: this is in the return statement.
func (d *deriver) endsFirst(in *instance, s stop) bool {
	t := d.targets[s.of]
	if t == nil {
		return false
	}
	i := s.b.Last()
	file, line := i.File, i.Line
	if at := slices.Index(i.Chain, s.of); at+1 < len(i.Chain) {
		file, line = i.Chain[at+1].CallFile, i.Chain[at+1].CallLine
	}
	return d.source[t.F].Returns(t.Place(file, line))
}

// comesBack reports whether control comes back from a function of package runtime in any case.
func comesBack(name string) bool {
	of := []string{"newobject", "mallocgc", "convT", "morestack", "gcWriteBarrier", "wb", "typedmem", "mem", "duff"}
	return strings.HasPrefix(name, "gcWriteBarrier") ||
		slices.ContainsFunc(of, func(prefix string) bool { return strings.HasPrefix(name, "runtime."+prefix) })
}
