package rewrite

import (
	"go/ast"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// counted does without a frame where lines and counters of few edges tell what abandoned activations had executed
// (see package partial). The lines are those at which activations are abandoned. counted reports whether they tell
// it.
func (f *framer) counted() bool {
	if f.scope == nil || f.fn.RangesFunc || f.without.has(Counted) || f.without.has(Lines) {
		return false
	}
	notes := slices.DeleteFunc(slices.Clone(f.notes), func(n *note) bool { return f.at[n.place] != nil && f.at[n.place].end })
	lines := f.linesOf(notes)
	if len(notes) == 0 || lines == nil {
		return false
	}
	positions := positionsOf(notes, lines)
	others, ok := f.others(lines)
	if !ok {
		return false
	}
	c := &table.Counted{Others: others}
	edges, ok := f.edgeCounters(positions, c)
	if !ok {
		return false
	}

	f.fn.DropRegister()
	f.at = f.placeOps(f.fn)
	f.plan.positions, f.plan.counted = positions, c
	c.Edges, c.First, c.Hash = edges, f.counters, f.newHash()
	f.planner.positions[c.Hash] = positionHash{scope: f.scope, byLine: true, counted: true}
	for i, e := range edges {
		at := f.fn.Opened
		if e >= 0 {
			at = f.fn.Graph.Edges[e].Place
		}
		code := codeAt(f.at, at)
		code.edges = append(code.edges, c.First+uint64(i))
	}
	f.counters += uint64(len(edges))
	return true
}

// positionsOf returns the positions of notes, with their lines.
func positionsOf(notes []*note, lines *positionLines) (positions []table.Position) {
	for _, n := range notes {
		i := slices.IndexFunc(positions, func(p table.Position) bool { return p.Block == n.block && p.Reached == n.reached })
		if i < 0 {
			i = len(positions)
			positions = append(positions, table.Position{Hash: -1, Block: n.block, Reached: n.reached})
		}
		for _, l := range lines.of(n) {
			if !slices.Contains(positions[i].Lines, l) {
				positions[i].Lines = append(positions[i].Lines, l)
			}
		}
	}
	return positions
}

// dearest is what counters of edges may cost, in executions per call, on top of one for each path that ends in a loop. A frame
// costs its initialisation, At and End, and for each path that the register has to be loaded. With no counters at all the std
// benchmarks take 1.161 of the plain instructions, with these 1.151. Without the condition they take 1.157, because of
// counters in inner loops of package sort.
const dearest = 4

// dearExpr is how much dearer a counter in an expression is than a statement, as a condition of an inner loop for example.
const dearExpr = 4

// edgeCounters returns the edges that need counters, of which -1 is the entry. It reports false if some cannot have one,
// or a frame is cheaper.
func (f *framer) edgeCounters(positions []table.Position, c *table.Counted) (edges []int, ok bool) {
	t := &table.Function{Blocks: make([]table.Block, len(f.fn.Graph.Blocks)), Positions: positions, Counted: c}
	limit := float64(dearest)
	for i, e := range f.fn.Graph.Edges {
		if f.fn.Numbering.Cut[i] {
			limit += e.Weight
		}
		t.Edges = append(t.Edges, table.Edge{From: e.From.Index(), To: e.To.Index(), Back: f.fn.Numbering.Cut[i]})
	}
	g := t.Partial()
	g.Edges[g.Entry].Weight = 1
	for i, e := range f.fn.Graph.Edges {
		if k := g.Edge[i]; k >= 0 {
			g.Edges[k].Weight, g.Edges[k].Fixed = costAt(e), !countable(e)
		}
	}
	counters, ok := g.Counters()
	if !ok {
		return nil, false
	}
	cost := 0.0
	for _, k := range counters {
		cost += g.Edges[k].Weight
		edges = append(edges, slices.Index(g.Edge, k)) // -1 for the entry
	}
	return edges, cost <= limit
}

// costAt is what a counter of e costs.
func costAt(e *ssacfg.Edge) float64 {
	if e.Place != nil {
		switch e.Place.Kind {
		case mark.Expr, mark.Cond, mark.True, mark.False:
			return dearExpr * e.Weight
		}
	}
	return e.Weight
}

// countable reports whether a counter at the place of e counts just those of the noted activations, wherever they are abandoned,
// that are beyond e.
func countable(e *ssacfg.Edge) bool {
	fails := func(risks []ssacfg.Risk) bool {
		return slices.ContainsFunc(risks, func(r ssacfg.Risk) bool { return len(r) > 0 })
	}
	index := func(b *ssacfg.Block) int { return slices.Index(b.Places, e.Place) }
	switch {
	case e.Place == nil:
		return false
	case entersBy(e):
		return !fails(e.To.Risks[:index(e.To)])
	case index(e.From) >= 0:
		after := e.From.Risks[index(e.From):]
		return !fails(after) || !fails(after[1:]) && len(e.To.RiskFirst) > 0
	}
	return true // its own
}

// others returns the lines at which an activation may be that has not begun or that has ended its last path. It returns false if
// they are not known.
func (f *framer) others(positions *positionLines) (list []table.Lines, ok bool) {
	finished := f.finished()
	if slices.ContainsFunc(finished, func(s ssacfg.Source) bool { return !s.From.IsValid() || moved(f.fset, s.From) }) {
		return nil, false
	}
	list = append(positions.of(&note{risk: finished}), table.Lines{First: f.scope.from, Last: f.scope.open})
	return append(list, f.deferred()...), true
}

// finished returns what can fail when the last path has ended.
func (f *framer) finished() (finished ssacfg.Risk) {
	for _, b := range f.fn.Graph.Blocks {
		ended := false
		for i, p := range b.Places {
			if c := f.at[p]; c != nil && (c.end || c.pause) {
				ended = true
			}
			if ended {
				finished = finished.Join(b.Risks[i])
			}
		}
	}
	n := f.fn.Numbering
	for i, e := range f.fn.Graph.Edges {
		if n.Ops[i].Count != pathnum.NoCount && !n.Cut[i] {
			finished = finished.Join(f.afterCount(e))
		}
	}
	return finished
}

// afterCount returns what can fail behind a path's end that is counted on e.
func (f *framer) afterCount(e *ssacfg.Edge) (risk ssacfg.Risk) {
	for e.To != f.fn.Graph.Exit() {
		risk = risk.Join(e.To.RiskFirst)
		for _, r := range e.To.Risks {
			risk = risk.Join(r)
		}
		e = e.To.Out()[0] // there is no branch behind a count
		if f.fn.Numbering.Cut[slices.Index(f.fn.Graph.Edges, e)] {
			break
		}
	}
	return risk
}

// deferred returns the lines from which deferred functions may be called when the function returns.
func (f *framer) deferred() []table.Lines {
	var list []table.Lines
	defers := false
	ast.Inspect(f.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			defers = true
			list = append(list, f.linesBetween(n)) // where the compiler knows which function it is
		case *ast.ReturnStmt:
			list = append(list, f.linesBetween(n))
		}
		return true
	})
	if !defers {
		return nil
	}
	return append(list, table.Lines{First: f.scope.end, Last: f.scope.end})
}

func (f *framer) linesBetween(n ast.Node) table.Lines {
	return table.Lines{First: f.fset.PositionFor(n.Pos(), false).Line, Last: f.fset.PositionFor(n.End(), false).Line}
}
