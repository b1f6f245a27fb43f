package ssacfg

import (
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// simplify turns the graph of SSA blocks into one whose blocks and edges mean
// something in the source. Edges of the result can be told apart by the
// places on them. Blocks come in the order of go/ssa, the entry first.
func (g *Graph) simplify(blocks []*Block) {
	entry := blocks[0]
	prune(entry, blocks)
	for _, b := range blocks {
		for b.fuse(entry) {
		}
	}
	for _, b := range blocks {
		b.becomeEdge(entry)
	}
	for _, b := range blocks {
		g.joinPred(b, entry)
	}
	for _, b := range blocks {
		g.passThrough(b, entry)
	}
	for _, b := range blocks {
		b.nameEdges()
		b.locateHeader()
	}
}

// prune removes the edges out of blocks that cannot be reached.
func prune(entry *Block, blocks []*Block) {
	seen := map[*Block]bool{entry: true}
	work := []*Block{entry}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range b.out {
			if !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	for _, b := range blocks {
		for !seen[b] && len(b.out) > 0 {
			b.out[0].remove()
		}
	}
}

// fuse appends b's only successor to b if b is its only predecessor.
func (b *Block) fuse(entry *Block) bool {
	if len(b.out) != 1 {
		return false
	}
	next := b.out[0].To
	if next == b || next == entry || len(next.in) != 1 {
		return false
	}
	b.trace = b.trace.then(b.out[0].trace, next.trace)
	b.out[0].remove()
	b.takeOver(next)
	for len(next.out) > 0 {
		e := next.out[0]
		next.out = next.out[1:]
		e.From = b
		b.out = append(b.out, e)
	}
	b.ends, b.endPos = next.ends, next.endPos
	next.ends = ""
	return true
}

// takeOver makes the contents of next part of b.
func (b *Block) takeOver(next *Block) {
	b.Exprs = append(b.Exprs, next.Exprs...)
	b.Points = append(b.Points, next.Points...)
	b.risk(next.RiskFirst)
	b.Places = append(b.Places, next.Places...)
	b.Risks = append(b.Risks, next.Risks...)
	b.extend(next.From, next.To)
	next.Places, next.Risks, next.RiskFirst = nil, nil, nil
}

// becomeEdge replaces a block that is nothing but a place by an edge that has the place. The missing else of an if statement is
// such a block.
func (b *Block) becomeEdge(entry *Block) {
	if b == entry || len(b.in) != 1 || len(b.out) != 1 || b.ends != "" || b.Pinned() || b.From.IsValid() || len(b.Places) == 0 {
		return
	}
	in, out := b.in[0], b.out[0]
	if out.To == b || in.From == b || in.own != nil || out.own != nil {
		return
	}
	in.own = b.first()
	in.trace = in.trace.then(b.trace, out.trace)
	to := out.To
	out.remove()
	in.retarget(to)
}

// joinPred makes a block without a place part of its only predecessor, which
// then branches more ways. That is how the tests of a switch or select,
// between which nothing can be inserted, become one branch with an edge for each clause.
// Two tests of one clause give it two edges that nothing tells apart; they are merged.
func (g *Graph) joinPred(b, entry *Block) {
	if b == entry || len(b.in) != 1 || len(b.Places) > 0 || b.ends != "" || len(b.out) == 0 {
		return
	}
	in := b.in[0]
	pred := in.From
	if pred == b || in.own != nil {
		return
	}
	at := 0
	for pred.out[at] != in {
		at++
	}
	b.in = nil
	var edges []*Edge
	for _, e := range b.out {
		e.From = pred
		e.trace = in.trace.then(b.trace, e.trace)
		edges = append(edges, e)
	}
	b.out = nil
	pred.out = append(pred.out[:at:at], append(edges, pred.out[at+1:]...)...)
	pred.takeOver(b)
	g.mergeParallel(pred)
}

// mergeParallel merges edges from b to the same block if none has a place of its own.
func (g *Graph) mergeParallel(b *Block) {
	first := make(map[*Block]*Edge)
	for _, e := range append([]*Edge(nil), b.out...) {
		if e.own != nil {
			continue
		}
		if first[e.To] == nil {
			first[e.To] = e
			continue
		}
		first[e.To].alsoTests(e)
		first[e.To].trace = first[e.To].trace.or(e.trace)
		e.remove()
		g.Merged++
	}
}

// passThrough removes a block without a place that one edge leaves, such as the post
// statement of a for loop. Each of the edges that led to the block then leads on to
// its target. What such a block does is counted by the edges.
func (g *Graph) passThrough(b, entry *Block) {
	if b == entry || len(b.out) != 1 || len(b.in) == 0 || len(b.Places) > 0 || b.ends != "" {
		return
	}
	out := b.out[0]
	to := out.To
	if to == b || out.own != nil {
		return
	}
	for _, in := range b.in {
		if in.own != nil {
			continue
		}
		for _, e := range in.From.out {
			if e != in && e.To == to && e.own == nil {
				return // the two could not be told apart any more
			}
		}
	}
	out.remove()
	to.RiskFirst = to.RiskFirst.Join(b.RiskFirst)
	for len(b.in) > 0 {
		b.in[0].trace = b.in[0].trace.then(b.trace, out.trace)
		b.in[0].retarget(to)
	}
}

// nameEdges gives edges out of a switch or select their kinds.
func (b *Block) nameEdges() {
	if len(b.out) == 1 {
		b.out[0].Kind = table.Jump
		return
	}
	for _, e := range b.out {
		p := e.own
		if p == nil {
			p = e.To.first()
		}
		if p == nil {
			continue
		}
		switch p.Role {
		case mark.CaseBody:
			e.Kind = table.SwitchCase
		case mark.DefaultBody:
			e.Kind = table.SwitchDefault
		case mark.CommBody:
			e.Kind = table.SelectCase
		}
	}
}

// locateHeader gives the header of a range statement its source, the range clause.
func (b *Block) locateHeader() {
	if b.From.IsValid() || len(b.out) < 2 {
		return
	}
	for _, e := range b.out {
		if p := e.To.first(); p != nil && p.Header != nil {
			b.extend(p.Header.Range, p.Header.X.End())
		}
	}
}
