package ssacfg

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Graph is the control-flow graph of one function. Block 0 is the entry; the
// last block is the exit, which has no source.
type Graph struct {
	Blocks []*Block
	Edges  []*Edge
	Merged int // edges merged into others because no place tells them apart

	exit         *Block
	conditions   *conditions
	keepRegister bool // see Input.Abandoned
	even         bool // see Input.Even
}

// Block is a basic block.
type Block struct {
	From, To token.Pos     // its source, if it has any
	Places   []*mark.Place // in the order of execution

	// Control may not get to the end of the block: a call may panic, or never return. Risks are where that may happen
	// between each place and the next, RiskFirst where it may happen before the first.
	Risks     []Risk
	RiskFirst Risk

	// Exprs are the expressions that are evaluated in the block, Points the positions of what else is done in it; both if
	// Input.Evaluated.
	Exprs  []ast.Expr
	Points []token.Pos

	ends   table.EdgeKind // Return or CallPanic if control leaves the function at its end,
	endPos token.Pos      // which is there in the source, if it is a statement
	trace  trace
	index  int
	out    []*Edge
	in     []*Edge
}

// Edge is an edge between two blocks.
type Edge struct {
	From, To *Block
	Kind     table.EdgeKind
	Pos      token.Pos   // of the condition that decides, or NoPos
	Place    *mark.Place // where code on the edge goes; nil if it can go nowhere
	Weight   float64     // expected executions per call of the function

	// Test is the condition that decides, and True what it is on the edge; nil if it is none, or not known. Both if
	// Input.Evaluated. Also are those of edges that were merged into it.
	Test *Test
	True bool
	Also []*Test

	own   *mark.Place // a place on the edge itself
	trace trace       // after that of From
}

// Exit returns the exit block.
func (g *Graph) Exit() *Block { return g.Blocks[len(g.Blocks)-1] }

// Plain returns the graph as package pathnum takes it, with equal indices.
func (g *Graph) Plain() *pathnum.Graph {
	p := &pathnum.Graph{
		Blocks: len(g.Blocks),
		Exit:   len(g.Blocks) - 1,
		Pinned: make([]bool, len(g.Blocks)),
	}
	for i, b := range g.Blocks {
		p.KeepRegister = p.KeepRegister || g.keepRegister && b.Pinned()
		// What a block without a place does before it returns comes after the count in any case.
		p.Pinned[i] = b.Pinned() && !(b.ends != "" && len(b.Places) == 0)
	}
	for _, e := range g.Edges {
		p.Edges = append(p.Edges, pathnum.Edge{From: e.From.index, To: e.To.index, Weight: e.Weight * e.cost(), Fixed: e.Place == nil})
	}
	return p
}

// exprCost is how much dearer code in an expression is than a statement. Code that stays in an expression takes the address of
// the path register, which then lives in memory. Two other costs were tried: 1.01 in place of 4 for code that can be lowered,
// and 100 for code that cannot. Neither makes a difference in instructions that is larger than the noise (0.5%).
const exprCost = 4

func (e *Edge) cost() float64 {
	if e.Place != nil && !isStmt(e.Place) {
		return exprCost
	}
	return 1
}

// Pinned reports whether control may leave the block otherwise than by an edge.
func (b *Block) Pinned() bool {
	return len(b.RiskFirst) > 0 || slices.ContainsFunc(b.Risks, func(r Risk) bool { return len(r) > 0 })
}

// risk notes that something that comes last in b so far may not return.
func (b *Block) risk(r Risk) { *b.lastRisk() = b.lastRisk().Join(r) }

// lastRisk returns the risk that what comes last in b so far belongs to.
func (b *Block) lastRisk() *Risk {
	if n := len(b.Risks); n > 0 {
		return &b.Risks[n-1]
	}
	return &b.RiskFirst
}

// In returns the edges into b.
func (b *Block) In() []*Edge { return b.in }

// Out returns the edges out of b.
func (b *Block) Out() []*Edge { return b.out }

