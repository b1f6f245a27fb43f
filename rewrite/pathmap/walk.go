package pathmap

import (
	"fmt"
	"iter"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A state is one of the product of both graphs.
type state struct {
	machine int  // block of the machine code that control is about to enter
	at      int  // block of the source of the last evidence
	again   bool // the next evidence is of another execution, even if it is of the same block
	blind   bool // there was a jump since then whose block is not known
	side    side // of the machine branch that is the last evidence
	over    bool // the path has ended in front of a return statement, and control is in that
	posted  bool // control is in a post, and at is the block behind it
	held    *held
}

// forget forgets what there was since the last evidence.
func (s *state) forget() { s.again, s.blind, s.side = false, false, noSide }

// start returns the state at the entry of the machine function.
func (t *Target) start() state {
	s := state{side: noSide}
	if t.At != nil {
		s.at = t.exit
	}
	return s
}

// A step is from one piece of evidence to the next.
type step struct {
	from, to int
	inst     *machine.Inst
	state    state   // before
	ways     [][]int // edges of the source; empty if the step is none of the source
}

// mostStates is how many states a target may have.
const mostStates = 300000

// mostRounds is how often all states are visited to learn what the sides of branches are.
const mostRounds = 6

// walk visits all states until it is known what the sides of branches are, and notes what the machine code does not tell apart.
// What a visit notes holds if nothing was learned in it. Else there may have been many ways while sides were not known.
func (t *Target) walk() {
	t.sides = make(map[side]int)
	t.settle()
	defer t.failIfDivided()
	seen := make(map[state]bool, len(t.M.Blocks))
	for round := 0; ; round++ {
		t.seen, t.Kills, t.Failed = make(map[side]map[int]bool), make(map[Kill]int), ""
		clear(t.Doubts)
		clear(t.Taken)
		clear(seen)
		before := len(t.sides)
		t.all(seen, func(st step) bool {
			t.observe(st)
			return t.note(st)
		})
		if round == mostRounds {
			return
		}
		if t.infer(); len(t.sides) == before {
			return
		}
	}
}

// failIfDivided notes that there is no map if the function ranges over a function: the body of such a loop is a function of its
// own, which has another frame.
func (t *Target) failIfDivided() {
	if t.F.RangesFunc {
		t.Failed = "it ranges over a function, and the loop's body is a function of its own"
	}
}

// all visits all states, which it adds to those seen, and calls visit for each step.
func (t *Target) all(seen map[state]bool, visit func(step) (goOn bool)) {
	begin := t.start()
	seen[begin] = true
	defer func() { t.states = len(seen) }()
	work := []state{begin}
	for len(work) > 0 {
		if len(seen) > mostStates {
			t.Failed = "too many states"
			return
		}
		s := work[len(work)-1]
		work = work[:len(work)-1]
		after, alive := t.execute(s, visit)
		b := t.M.Blocks[s.machine]
		if !alive || b.Ret {
			continue
		}
		for k, to := range b.Next() {
			if t.doomed[to.Index] {
				continue
			}
			if n := t.follow(after, b, k); !seen[n] {
				seen[n] = true
				work = append(work, n)
			}
		}
	}
}

// observe notes what the sides of branches are taken for.
func (t *Target) observe(st step) {
	if len(st.ways) != 1 || st.state.side == noSide || len(st.ways[0]) == 0 {
		return
	}
	if t.seen[st.state.side] == nil {
		t.seen[st.state.side] = make(map[int]bool)
	}
	t.seen[st.state.side][st.ways[0][0]] = true
}

// note notes kills and doubts.
func (t *Target) note(st step) (goOn bool) {
	switch len(st.ways) {
	case 0:
		t.Kills[Kill{st.from, st.to, st.inst.PC}]++
	case 1:
		for _, e := range st.ways[0] {
			t.Taken[e] = true
		}
	default:
		t.doubt(st)
	}
	return len(st.ways) > 0
}

// execute follows control through a machine block, and through the test behind it whose outcome is known there. It calls
// visit for each step, which says whether to go on if that is none of the source. It is over, not alive, where it does not,
// and where a path is abandoned.
func (t *Target) execute(s state, visit func(step) (goOn bool)) (after state, alive bool) {
	b := t.M.Blocks[s.machine]
	from, h := s, t.hold(s, b, visit)
	if s, alive = t.pass(s, b, h.step); alive && t.passes(b) && t.isSettled(s) {
		s, alive = t.pass(s, b.Succs[0], h.step)
	}
	if alive && b.Ret && t.At == nil {
		s, _ = t.step(s, t.exit, b.Last(), h.step)
	}
	s.held = h.waiting(from)
	return s, alive
}

// passes reports whether the test that control is led past behind a block is evidence. That of && or || has the position of
// one operand, and is executed behind others, too.
func (t *Target) passes(b *machine.Block) bool {
	if !b.Skips {
		return false
	}
	x := b.Succs[0]
	l := t.labels[x.Index][len(x.Insts)-1]
	return l.block >= 0 && !l.inner && t.operatorOf(x.Last()) == nil && !t.isOperand(l.block)
}

// isSettled reports whether the last evidence is a side of a jump, which is known to be one edge. Elsewhere control may have
// been led past other tests, too (esbuild's parseProperty).
func (t *Target) isSettled(s state) bool {
	_, ok := t.sides[s.side]
	return ok
}

// isOperand reports whether a block is that of an operand of && or ||.
func (t *Target) isOperand(block int) bool {
	of := blockRef{t.F, block}
	for _, o := range t.source.operators {
		if t.source.of(o.left) == of || t.source.of(o.right) == of {
			return true
		}
	}
	return false
}

// pass follows control through the instructions of a block.
func (t *Target) pass(s state, b *machine.Block, visit func(step) (goOn bool)) (after state, alive bool) {
	for k, i := range b.Insts {
		l := t.labels[b.Index][k]
		switch {
		case isPanic(i):
			if l.inner || l.block < 0 || l.block == t.exit {
				return s, false
			}
			if s, alive = t.step(s, l.block, i, visit); alive {
				s, _ = t.step(s, t.exit, i, visit)
			}
			return s, false
		case t.postOf(i) != nil:
			if s, alive = t.inPost(s, t.postOf(i), i, visit); !alive {
				return s, false
			}
		case t.isDeferred(i):
			if s, alive = t.step(s, t.exit, i, visit); !alive {
				return s, false
			}
			s.over = true
		case l.block < 0:
		case i.Kind == machine.Branch && t.isOfOthers(s, i, l):
			s.blind = true
		case i.Kind == machine.Strict || i.Kind == machine.Branch:
			if s, alive = t.step(s, l.block, i, visit); !alive {
				return s, false
			}
			if !s.over && l.block != t.exit && t.isReturn(i, l.block) {
				visit(step{s.at, t.exit, i, s, [][]int{t.F.out[s.at]}})
				s.over = true
			}
		}
	}
	return s, true
}

// step goes on to evidence of a block.
func (t *Target) step(s state, to int, i *machine.Inst, visit func(step) (goOn bool)) (after state, alive bool) {
	switch {
	case s.over && (t.At == nil || to == t.exit):
		if to == t.exit {
			s.at, s.over = t.exit, false
		}
		s.forget()
		return s, true
	case s.over && (to != s.at || s.again):
		s.at, s.over = t.exit, false
	}
	if to == s.at && (!s.again || s.posted || to == t.exit && t.At != nil) {
		s.posted = false
		s.forget()
		return s, true
	}
	ways := t.ways(s.at, to, s.blind)
	if e, ok := t.sides[s.side]; ok {
		ways = t.likely(s.side, t.waysBy(e, s.at, to, s.blind))
	}
	goOn := visit(step{s.at, to, i, s, ways})
	s.at, s.posted = to, false
	s.forget()
	return s, goOn
}

// follow returns the state behind edge k of Next() of a machine block.
func (t *Target) follow(s state, b *machine.Block, k int) state {
	next := b.Next()
	s.machine = next[k].Index
	live := 0
	for _, x := range next {
		if !t.doomed[x.Index] {
			live++
		}
	}
	test, taken := b, k
	if s.side == noSide && t.passes(b) {
		test, taken, live = b.Succs[0], b.Via, 2
	}
	last := test.Last()
	if test.Cond && live > 1 && last.Kind != machine.Other {
		l := t.labels[test.Index][len(test.Insts)-1]
		switch {
		case last.Kind != machine.Branch || l.inner:
		case l.block == s.at:
			s.side = side{test.Index, taken}
		case l.block < 0 && !last.Check && t.operatorOf(last) == nil: // that of && or || is of one of its operands, at least
			s.blind = true
		}
	}
	if b.Cond && t.tables[b.Index] == s.at && s.at >= 0 {
		if _, ok := t.sides[side{b.Index, k}]; ok {
			s.side = side{b.Index, k}
		}
	}
	if b.Back[k] && !t.internal(b.Loops[k]) {
		s.again = true
	}
	return s
}

// infer finds what the other side of a branch must be.
func (t *Target) infer() {
	for _, b := range t.M.Blocks {
		l := t.labels[b.Index][len(b.Insts)-1]
		if len(b.Succs) != 2 || !t.branches(b) || len(t.F.out[l.block]) != 2 || t.isFused(l.block) || t.goesOn(b) {
			continue
		}
		out := t.F.out[l.block]
		if _, ok := t.sides[side{b.Index, 0}]; ok {
			continue
		}
		if t.inferByWork(b, l.block) {
			continue
		}
		for k := range 2 {
			mine, its := t.seen[side{b.Index, k}], t.seen[side{b.Index, 1 - k}]
			if len(mine) != 1 {
				continue
			}
			for e := range mine {
				if o := out[0] + out[1] - e; (e == out[0] || e == out[1]) && !its[e] {
					t.sides[side{b.Index, k}], t.sides[side{b.Index, 1 - k}] = e, o
				}
			}
		}
	}
}

// isFused reports whether a condition is joined with the next.
func (t *Target) isFused(block int) bool {
	for _, c := range t.fused {
		if c == block {
			return true
		}
	}
	return false
}

// A Doubt is alternatives that the machine code does not tell apart.
type Doubt struct {
	Ways     [][]int // edges of the source
	From, To int     // blocks
	PC       uint64
}

func (t *Target) doubt(st step) {
	key := fmt.Sprint(st.from, st.to, st.ways)
	d := t.Doubts[key]
	if d == nil {
		d = &Doubt{Ways: st.ways, From: st.from, To: st.to, PC: st.inst.PC}
		t.Doubts[key] = d
	}
	for _, w := range st.ways {
		for _, e := range w {
			t.Taken[e] = true
		}
	}
}

// stretches divides a way where paths end. It yields the edges that each path has of it, from first on and in front of behind.
func (f *Func) stretches(way []int) iter.Seq2[int, int] {
	return func(yield func(first, behind int) bool) {
		first := 0
		for k, e := range way {
			if f.Numbering.Cut[e] || k == len(way)-1 {
				if !yield(first, k+1) {
					return
				}
				first = k + 1
			}
		}
	}
}

// sure returns how many edges are the same on all ways, whichever was taken: the first ones, up to the last of these where a path
// ends, and the last ones, if a path has ended in front of them. No edge is counted for both.
func (f *Func) sure(ways [][]int) (first, last int) {
	cut, least := f.Numbering.Cut, len(ways[0])
	for _, w := range ways {
		least = min(least, len(w))
	}
	all := func(is func(w []int) bool) bool {
		return !slices.ContainsFunc(ways, func(w []int) bool { return !is(w) })
	}
	for k, e := range ways[0][:least] {
		if !all(func(w []int) bool { return w[k] == e }) {
			break
		}
		if cut[e] {
			first = k + 1
		}
	}
	for n := 1; n <= least-first; n++ {
		e := ways[0][len(ways[0])-n]
		if !all(func(w []int) bool { return w[len(w)-n] == e }) {
			break
		}
		if all(func(w []int) bool { return len(w) > n && cut[w[len(w)-n-1]] }) {
			last = n
		}
	}
	return first, last
}

// On reports whether a path takes one of the alternatives: a stretch of one that is not sure.
func (d *Doubt) On(f *Func, path []int) bool {
	first, last := f.sure(d.Ways)
	for _, w := range d.Ways {
		for from, behind := range f.stretches(w) {
			if behind > first && from < len(w)-last && contains(path, w[from:behind]) {
				return true
			}
		}
	}
	return false
}

// Ends reports whether a path ends on one of several ways, so that another one begins there.
func (f *Func) Ends(ways [][]int) bool {
	return slices.ContainsFunc(ways, func(w []int) bool {
		return slices.ContainsFunc(w, func(e int) bool { return f.Numbering.Cut[e] })
	})
}

// Passes reports whether edges lead from or to a block.
func (f *Func) Passes(edges []int, block int) bool {
	return slices.ContainsFunc(edges, func(e int) bool { return f.edges[e].from == block || f.edges[e].to == block })
}

// contains reports whether edges are a part of a path.
func contains(path, edges []int) bool {
	for i := 0; i+len(edges) <= len(path); i++ {
		if slices.Equal(path[i:i+len(edges)], edges) {
			return true
		}
	}
	return false
}
