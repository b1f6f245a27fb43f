package pathmap

import (
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A Target is a function of the source in the machine code of a function.
type Target struct {
	F  *Func
	M  *machine.Function
	At *machine.Scope // the call that was inlined; nil if M is the function itself

	Doubts map[string]*Doubt // what the machine code does not tell apart
	Kills  map[Kill]int      // ways of the machine that are none of the source
	Taken  []bool            // by edge: some way of the machine takes it
	Failed string            // why there is no map
	Looks  []*Look

	// Unseen are the ways from entry to exit of a call that was inlined which leave no evidence. How often they are taken,
	// together, follows from how often the call is executed.
	Unseen [][]int

	// UnseenLooks are those that tell these ways apart, by the instruction that they are at: each tells all of them.
	UnseenLooks map[*machine.Inst][]*Look

	source   *Source
	facts    facts
	exit     int
	operands map[*machine.Inst]int // blocks of jumps that have the position of && or ||, where those of both operands may have it
	labels   [][]evidence          // by machine block and instruction

	clears    map[*machine.Inst]*clearing // by call
	unclear   map[int]bool                // headers of loops that are calls, of which nothing tells the rounds
	misplaced map[*machine.Inst]int       // blocks of jumps that are not where the compare is; -1 if they are not known
	must      []bool                      // by block: no path passes it without evidence
	calls     []bool                      // by block: it calls whenever it is executed
	holds     []bool                      // by block: it is evidence of instructions other than jumps, which are led past each other
	cycle     []bool                      // by block: it is in a loop
	rounds    map[int][]int               // by header of a loop of a fixed number of rounds: edges of all rounds, and behind
	tests     []*ssacfg.Test              // by block: what it branches on, if it has two edges
	never     map[int]bool                // by edge: a parameter or variable is constant, so that it is not taken
	jumps     []bool                      // by block: it has a jump of its own, or may have it
	fused     map[int]int                 // blocks that are joined with one before, because that has no jump of its own
	tables    []int                       // by machine block: the block whose branch its jump through a table is, or -1
	doomed    []bool                      // by machine block: nothing is ahead but the program's end, or a panic of the runtime
	memo      map[wayKey][][]int
	many      map[wayKey]bool       // there are more than are kept
	held      map[state]*held       // by state before the block with the steps
	states    int                   // how many the last visit of all found
	tooMany   bool                  // search has found more than it returned
	sides     map[side]int          // the edge of the source that a side of a machine branch is
	seen      map[side]map[int]bool // the edges that it has been taken for
}

// Evidence is what an instruction says of where control is.
type evidence struct {
	block int  // -1: nothing
	inner bool // it is of a call that was inlined into the target
}

// A Kill is a way of the machine that no path explains.
type Kill struct {
	From, To int // blocks
	PC       uint64
}

// A side is an edge of a machine block. Edge 0 of block 0 stands for none.
type side struct{ block, edge int }

var noSide = side{-1, -1}

// NewTarget returns a function in the machine code of m, at a call that was inlined or nil.
func (s *Source) NewTarget(f *Func, m *machine.Function, at *machine.Scope) *Target {
	t := &Target{F: f, M: m, At: at, source: s, exit: f.blocks - 1}
	t.findTests()
	t.findNever()
	t.findCycles()
	t.findKnownRounds()
	t.findOperands()
	t.findClears()
	t.findWays()
	if t.findMisplaced() {
		t.findWays()
	}
	t.findUnseen()
	t.Looks = append(t.findLooks(t.doubtful()), t.lookAtClears()...)
	t.findUnseenLooks()
	t.findFacts()
	return t
}

// findWays finds which ways of the source the machine code takes.
func (t *Target) findWays() {
	t.Doubts, t.Taken = make(map[string]*Doubt), make([]bool, len(t.F.edges))
	t.memo, t.many, t.held = make(map[wayKey][][]int), make(map[wayKey]bool), make(map[state]*held)
	t.join()
	t.readLabels()
	t.findMust()
	t.findCalling()
	t.findDoomed()
	t.walk()
}

// Release frees what nothing but a plan needs: 16 bytes for each instruction of the machine function, above all.
func (t *Target) Release() {
	t.labels, t.memo, t.many, t.held, t.seen = nil, nil, nil, nil, nil
}

// label returns what an instruction says.
func (t *Target) label(i *machine.Inst) evidence {
	file, depth := i.File, 0
	if t.At != nil {
		if i.IsReturn() {
			return evidence{t.exit, false} // it may have the position of a branch of the call
		}
		depth = -1
		for k, s := range i.Chain {
			if s == t.At {
				depth = k + 1
			}
		}
		if depth < 0 {
			if b, ok := t.answers(i); ok {
				return evidence{b, false}
			}
			return evidence{t.exit, false} // outside
		}
	}
	var l evidence
	if depth < len(i.Chain) {
		file, l.inner = i.Chain[depth].CallFile, true
	}
	l.block = t.blockOf(i, t.source.piece(file), depth == len(i.Chain))
	if i.IsReturn() && t.At == nil && l.block >= 0 && !t.returns(l.block) {
		l.block = -1 // it has the position of a branch that became a conditional move
	}
	return l
}

// returns reports whether nothing but the exit is behind a block.
func (t *Target) returns(block int) bool {
	for range t.F.blocks {
		for _, e := range t.F.out[block] {
			if t.F.edges[e].to == t.exit {
				return true
			}
		}
		if len(t.F.out[block]) != 1 {
			return false
		}
		block = t.F.edges[t.F.out[block][0]].to
	}
	return false
}

// blockOf returns the block of an instruction of a piece, -1 if that is not known. The instruction is the target's own, or of a
// call in it.
func (t *Target) blockOf(i *machine.Inst, piece int, own bool) int {
	s := t.source
	if piece < 0 || s.pieces[piece].Kind == label.Key && i.Callee == "runtime.newobject" {
		return -1 // a variable that all rounds of a loop have is allocated in front of the loop, with a position in its body
	}
	r := s.refs[piece]
	if i.Kind == machine.Branch {
		if b, ok := t.calledIn(i, own); ok {
			return b
		}
		if h := s.over[piece]; h.f != nil {
			r = h
		}
		if o := s.operators[piece]; o != nil {
			r = s.of(o.left)
			if b, ok := t.operands[i]; ok {
				return b
			}
			if (o.calls || o.nested && i.Test == i) && !t.asks(i, r, own) {
				return -1 // that, or the operand on the right
			}
			if i.Test != nil && i.Test != i && own && len(i.Test.Chain) == len(i.Chain) {
				if k := s.piece(i.Test.File); o.lo <= k && k < o.hi && k >= 0 && s.refs[k].f == t.F {
					r = s.refs[k]
				}
			}
		}
		if h, ok := t.headerOf(i); ok && t.unclear[h] {
			return -1
		}
	} else if c := t.clears[i]; c != nil {
		return c.body
	} else if s.ranges[piece] {
		return -1
	}
	if i.Kind == machine.Branch && own {
		if i.Check && t.compared(i) != r {
			return -1
		}
		if !i.Check && t.isForeign(i, r) {
			return -1
		}
		if block, ok := t.misplaced[i]; ok {
			return block
		}
		if !i.Check && i.Moved {
			r = t.decides(i, r)
		}
	}
	if r.f != t.F {
		return -1
	}
	if to, ok := t.fused[r.block]; ok && i.Kind == machine.Branch && own && !i.Check {
		return to
	}
	return r.block
}

// compared returns the block that the compare in front of a jump has the position of, if both are of the same call. A jump that
// compares has its own position only.
func (t *Target) compared(i *machine.Inst) blockRef {
	if i.Test == nil || i.Test == i || len(i.Test.Chain) != len(i.Chain) {
		return blockRef{}
	}
	return t.source.ref(i.Test.File)
}

// isForeign reports whether a jump of a block that compares asks for what is compared around the call that is inlined. It may
// have the position of a branch there that became a conditional move, of which only an equal one before is left (xz's dictLen).
func (t *Target) isForeign(i *machine.Inst, r blockRef) bool {
	if r.f != t.F || i.Test == nil || i.Test == i || len(i.Test.Chain) >= len(i.Chain) {
		return false
	}
	test := t.testOf(r.block)
	return test != nil && test.Op != token.ILLEGAL
}

// asks reports whether a jump asks for what has the position of a block. That the jump could ask for the condition of the
// block says nothing. A jump of the operand on the right could, too (p.ccc > 0 || p.combinesBackward(), which tests a bit).
func (t *Target) asks(i *machine.Inst, r blockRef, own bool) bool {
	return r.f == t.F && own && !i.Bool && t.compared(i) == r
}

// decides returns the block whose condition a jump asks for. It is that of the jump's position, unless the jump cannot ask for
// that and can for the one that the compare is of. Where the compiler makes a conditional move of a branch, the next jump takes
// the position of it.
func (t *Target) decides(i *machine.Inst, r blockRef) blockRef {
	by := t.compared(i)
	if i.Test == i {
		return blockRef{} // it may have the position of the move
	}
	if by == r || by.f != t.F || r.f == t.F && len(t.F.out[r.block]) > 2 {
		return r
	}
	if r.f == t.F {
		test := t.testOf(r.block)
		if _, ok := means(i, test); ok || test != nil && (test.Op == token.ILLEGAL || !isInteger(test.Type)) {
			return r
		}
	}
	if _, ok := means(i, t.testOf(by.block)); ok {
		return by
	}
	return r
}

// calledIn returns the block whose condition is the result of a call, if i is the jump behind that call.
func (t *Target) calledIn(i *machine.Inst, own bool) (int, bool) {
	if !own || i.Test == nil || i.Test.Call == nil {
		return 0, false
	}
	c := i.Test.Call
	if len(c.Chain) != len(i.Chain) {
		return 0, false
	}
	r := t.source.ref(c.File)
	if r.f != t.F {
		return 0, false
	}
	test := t.testOf(r.block)
	return r.block, test != nil && test.Call
}

func (t *Target) readLabels() {
	t.labels = make([][]evidence, len(t.M.Blocks))
	for _, b := range t.M.Blocks {
		t.labels[b.Index] = make([]evidence, len(b.Insts))
		for k, i := range b.Insts {
			t.labels[b.Index][k] = t.label(i)
		}
	}
}

// findCycles finds the blocks that are in loops.
func (t *Target) findCycles() {
	f := t.F
	t.cycle = make([]bool, f.blocks)
	for b := range t.cycle {
		seen := make([]bool, f.blocks)
		work := []int{b}
		for len(work) > 0 {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			for _, e := range f.out[x] {
				to := f.edges[e].to
				t.cycle[b] = t.cycle[b] || to == b
				if !seen[to] {
					seen[to] = true
					work = append(work, to)
				}
			}
		}
	}
}

// join finds the conditions that have no jump of their own. The next one's jump then may be that of both. It is not if there is
// other evidence of the next one, as of a call in it: nothing can be tested together across that.
func (t *Target) join() {
	f := t.F
	has, apart := make([]bool, f.blocks), make([]bool, f.blocks)
	for _, b := range t.M.Blocks {
		for _, i := range b.Insts {
			l := t.label(i)
			if l.block >= 0 && (i.Kind == machine.Strict || i.Kind == machine.Branch && l.inner) {
				apart[l.block] = true
			}
			if i.Kind != machine.Branch || i.Check || l.inner {
				continue
			}
			if l.block >= 0 {
				has[l.block] = true
			} else if o := t.operatorOf(i); o != nil { // it is of one of them
				for _, k := range []int{o.left, o.right} {
					if r := t.source.of(k); r.f == t.F {
						has[r.block] = true
					}
				}
			}
		}
	}
	t.jumps = has
	t.fused = make(map[int]int)
	for c := f.blocks - 1; c >= 0; c-- {
		if len(f.out[c]) < 2 || has[c] || t.decided(c) || !t.canJoin(c) {
			continue
		}
		for _, e := range f.out[c] {
			if d := f.edges[e].to; d != c && d != t.exit && has[d] && !apart[d] && len(f.Graph.Blocks[d].In()) == 1 && t.canJoin(d) {
				t.fused[d] = c
			}
		}
	}
	for d, c := range t.fused { // of chains the first
		for {
			x, ok := t.fused[c]
			if !ok || x == c {
				break
			}
			c = x
		}
		t.fused[d] = c
	}
}

// canJoin reports whether the condition of a block may be tested together with another: it is none but a comparison of integers.
func (t *Target) canJoin(block int) bool {
	test := t.testOf(block)
	return test == nil || test.Op != token.ILLEGAL && isInteger(test.Type)
}

// findMust finds the blocks that have evidence.
func (t *Target) findMust() {
	t.must, t.holds = make([]bool, t.F.blocks), make([]bool, t.F.blocks)
	for _, b := range t.M.Blocks {
		for k, i := range b.Insts {
			if i.Kind == machine.Strict || i.Kind == machine.Branch || isPanic(i) {
				if l := t.labels[b.Index][k]; l.block >= 0 {
					t.must[l.block] = true
					t.holds[l.block] = t.holds[l.block] || i.Kind != machine.Branch
				}
			}
		}
	}
}

// isPanic reports whether i is the call that a panic statement is.
func isPanic(i *machine.Inst) bool { return i.Kind == machine.Panics && i.Callee == "runtime.gopanic" }

// findDoomed finds the machine blocks from which nothing of the source is reached any more.
func (t *Target) findDoomed() {
	t.doomed = make([]bool, len(t.M.Blocks))
	for changed := true; changed; {
		changed = false
		for _, b := range t.M.Blocks {
			if t.doomed[b.Index] || b.Ret || isPanic(b.Last()) {
				continue
			}
			doomed := true
			for _, s := range b.Next() {
				doomed = doomed && t.doomed[s.Index]
			}
			if doomed {
				t.doomed[b.Index], changed = true, true
			}
		}
	}
}

// A wayKey is what ways are kept for.
type wayKey struct {
	from, to int
	blind    bool
}

// ways returns the paths of the source from block a to block b, of one edge at least, that lead through blocks without evidence.
// If there is no such path, they lead through blocks that have a jump only. The compiler leads jumps past others whose outcome
// follows from theirs. So it may after a jump whose block is not known, which is blind. Outside of a call that was inlined, which
// is the exit, leads to its entry.
func (t *Target) ways(a, b int, blind bool) [][]int {
	key := wayKey{a, b, blind}
	if w, ok := t.memo[key]; ok {
		t.failIf(t.many[key])
		return w
	}
	var found [][]int
	if !blind {
		found = t.search(a, b, t.must)
	}
	if len(found) == 0 {
		found = t.search(a, b, t.holds)
	}
	t.memo[key], t.many[key] = found, t.tooMany
	t.failIf(t.tooMany)
	return found
}

// failIf notes that there is no map if there are too many ways.
func (t *Target) failIf(tooMany bool) {
	if tooMany {
		t.Failed = "too many ways through it have no evidence"
	}
}

// waysBy returns the ways that begin with an edge. If there is none, the edge leads on through blocks that have but a jump, as
// those of ways do. There are other jumps than those that have positions (whether an interface is nil, in a type switch).
func (t *Target) waysBy(edge, a, b int, blind bool) [][]int {
	others := func(w []int) bool { return len(w) == 0 || w[0] != edge }
	if kept := slices.DeleteFunc(slices.Clone(t.ways(a, b, blind)), others); len(kept) > 0 || blind {
		return kept
	}
	return slices.DeleteFunc(slices.Clone(t.ways(a, b, true)), others)
}

// search returns the paths from a to b that lead through no block that stops them. Those that lead through one up to three times
// are among them. Where nothing tells how often a loop goes round there are several paths, and the third has all of its paths.
func (t *Target) search(a, b int, stops []bool) [][]int {
	var found [][]int
	on := make([]int, t.F.blocks)
	steps := 0
	var walk func(x int, p []int)
	walk = func(x int, p []int) {
		if steps++; len(found) > mostWays || steps > mostSteps {
			return
		}
		if x == t.exit {
			switch {
			case t.At == nil || len(p) > 0:
			case b == 0:
				found = append(found, []int{})
			case !stops[0]:
				on[0]++
				walk(0, p)
				on[0]--
			}
			return
		}
		for _, e := range t.F.out[x] {
			if t.never[e] {
				continue
			}
			q := append(p[:len(p):len(p)], e)
			q = append(q, t.wholeLoop(e, b, stops)...)
			to := t.F.edges[q[len(q)-1]].to
			if to == b {
				found = append(found, q)
			} else if on[to] < 3 && !stops[to] {
				on[to]++
				walk(to, q)
				on[to]--
			}
		}
	}
	walk(a, nil)
	t.tooMany = len(found) > mostWays || steps > mostSteps
	return found
}

// findUnseen finds the ways through a call that was inlined of which there is no evidence.
func (t *Target) findUnseen() {
	if t.At == nil || t.must[0] {
		return
	}
	t.Unseen = t.search(0, t.exit, t.must)
	t.failIf(t.tooMany)
}

// mostWays is how many paths between pieces of evidence are told apart, and mostSteps how many edges are tried for that.
const (
	mostWays  = 40
	mostSteps = 20000
)

// internal reports whether a loop of the machine code is within one execution of a block. It is then the loop of a callee
// that was inlined there, or of an operation.
func (t *Target) internal(loop map[*machine.Block]bool) bool {
	block, direct := -1, false
	for b := range loop {
		for k, i := range b.Insts {
			l := t.labels[b.Index][k]
			if i.Kind != machine.Strict && i.Kind != machine.Branch || l.block < 0 {
				continue
			}
			if block >= 0 && l.block != block {
				return false
			}
			block = l.block
			direct = direct || !l.inner
		}
	}
	return block < 0 || !t.cycle[block] || !direct || len(t.search(block, block, t.must)) == 0
}
