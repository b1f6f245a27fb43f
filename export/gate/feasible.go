package gate

import (
	"math/big"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// mostStates bounds the walk over a function's graph that heeds conditions. Real functions have some hundred states at most.
const mostStates = 1 << 15

// feasibility is what paths of a function can be executed, as far as is known.
type feasibility struct {
	paths   uint64 // on changed lines
	all     uint64 // anywhere
	edges   []bool // whether any path takes them
	unknown bool   // the walk took too long: everything is taken to be feasible
}

// A counter walks over the graph of a function. A state is a block, what is known there, and whether a changed line has been
// passed.
type counter struct {
	f       *profile.Function
	out     [][]int
	changed []bool
	live    [][]bool // conditions that are looked at behind each block
	memo    map[state]counted
	most    int // of memo
	edges   []bool
}

type state struct {
	block   int
	changed bool
	known   string // a byte for each condition
}

type counted struct{ all, changed uint64 }

// What is known of a condition.
const (
	unknown = iota
	isFalse
	isTrue
)

// feasible counts the paths of f along the edges in out.
func feasible(f *profile.Function, changed []bool, out [][]int) feasibility {
	c := &counter{f: f, out: out, changed: changed, memo: make(map[state]counted), most: mostStates,
		edges: make([]bool, len(f.Table.Edges))}
	c.findLive()
	if n, ok := c.count(); ok {
		return feasibility{paths: n.changed, all: n.all, edges: c.edges}
	}
	c.live, c.memo = make([][]bool, len(f.Table.Blocks)), make(map[state]counted)
	withoutFacts := *f.Table
	withoutFacts.Facts = nil
	c.f = &profile.Function{Package: f.Package, Table: &withoutFacts}
	c.most = 2 * len(f.Table.Blocks) // there are no more states
	n, _ := c.count()
	return feasibility{paths: n.changed, all: n.all, edges: c.edges, unknown: true}
}

// outEdges returns the edges out of each block.
func outEdges(f *profile.Function) [][]int {
	out := make([][]int, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		out[e.From] = append(out[e.From], id)
	}
	return out
}

// starts returns the blocks that paths start at.
func starts(f *profile.Function) []int {
	list := []int{f.Table.Entry}
	for _, s := range f.Table.Values.Starts {
		list = append(list, s.Block)
	}
	return list
}

// count counts all paths; ok is false if there are too many states.
func (c *counter) count() (n counted, ok bool) {
	for _, block := range starts(c.f) {
		from, ok := c.from(state{block, c.changed[block], string(make([]byte, c.conditions()))})
		if !ok {
			return n, false
		}
		n.all, n.changed = n.all+from.all, n.changed+from.changed
	}
	return n, true
}

func (c *counter) conditions() int {
	n := 0
	for _, facts := range c.f.Table.Facts {
		for _, fact := range facts {
			n = max(n, fact.Condition()+1)
		}
	}
	return n
}

// from counts the paths from a state on.
func (c *counter) from(s state) (n counted, ok bool) {
	t := c.f.Table
	if s.block == t.Exit {
		return end(s.changed), true
	}
	if n, ok := c.memo[s]; ok {
		return n, true
	}
	if len(c.memo) >= c.most {
		return n, false
	}
	for _, id := range c.out[s.block] {
		next, possible := c.take(s, id)
		if !possible {
			continue
		}
		through := end(next.changed)
		if !t.Edges[id].Back {
			if through, ok = c.from(next); !ok {
				return n, false
			}
		}
		if through.all > 0 {
			c.edges[id] = true
		}
		n.all, n.changed = n.all+through.all, n.changed+through.changed
	}
	c.memo[s] = n
	return n, true
}

// end returns the count of the one path that ends.
func end(changed bool) counted {
	if changed {
		return counted{1, 1}
	}
	return counted{1, 0}
}

// take returns the state behind an edge, and whether there is one.
func (c *counter) take(s state, id int) (next state, possible bool) {
	t := c.f.Table
	next = state{block: t.Edges[id].To, known: s.known}
	next.changed = s.changed || c.changed[next.block]
	if t.Facts == nil {
		return next, true
	}
	known := []byte(s.known)
	for _, fact := range t.Facts[id] {
		at, is := &known[fact.Condition()], byte(isFalse)
		switch {
		case fact.Forgets():
			*at = unknown
			continue
		case fact == table.NewFact(fact.Condition(), true):
			is = isTrue
		}
		if *at != unknown && *at != is {
			return next, false
		}
		*at = is
	}
	for i, live := range c.live[next.block] {
		if !live {
			known[i] = unknown
		}
	}
	next.known = string(known)
	return next, true
}

// findLive finds out which conditions are looked at on a path behind each block: what is known of others makes no difference.
func (c *counter) findLive() {
	n := c.conditions()
	c.live = make([][]bool, len(c.f.Table.Blocks))
	for i := range c.live {
		c.live[i] = make([]bool, n)
	}
	if n == 0 {
		return
	}
	for changed := true; changed; {
		changed = false
		for id, e := range slices.Backward(c.f.Table.Edges) {
			live := make([]bool, n)
			if !e.Back {
				copy(live, c.live[e.To])
			}
			for _, fact := range slices.Backward(c.f.Table.Facts[id]) {
				live[fact.Condition()] = !fact.Forgets()
			}
			for i, is := range live {
				if is && !c.live[e.From][i] {
					c.live[e.From][i], changed = true, true
				}
			}
		}
	}
}

// Decisions returns the decisions of f, given which branches can be taken as far as is known.
func Decisions(f *profile.Function, texts *code.Texts) *mcdc.Function {
	var edges []bool
	if !f.Declined() && f.Table.Facts != nil {
		edges = feasible(f, Lines(nil).blocks(f), outEdges(f)).edges
	}
	return mcdc.Of(f, texts, edges)
}

// PossiblePaths returns how many paths of functions can be executed, as far as is known: those on which conditions
// contradict each other are not.
func PossiblePaths(functions []*profile.Function) *big.Int {
	sum := new(big.Int)
	for _, f := range functions {
		if f.Declined() {
			continue
		}
		n := f.Table.Values.NumPaths
		if f.Table.Facts != nil {
			n = feasible(f, Lines(nil).blocks(f), outEdges(f)).all
		}
		sum.Add(sum, new(big.Int).SetUint64(n))
	}
	return sum
}
