package pathnum

import (
	"errors"
	"fmt"
)

// Check returns an error if n is inconsistent. It shares no step
// with [New] and takes linear time, so it can be left on. It checks that
//
//   - Values number the paths from 0 without a gap ([NewDecoder]),
//   - the increments on every path sum up to its number,
//   - Fixed edges have no code and are neither chords nor cut,
//   - the code on every path counts exactly once, and with the right
//     number, not above a pinned block.
//
// It does so for all paths at once, however many there are. It walks the acyclic graph with what all the ways to a block have in
// common.
func (n *Numbering) Check() error {
	if err := n.checkShape(); err != nil {
		return err
	}
	g := n.Graph
	if _, err := NewDecoder(g.Blocks, g.Entry, g.Exit, g.Edges, n.Cut, n.Values); err != nil {
		return err
	}
	order, err := topological(g.Blocks, g.Edges, n.Cut)
	if err != nil {
		return err
	}
	if err := n.checkIncrements(order); err != nil {
		return err
	}
	return n.checkOps(order)
}

func (n *Numbering) checkShape() error {
	edges := len(n.Graph.Edges)
	if len(n.Cut) != edges || len(n.Chord) != edges || len(n.Inc) != edges || len(n.Ops) != edges {
		return errors.New("not one element for each edge")
	}
	if len(n.IncStart) != len(n.Values.Starts) {
		return errors.New("not one increment for each start")
	}
	usesRegister := n.UsesRegister() || n.Graph.KeepRegister
	for e, edge := range n.Graph.Edges {
		if edge.Fixed && (n.Cut[e] || n.Chord[e] || n.Ops[e] != Op{}) {
			return fmt.Errorf("edge %d is Fixed: cut %v, chord %v, code %q", e, n.Cut[e], n.Chord[e], n.Ops[e])
		}
		if !n.Chord[e] && n.Inc[e] != 0 {
			return fmt.Errorf("edge %d is in the tree and has an increment", e)
		}
		if n.Ops[e].Then == Add && n.Cut[e] {
			return fmt.Errorf("edge %d: the path behind a cut edge begins with the number of the one before", e)
		}
		if n.Ops[e].Then != NoChange && !usesRegister {
			return fmt.Errorf("edge %d changes r, which no count reads", e)
		}
	}
	if n.Graph.KeepRegister && !n.NeedInit {
		return errors.New("r is kept, but not initialised at entry")
	}
	if n.NeedInit && !usesRegister {
		return errors.New("r is initialised at entry, but no count reads it")
	}
	return nil
}

// checkIncrements checks that the paths to each block agree in the difference between the sums of Inc and of Val. The difference
// must be 0 at EXIT.
func (n *Numbering) checkIncrements(order []int) error {
	type difference struct {
		known bool
		value uint64
	}
	at := make([]difference, n.Graph.Blocks)
	reach := func(v int, value uint64) error {
		if at[v].known && at[v].value != value {
			return fmt.Errorf("block %d: increments less values are %d and %d", v, int64(at[v].value), int64(value))
		}
		at[v] = difference{true, value}
		return nil
	}

	if err := reach(n.Graph.Entry, 0); err != nil {
		return err
	}
	if err := reach(n.Graph.Exit, 0); err != nil {
		return err
	}
	for i, s := range n.Values.Starts {
		if err := reach(s.Block, n.IncStart[i]-s.Val); err != nil {
			return err
		}
	}
	out := groupBy(n.Graph.Blocks, len(n.Graph.Edges), func(e int) int { return n.Graph.Edges[e].From })
	for _, v := range order {
		for _, e := range out[v] {
			to := n.Graph.Edges[e].To
			if n.Cut[e] {
				to = n.Graph.Exit
			}
			if err := reach(to, at[v].value+n.Inc[e]-n.Values.Edge[e]); err != nil {
				return fmt.Errorf("edge %d: %w", e, err)
			}
		}
	}
	return nil
}

// progress is what the paths to a block have in common: of each, sum is the
// sum of Val so far, modulo 2^64.
type progress struct {
	reached bool

	single bool // there is only one path
	sum    uint64

	valid bool // r = sum + ahead
	ahead uint64

	counted bool // count[sum+index]++ has been executed
	index   uint64
}

