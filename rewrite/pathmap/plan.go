package pathmap

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A Plan is what code in a copy of a machine function has to do at its edges to count the paths of a target. The code keeps a
// sum, to which edges add (Ball & Larus 1996, section 3.3). A plan needs no memory of where control was but the node: most
// machine blocks have one.
type Plan struct {
	Nodes []Node // 0 is where the function begins
	Start uint64 // what the sum is then

	Looks []*Look // that choices ask for, and ways without evidence
	From  []int   // by edge of the source: the block that it leaves

	Unseen [][]int // edges of the source of ways without evidence, if there are several
}

// A Node is a machine block, in one of the states that control can enter it in.
type Node struct {
	Block *machine.Block
	Exits []Exit // by edge of Block.Next(), or one where the function ends
}

// An Exit is what an edge of a machine block means.
type Exit struct {
	To   int     // node; -1 where the function ends, or panics before anything of the source is reached
	Ops  []Op    // in this order
	Also []*Also // what is executed besides
}

// An Op adds to the sum, and may end a path.
type Op struct {
	Add    uint64  // to the sum
	End    bool    // then the sum is the number of a path that ends
	Next   uint64  // what the sum is after that
	Choice *Choice // in place of all that: what looks have told decides
	Lost   bool    // in place of all that: control came by a way that is none of the source, and the path is not known

	From, To int // blocks, if it is lost

	Mask, Told uint64 // before the path ends: bits of conditions that are known anew, and what they are (Choice.Not)
}

// A Choice is between several ways through the source, which looks in the machine function tell apart (Target.Looks). A look
// tells which edge is taken from a block. The way that is chosen contradicts no look since the path began and since the last
// choice about the block. Nor is it a way before which something else was known of conditions.
type Choice struct {
	Ways [][]int   // edges of the source
	Ops  [][]Op    // what each way does, but what all do last, in paths that begin on them
	Also [][]*Also // and what it executes besides, but what all ways do
	Not  []uint64  // bits of conditions, none of which is known before the way
}

// Sure returns how many operations, from the first on, all ways have, up to the last of these that ends a path. So what they do
// is known whichever way was taken.
func (c *Choice) Sure() (n int) {
	for k := range c.Ops[0] {
		o := c.Ops[0][k]
		if slices.ContainsFunc(c.Ops, func(ops []Op) bool { return k >= len(ops) || ops[k] != o }) {
			return n
		}
		if o.End {
			n = k + 1
		}
	}
	return n
}

// Plan returns the plan of t. X says what is executed besides, or is nil. States that differ in nothing but what the sum is
// short of are one node. The shortfall of each is subtracted where it is entered. Mohri, Minimization algorithms for sequential
// transducers, 2000, does so: weights are pushed, then states with the same future joined.
func (t *Target) Plan(x *Executions) *Plan {
	if x == nil {
		x = new(Executions)
	}
	p := &planner{target: t, extra: x, index: make(map[state]int, t.states), states: make([]state, 0, t.states)}
	p.explore()
	p.shape()
	p.push()
	return p.join()
}

// A planner makes a plan.
type planner struct {
	target *Target
	extra  *Executions
	index  map[state]int
	states []state
	exits  [][]Exit // by state; To is a state
	class  []int    // by state: those in which the same happens
	short  []uint64 // by state: what the sum is ahead of, there
}

// explore finds all states, and what happens on their edges.
func (p *planner) explore() {
	t := p.target
	p.add(t.start())
	for k := 0; k < len(p.states); k++ {
		s := p.states[k]
		w := opWriter{target: t, extra: p.extra}
		after, alive := t.execute(s, w.step)
		b := t.M.Blocks[s.machine]
		var exits []Exit
		if !alive || len(b.Next()) == 0 {
			exits = append(exits, Exit{-1, w.ops, w.also})
		} else {
			for e, to := range b.Next() {
				x := Exit{-1, w.ops, w.also}
				if !t.doomed[to.Index] {
					x.To = p.add(t.follow(after, b, e))
				}
				exits = append(exits, x)
			}
		}
		p.exits = append(p.exits, exits)
	}
}

func (p *planner) add(s state) int {
	k, ok := p.index[s]
	if !ok {
		k = len(p.states)
		p.index[s], p.states = k, append(p.states, s)
	}
	return k
}