// Index returns b's position in Graph.Blocks.
func (b *Block) Index() int { return b.index }

// First returns a place in b that control passes however it came to b; nil if there is none.
func (b *Block) First() *mark.Place { return b.first() }

// first returns the place in b where code on an only edge into it goes.
func (b *Block) first() *mark.Place {
	for _, p := range b.Places {
		if isStmt(p) {
			return p
		}
	}
	if len(b.Places) > 0 {
		return b.Places[0]
	}
	return nil
}

// last returns the place in b where code on an only edge out of it goes.
func (b *Block) last() *mark.Place {
	for i := len(b.Places) - 1; i >= 0; i-- {
		if isStmt(b.Places[i]) {
			return b.Places[i]
		}
	}
	if n := len(b.Places); n > 0 {
		return b.Places[n-1]
	}
	return nil
}

// isStmt reports whether p takes statements; in a block that has such a place,
// the dearer ones in expressions are not needed.
func isStmt(p *mark.Place) bool { return !p.Kind.InExpression() }

// settleRisks makes sure that wherever an activation can be abandoned there is a place before
// at which that position can be noted. What may happen before the first place of a block belongs
// to its edges. Where an edge into the block has no place outside it, the risk belongs to the
// end of the edge's source.
func (g *Graph) settleRisks() {
	work := slices.Clone(g.Blocks)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if len(b.RiskFirst) == 0 {
			continue
		}
		for _, e := range b.in {
			if e.Place != nil && !slices.Contains(b.Places, e.Place) {
				continue
			}
			before := len(e.From.RiskFirst)
			e.From.risk(b.RiskFirst)
			if len(e.From.RiskFirst) > before {
				work = append(work, e.From)
			}
		}
	}
}

// connect makes the edge from→to at the end of from's edges.
func connect(from, to *Block, kind table.EdgeKind, pos token.Pos) *Edge {
	e := &Edge{From: from, To: to, Kind: kind, Pos: pos}
	from.out = append(from.out, e)
	to.in = append(to.in, e)
	return e
}

// retarget makes e lead to the block to.
func (e *Edge) retarget(to *Block) {
	e.To.in = without(e.To.in, e)
	e.To = to
	to.in = append(to.in, e)
}

// remove takes e out of the graph.
func (e *Edge) remove() {
	e.From.out = without(e.From.out, e)
	e.To.in = without(e.To.in, e)
}

func without(list []*Edge, e *Edge) []*Edge {
	for i, x := range list {
		if x == e {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	panic("BUG: edge is not in its block's list")
}

// place numbers blocks and edges in depth-first order from the entry, adds the
// exit, drops what cannot be reached and gives every edge its place.
func (g *Graph) place(entry *Block) {
	if g.exit == nil {
		g.exit = new(Block)
	}
	exit := g.exit
	var order []*Block
	seen := map[*Block]bool{entry: true, exit: true}
	work := []*Block{entry}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		order = append(order, b)
		if b.ends != "" && len(b.out) == 0 {
			connect(b, exit, b.ends, b.endPos)
		}
		for i := len(b.out) - 1; i >= 0; i-- {
			if to := b.out[i].To; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	g.Blocks = append(order, exit)
	g.Edges = nil
	for i, b := range g.Blocks {
		b.index = i
		g.Edges = append(g.Edges, b.out...)
	}
	for _, b := range g.Blocks {
		kept := b.in[:0]
		for _, e := range b.in {
			if seen[e.From] {
				kept = append(kept, e)
			}
		}
		b.in = kept
	}
	for _, e := range g.Edges {
		e.Place = e.place(entry, exit)
	}
}

func (e *Edge) place(entry, exit *Block) *mark.Place {
	switch {
	case e.own != nil:
		return e.own
	case len(e.To.in) == 1 && e.To != entry && e.To != exit && e.To.first() != nil:
		return e.To.first()
	case len(e.From.out) == 1:
		return e.From.last()
	}
	return nil
}