// join returns what p and q have in common, an error if that is too little.
func (p progress) join(q progress) (progress, error) {
	switch {
	case !p.reached:
		return q, nil
	case !q.reached:
		return p, nil
	case p.counted != q.counted || p.index != q.index:
		return p, errors.New("paths are counted on some ways only, or differently")
	}
	p.single = false
	p.sum = 0
	p.valid = p.valid && q.valid && p.ahead == q.ahead
	return p, nil
}

// count executes the counting part of op.
func (p progress) count(op Op) (progress, error) {
	switch {
	case op.Count == NoCount:
		return p, nil
	case p.counted:
		return p, errors.New("path is counted twice")
	case op.Count == CountConst && p.single:
		p.index = op.Inc - p.sum
	case op.Count == CountRegister && p.valid:
		p.index = op.Inc + p.ahead
	default:
		return p, errors.New("count does not tell paths apart")
	}
	p.counted = true
	return p, nil
}

// then executes the rest of op.
func (p progress) then(op Op) (progress, error) {
	switch {
	case op.Then == NoChange:
	case op.Then == Set && p.single:
		p.valid, p.ahead = true, op.Value-p.sum
	case op.Then == Add && p.valid:
		p.ahead += op.Value
	default:
		return p, errors.New("change of r does not tell paths apart")
	}
	return p, nil
}

// pass goes along an edge with value val.
func (p progress) pass(val uint64) progress {
	p.sum += val
	p.ahead -= val
	if p.counted {
		p.index -= val
	}
	return p
}

// checkOps executes the code on all paths.
func (n *Numbering) checkOps(order []int) error {
	g := n.Graph
	at := make([]progress, g.Blocks)
	reach := func(v int, p progress) (err error) {
		at[v], err = at[v].join(p)
		return err
	}

	entry := progress{reached: true, single: true, valid: n.NeedInit}
	if err := reach(g.Entry, entry); err != nil {
		return err
	}
	begins, err := n.begins()
	if err != nil {
		return err
	}
	for _, s := range n.Values.Starts {
		p, err := progress{reached: true, single: true}.then(begins[s.Block])
		if err == nil {
			err = reach(s.Block, p.pass(s.Val))
		}
		if err != nil {
			return fmt.Errorf("start at block %d: %w", s.Block, err)
		}
	}

	out := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].From })
	for _, v := range order {
		if at[v].counted && v != g.Exit && g.Pinned != nil && g.Pinned[v] {
			return fmt.Errorf("block %d is pinned and comes after the count", v)
		}
		if g.KeepRegister && v != g.Exit && g.Pinned != nil && g.Pinned[v] && !(at[v].valid && at[v].ahead+n.Potential[v] == 0) {
			return fmt.Errorf("block %d is pinned and r does not tell what led to it", v)
		}
		for _, e := range out[v] {
			to := g.Edges[e].To
			p, err := at[v].count(n.Ops[e])
			if n.Cut[e] {
				to = g.Exit
			} else if err == nil {
				p, err = p.then(n.Ops[e])
			}
			if err == nil {
				err = reach(to, p.pass(n.Values.Edge[e]))
			}
			if err != nil {
				return fmt.Errorf("edge %d: %w", e, err)
			}
		}
	}
	if !at[g.Exit].counted || at[g.Exit].index != 0 {
		return errors.New("paths are not counted, or under other numbers")
	}
	return nil
}

// begins returns for each target of cut edges what these do to r.
func (n *Numbering) begins() (map[int]Op, error) {
	begins := make(map[int]Op)
	for e, edge := range n.Graph.Edges {
		if !n.Cut[e] {
			continue
		}
		op := Op{Then: n.Ops[e].Then, Value: n.Ops[e].Value}
		if other, ok := begins[edge.To]; ok && op != other {
			return nil, fmt.Errorf("cut edges to block %d begin paths differently: %q and %q", edge.To, other, op)
		}
		begins[edge.To] = op
	}
	return begins, nil
}