// An opWriter makes operations of steps.
type opWriter struct {
	target *Target
	extra  *Executions
	ops    []Op
	also   []*Also
}

func (w *opWriter) step(st step) (goOn bool) {
	if w.target.At != nil && st.from == w.target.exit {
		w.also = append(w.also, w.extra.Begin...)
	}
	switch len(st.ways) {
	case 0:
		w.ops = append(w.ops, Op{Lost: true, From: st.from, To: st.to})
	case 1:
		w.edges(st.ways[0])
	default:
		c := &Choice{Ways: st.ways}
		_, last := w.target.F.sure(st.ways)
		for _, way := range st.ways {
			of := opWriter{target: w.target, extra: w.extra}
			of.edges(way[:len(way)-last])
			c.Ops, c.Also = append(c.Ops, of.ops), append(c.Also, of.also)
			c.Not = append(c.Not, w.target.facts.excludes(way))
		}
		w.also = append(w.also, common(c.Also)...)
		w.ops = append(w.ops, Op{Choice: c})
		w.edges(st.ways[0][len(st.ways[0])-last:])
	}
	return true
}

// edges adds what edges of the source do, joined where no path ends between.
func (w *opWriter) edges(list []int) {
	f := w.target.F
	n := f.Numbering
	for _, e := range list {
		last := len(w.ops) - 1
		if last < 0 || w.ops[last].End || w.ops[last].Lost || w.ops[last].Choice != nil {
			w.ops = append(w.ops, Op{})
			last++
		}
		w.also = append(append(w.also, w.extra.Blocks[f.edges[e].from]...), w.extra.Edges[e]...)
		op := &w.ops[last]
		op.Add += n.Values.Edge[e]
		mask, told := w.target.facts.tells(e)
		op.Mask, op.Told = op.Mask|mask, op.Told&^mask|told
		if to := f.edges[e].to; n.Cut[e] || to == w.target.exit {
			op.End, op.Mask, op.Told = true, 0, 0
			if n.Cut[e] {
				for _, s := range n.Values.Starts {
					if s.Block == to {
						op.Next = s.Val
					}
				}
			}
		}
	}
}

// shape finds the states in which the same happens, whatever is added.
func (p *planner) shape() {
	p.refine(func(k int) string {
		var b strings.Builder
		fmt.Fprint(&b, p.states[k].machine)
		for _, x := range p.exits[k] {
			for _, o := range x.Ops {
				if !o.onlyAdds() {
					fmt.Fprint(&b, " ", o.End, o.Lost, o.From, o.To, o.Mask, o.Told, o.ways())
				}
			}
			fmt.Fprint(&b, x.Also)
			b.WriteByte(';')
		}
		return b.String()
	})
}

// onlyAdds reports whether nothing but the sum changes.
func (o *Op) onlyAdds() bool { return !o.End && !o.Lost && o.Choice == nil && o.Mask == 0 }

// ways returns the ways that a choice is between.
func (o *Op) ways() [][]int {
	if o.Choice == nil {
		return nil
	}
	return o.Choice.Ways
}

// refine divides states by what is said of each, and then by where their edges lead, until nothing changes (Moore).
func (p *planner) refine(key func(k int) string) {
	said := make(map[string]int)
	p.class = make([]int, len(p.states))
	for k := range p.states {
		p.class[k] = numbered(said, key(k))
	}
	class := make([]int, len(p.states))
	var to []byte
	for n := len(said); ; {
		next := make(map[string]int, n)
		for k, exits := range p.exits {
			to = binary.AppendUvarint(to[:0], uint64(p.class[k]))
			for _, x := range exits {
				if x.To < 0 {
					to = append(to, 0)
				} else {
					to = binary.AppendUvarint(to, uint64(p.class[x.To])+1)
				}
			}
			class[k] = numberedBytes(next, to)
		}
		p.class, class = class, p.class
		if len(next) == n {
			return
		}
		n = len(next)
	}
}

// numberedBytes is numbered for a key that is a string only if it is new.
func numberedBytes(in map[string]int, key []byte) int {
	k, ok := in[string(key)]
	if !ok {
		k = len(in)
		in[string(key)] = k
	}
	return k
}

func numbered(in map[string]int, key string) int {
	k, ok := in[key]
	if !ok {
		k = len(in)
		in[key] = k
	}
	return k
}

