package pathmap

import (
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// A Walker follows activations of a machine function through the map of a target, and counts the paths that they execute.
type Walker struct {
	T *Target

	Counts   map[uint64]int64 // paths, by number
	Doubtful map[uint64]int64 // those with alternatives that the machine code does not tell apart, as the first of them
	Open     []*Doubt         // that looks have not decided
	Lost     map[[2]int]int64 // how often control came from one block to another by a way that is none of the source
	Broken   int64            // ends of paths of which an earlier part was none of the source

	// Taken is how often each edge was taken, in doubt or not, and counts an edge before its path ends. Entered is how often
	// evidence in a call that was inlined followed on evidence outside of it.
	Taken   []int64
	Entered int64

	// Chosen is how often each of Target.Unseen was what looks at an instruction told.
	Chosen map[*machine.Inst][]int64

	index  map[state]int
	states []state
	nodes  []map[exit]*result
	starts map[int]uint64 // numbers of the paths that start at a block are from it on
	val    []uint64
	cut    []bool
}

// A Position is where an activation is.
type Position struct {
	state    int
	sum      uint64
	doubtful bool
	broken   bool
	seen     []int  // by block: the edge that the last look has told, and 1; nil if there was none
	known    uint64 // bits of conditions, since the path began
}

// An exit is how a run of machine blocks ends: by an edge of a block that has several, or -1 where the function ends.
type exit struct{ block, edge int }

// A result is what a run of machine blocks means.
type result struct {
	ok   bool
	next int
	ops  []op
}

// An op is one edge of the source, -1 if a step was none of the source.
type op struct {
	edge    int
	between [2]int  // blocks that such a step was between, or one of several ways
	ways    [][]int // several ways in place of the edge
	open    bool    // looks have left several of them once
	enters  bool    // control comes into a call that was inlined, which is all that happens
}

// NewWalker returns a walker. Counts are kept with the walker.
func (t *Target) NewWalker() *Walker {
	n := t.F.Numbering
	w := &Walker{T: t, Counts: make(map[uint64]int64), Doubtful: make(map[uint64]int64),
		Lost: make(map[[2]int]int64), Taken: make([]int64, len(t.F.edges)), Chosen: make(map[*machine.Inst][]int64),
		index: make(map[state]int), starts: make(map[int]uint64), val: n.Values.Edge, cut: n.Cut}
	for _, s := range n.Values.Starts {
		w.starts[s.Block] = s.Val
	}
	w.node(t.start())
	return w
}

// Reset forgets all counts.
func (w *Walker) Reset() {
	w.Counts, w.Doubtful, w.Broken, w.Entered = make(map[uint64]int64), make(map[uint64]int64), 0, 0
	clear(w.Lost)
	clear(w.Taken)
	clear(w.Chosen)
}

func (w *Walker) node(s state) int {
	k, ok := w.index[s]
	if !ok {
		k = len(w.states)
		w.index[s] = k
		w.states, w.nodes = append(w.states, s), append(w.nodes, make(map[exit]*result))
	}
	return k
}

// Begin returns the position of an activation that begins.
func (w *Walker) Begin() Position { return Position{} }

// Branch goes on to the end of a block and takes an edge. It reports whether that can be.
func (w *Walker) Branch(p *Position, block, edge int) bool { return w.run(p, exit{block, edge}) }

// End goes on to the end of a block where the function ends.
func (w *Walker) End(p *Position, block int) bool { return w.run(p, exit{block, -1}) }

// Look notes what a register or flag is at an instruction.
func (w *Walker) Look(p *Position, i *machine.Inst, value uint64) {
	for _, l := range w.T.Looks {
		if l.At == i && l.Rounds {
			if n := l.More(value); n > 0 {
				w.Counts[l.Path] += int64(n)
			}
		} else if l.At == i {
			if p.seen == nil {
				p.seen = make([]int, w.T.F.blocks)
			}
			p.seen[l.Block] = l.Edge(value) + 1
		}
	}
	if looks := w.T.UnseenLooks[i]; looks != nil {
		w.chooseUnseen(i, looks, value)
	}
}

// chooseUnseen counts the one way without evidence that agrees with looks at an instruction.
func (w *Walker) chooseUnseen(i *machine.Inst, looks []*Look, value uint64) {
	chosen := -1
	for k, way := range w.T.Unseen {
		agrees := true
		for _, l := range looks {
			for _, e := range way {
				agrees = agrees && (w.T.F.edges[e].from != l.Block || l.Edge(value) == e)
			}
		}
		if agrees && chosen >= 0 {
			return
		}
		if agrees {
			chosen = k
		}
	}
	if chosen < 0 {
		return
	}
	if w.Chosen[i] == nil {
		w.Chosen[i] = make([]int64, len(w.T.Unseen))
	}
	w.Chosen[i][chosen]++
}

func (w *Walker) run(p *Position, e exit) bool {
	r := w.nodes[p.state][e]
	if r == nil {
		r = w.through(w.states[p.state], e)
		w.nodes[p.state][e] = r
	}
	for k, o := range r.ops {
		if o.enters {
			w.Entered++
			continue
		}
		if o.ways == nil {
			if o.edge < 0 {
				w.Lost[o.between]++
			}
			w.apply(p, o.edge)
			continue
		}
		way, sure := w.choose(p, o.ways)
		if !sure && !o.open {
			r.ops[k].open = true
			w.Open = append(w.Open, &Doubt{Ways: o.ways, From: o.between[0], To: o.between[1]})
		}
		first, last := len(way), 0
		if !sure {
			first, last = w.T.F.sure(o.ways)
		}
		for k, e := range way {
			p.doubtful = p.doubtful || first <= k && k < len(way)-last
			w.apply(p, e)
		}
	}
	p.state = r.next
	return r.ok
}

// choose returns the one way that looks have left, or the first, if they have left several. A look is good for one choice, and
// for one path.
func (w *Walker) choose(p *Position, ways [][]int) (way []int, sure bool) {
	defer w.forget(p, ways)
	n := 0
	for _, v := range ways {
		if w.agrees(p, v) {
			if n++; n == 1 {
				way = v
			}
		}
	}
	if n == 0 {
		return ways[0], false
	}
	return way, n == 1
}

// forget forgets what looks have told of blocks that ways lead through.
func (w *Walker) forget(p *Position, ways [][]int) {
	if p.seen == nil {
		return
	}
	for _, way := range ways {
		for _, e := range way {
			p.seen[w.T.F.edges[e].from] = 0
		}
	}
}

// agrees reports whether a way is what looks have told, and what is known of conditions.
func (w *Walker) agrees(p *Position, way []int) bool {
	if p.known&w.T.facts.excludes(way) != 0 {
		return false
	}
	for _, e := range way {
		if p.seen != nil {
			if s := p.seen[w.T.F.edges[e].from]; s != 0 && s != e+1 {
				return false
			}
		}
	}
	return true
}

// apply adds an edge to the path.
func (w *Walker) apply(p *Position, edge int) {
	if edge < 0 {
		p.broken = true
		return
	}
	w.Taken[edge]++
	p.sum += w.val[edge]
	mask, told := w.T.facts.tells(edge)
	p.known = p.known&^mask | told
	to := w.T.F.edges[edge].to
	if !w.cut[edge] && to != w.T.exit {
		return
	}
	switch {
	case p.broken:
		w.Broken++
	case p.doubtful:
		w.Doubtful[p.sum]++
	default:
		w.Counts[p.sum]++
	}
	p.sum, p.doubtful, p.broken, p.known = 0, false, false, 0
	clear(p.seen)
	if w.cut[edge] {
		p.sum = w.starts[to]
	}
}

// through executes machine blocks from a state on until control leaves a block by an edge.
func (w *Walker) through(s state, e exit) *result {
	r := new(result)
	t := w.T
	visit := func(st step) bool {
		if t.At != nil && st.from == t.exit {
			r.ops = append(r.ops, op{enters: true})
		}
		if len(st.ways) == 0 {
			r.ops = append(r.ops, op{edge: -1, between: [2]int{st.from, st.to}})
			return true
		}
		if len(st.ways) > 1 {
			r.ops = append(r.ops, op{ways: st.ways, between: [2]int{st.from, st.to}})
			return true
		}
		for _, edge := range st.ways[0] {
			r.ops = append(r.ops, op{edge: edge})
		}
		return true
	}
	for range len(t.M.Blocks) + 1 {
		b := t.M.Blocks[s.machine]
		s, _ = t.execute(s, visit)
		next := b.Next()
		switch {
		case b.Index == e.block && e.edge < 0:
			r.ok = true
			return r
		case b.Index == e.block && e.edge < len(next) && !b.Skips:
			r.ok, r.next = true, w.node(t.follow(s, b, e.edge))
			return r
		case b.Skips && b.Succs[0].Index == e.block:
			r.ok, r.next = e.edge == b.Via, w.node(t.follow(s, b, 0))
			return r
		case len(next) != 1 || b.Cond:
			return new(result)
		}
		s = t.follow(s, b, 0)
	}
	return new(result) // control is where no edge leads, and has left the blocks in their middle
}

// Decoder returns a decoder of the function's path numbers.
func (f *Func) Decoder() (*pathnum.Decoder, error) {
	p := f.Graph.Plain()
	return pathnum.NewDecoder(p.Blocks, p.Entry, p.Exit, p.Edges, f.Numbering.Cut, f.Numbering.Values)
}
