package ssacfg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// number numbers the function's paths, splitting blocks where the edges
// alone do not have places enough to tell all paths apart.
func (fn *Func) number() {
	g := fn.Graph
	for {
		if g.keepRegister {
			g.settleRisks()
		}
		n, err := pathnum.New(g.Plain(), 0)
		var inseparable *pathnum.InseparableError
		if errors.As(err, &inseparable) &&
			(g.split(inseparable.Edges) || g.dissolve(inseparable.Edges) || g.forget(inseparable.Edges)) {
			continue
		}
		if err != nil {
			fn.Declined = fmt.Sprintf("paths cannot be numbered: %v", err)
			return
		}
		if n.Values.NumPaths > pathnum.MaxArray && g.joinValues() {
			continue
		}
		fn.Numbering = n
		for i, cut := range n.Cut {
			if cut && g.Edges[i].Kind == table.Jump {
				g.Edges[i].Kind = table.LoopBack
			}
		}
		return
	}
}

// Reweigh numbers the paths again, by how often each edge was taken in an earlier run. The
// graph, and with it what the edges are, stays as it is.
func (fn *Func) Reweigh(counts []int64) {
	static := make([]float64, len(counts))
	for i, e := range fn.Graph.Edges {
		static[i] = e.Weight
		// Of what was never taken, the likelier is still the better place for no code.
		e.Weight = float64(counts[i]) + e.Weight*never
	}
	n, err := pathnum.New(fn.Graph.Plain(), 0)
	if err == nil && slices.Equal(n.Cut, fn.Numbering.Cut) {
		fn.Numbering = n
		return
	}
	for i, e := range fn.Graph.Edges {
		e.Weight = static[i]
	}
}

// never scales the estimates of edges down to less than one execution.
const never = 1e-12

// joinValues gives up the places that tell the values of one clause apart. It is
// for functions that have too many paths as it is.
func (g *Graph) joinValues() (changed bool) {
	isValue := func(p *mark.Place) bool { return p.Kind == mark.Value }
	for _, e := range g.Edges {
		if e.own != nil && isValue(e.own) {
			e.own, changed = nil, true
		}
	}
	for _, b := range g.Blocks {
		if len(b.Places) == 1 && isValue(b.Places[0]) && len(b.out) == 1 {
			changed = true
			out := b.out[0]
			out.remove()
			for len(b.in) > 0 {
				b.in[0].trace = b.in[0].trace.then(b.trace, out.trace)
				b.in[0].retarget(out.To)
			}
		}
	}
	if changed {
		for _, b := range g.Blocks {
			g.mergeParallel(b)
		}
		g.place(g.Blocks[0])
		g.weigh()
	}
	return changed
}

// split splits a block with a place at an end of one of the edges, none of which
// has a place. One half is the block that control arrives at, the other the block
// that it leaves from. An edge between the two has the place. The operand c of (a
// || b) && c is such a block: two edges lead to it and two leave it.
func (g *Graph) split(edges []int) bool {
	for _, i := range edges {
		for _, b := range []*Block{g.Edges[i].From, g.Edges[i].To} {
			if len(b.in) > 1 && len(b.out) > 1 && len(b.Places) > 0 {
				b.split()
				g.place(g.Blocks[0])
				g.weigh()
				return true
			}
		}
	}
	return false
}

func (b *Block) split() {
	rest := &Block{From: b.From, To: b.To, Places: b.Places, Risks: b.Risks, trace: b.trace}
	rest.out = b.out
	rest.Exprs, rest.Points = b.Exprs, b.Points
	b.Exprs, b.Points = nil, nil
	for _, e := range rest.out {
		e.From = rest
	}
	own := b.first()
	b.out, b.Places, b.Risks, b.From, b.To, b.trace = nil, nil, nil, 0, 0, nil
	connect(b, rest, table.Jump, 0).own = own
}

// dissolve removes a block without a place at an end of one of the edges. Each of the
// block's predecessors gets edges of its own to the block's successors. Edges that a
// predecessor had before cannot be told from the new ones, and are merged with them.
func (g *Graph) dissolve(edges []int) bool {
	_, back := g.depthFirst()
	for _, i := range edges {
		for _, b := range []*Block{g.Edges[i].From, g.Edges[i].To} {
			if len(b.Places) == 0 && b != g.Blocks[0] && b != g.exit && b.ends == "" && !touches(back, b) {
				g.dissolveBlock(b)
				g.place(g.Blocks[0])
				g.weigh()
				return true
			}
		}
	}
	return false
}

// touches reports whether a back edge leads to b, or an edge with a place that would be lost.
func touches(back map[*Edge]bool, b *Block) bool {
	return slices.ContainsFunc(b.in, func(e *Edge) bool { return back[e] || e.own != nil })
}

func (g *Graph) dissolveBlock(b *Block) {
	for _, e := range b.out {
		if e.own != nil { // the place has to serve several edges: make it a block
			place := &Block{Places: []*mark.Place{e.own}, Risks: make([]Risk, 1)}
			connect(place, e.To, table.Jump, 0)
			e.own = nil
			e.retarget(place)
		}
	}
	for len(b.in) > 0 {
		in := b.in[0]
		from, at := in.From, slices.Index(in.From.out, in)
		in.remove()
		behind := slices.Clone(from.out[at:])
		from.out = from.out[:at]
		for _, e := range b.out {
			connect(from, e.To, e.Kind, e.Pos).trace = in.trace.then(b.trace, e.trace)
		}
		from.out = append(from.out, behind...)
		from.risk(b.RiskFirst)
		g.mergeParallel(from)
		// What is left of the edges behind in is taken without a test of b.
		rank := func(e *Edge) int {
			if slices.Contains(behind, e) {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(from.out[at:], func(x, y *Edge) int { return rank(x) - rank(y) })
	}
	for len(b.out) > 0 {
		b.out[0].remove()
	}
}

// forget gives up the place before an operand at an end of one of the edges, even if the operand's block has been split there.
// The operand becomes part of the branch that leads to it: which of the two decided is then not told apart.
func (g *Graph) forget(edges []int) bool {
	for _, i := range edges {
		for _, b := range []*Block{g.Edges[i].From, g.Edges[i].To} {
			if b == g.Blocks[0] || len(b.in) != 1 || b.ends != "" ||
				len(b.Places) == 0 || slices.ContainsFunc(b.Places, isStmt) {
				continue
			}
			in := b.in[0]
			if in.own != nil && !slices.Contains(b.Places, in.own) { // not where b was split
				continue
			}
			in.own = nil
			for _, r := range b.Risks {
				b.RiskFirst = b.RiskFirst.Join(r)
			}
			b.Places, b.Risks = nil, nil
			g.joinPred(b, g.Blocks[0])
			g.place(g.Blocks[0])
			g.weigh()
			return true
		}
	}
	return false
}