// push has all that is added on the shortest way to the end of a path be added before the state. Then states of one shape, with
// the same future, add the same.
func (p *planner) push() {
	ends := func(x *Exit) bool {
		return slices.ContainsFunc(x.Ops, func(o Op) bool { return !o.onlyAdds() })
	}
	const far = 1 << 30
	distance := make([]int, len(p.states))
	by := make([]int, len(p.states)) // the exit on the shortest way
	for k := range distance {
		distance[k], by[k] = far, -1
	}
	for changed := true; changed; {
		changed = false
		for k, exits := range p.exits {
			for e := range exits {
				x := &exits[e]
				d := far
				switch {
				case ends(x):
					d = 0
				case x.To >= 0:
					d = distance[x.To] + 1
				case p.target.M.Blocks[p.states[k].machine].Ret:
					d = 0
				}
				if d < distance[k] {
					distance[k], by[k], changed = d, e, true
				}
			}
		}
	}
	p.short = make([]uint64, len(p.states))
	done := make([]bool, len(p.states))
	var find func(k int) uint64
	find = func(k int) uint64 {
		if done[k] || by[k] < 0 {
			return p.short[k]
		}
		done[k] = true
		x := &p.exits[k][by[k]]
		sum := uint64(0)
		if len(x.Ops) > 0 {
			sum = x.Ops[0].Add
		}
		if !ends(x) && x.To >= 0 {
			sum += find(x.To)
		}
		p.short[k] = sum
		return sum
	}
	for k := range p.states {
		find(k)
	}
	for k := range p.exits {
		for e := range p.exits[k] {
			p.exits[k][e].Ops = p.pushed(k, &p.exits[k][e])
		}
	}
}

// pushed returns the operations of an edge of a state, given what the sum is ahead of on both ends.
func (p *planner) pushed(k int, x *Exit) []Op {
	ops := append([]Op{{Add: -p.short[k]}}, x.Ops...)
	if x.To >= 0 {
		ops = append(ops, Op{Add: p.short[x.To]})
	}
	var kept []Op
	for _, o := range ops {
		last := len(kept) - 1
		switch {
		case last >= 0 && kept[last].End && o.onlyAdds():
			kept[last].Next += o.Add
		case last >= 0 && kept[last].Mask != 0 && o.onlyAdds():
			kept[last].Add += o.Add
		case last >= 0 && kept[last].onlyAdds() && o.Choice == nil && !o.Lost:
			o.Add += kept[last].Add
			kept[last] = o
		default:
			kept = append(kept, o)
		}
	}
	return slices.DeleteFunc(kept, func(o Op) bool { return o.onlyAdds() && o.Add == 0 })
}

// join makes the plan of states, those with the same future as one.
func (p *planner) join() *Plan {
	shape := p.class
	p.refine(func(k int) string {
		var b strings.Builder
		fmt.Fprint(&b, shape[k])
		for _, x := range p.exits[k] {
			for _, o := range x.Ops {
				fmt.Fprint(&b, " ", o.Add, o.Next, o.onlyAdds())
			}
			b.WriteByte(';')
		}
		return b.String()
	})
	plan := &Plan{Start: p.short[0], Looks: p.target.Looks}
	if t := p.target; len(t.Unseen) > 1 {
		plan.Unseen = t.Unseen
		for _, b := range t.M.Blocks {
			for _, i := range b.Insts {
				plan.Looks = append(plan.Looks[:len(plan.Looks):len(plan.Looks)], t.UnseenLooks[i]...)
			}
		}
	}
	for _, e := range p.target.F.edges {
		plan.From = append(plan.From, e.from)
	}
	node := make(map[int]int)
	for k, c := range p.class {
		if _, ok := node[c]; !ok {
			node[c] = len(plan.Nodes)
			plan.Nodes = append(plan.Nodes, Node{Block: p.target.M.Blocks[p.states[k].machine], Exits: p.exits[k]})
		}
	}
	for n := range plan.Nodes {
		exits := append([]Exit(nil), plan.Nodes[n].Exits...)
		for e := range exits {
			if exits[e].To >= 0 {
				exits[e].To = node[p.class[exits[e].To]]
			}
		}
		plan.Nodes[n].Exits = exits
	}
	return plan
}
