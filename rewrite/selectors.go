package rewrite

import (
	"fmt"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Kinds are which events are counted besides paths, and where: the functions whose names, with their import paths, match one of some patterns, in
// which "..." stands for anything. No pattern means everywhere.
type Kinds struct {
	ssacfg.Kinds
	In []string
}

// On reports whether events are counted at all.
func (k *Kinds) On() bool { return k.Kinds != ssacfg.Kinds{} }

// of returns the kinds for a function.
func (k *Kinds) of(function string) ssacfg.Kinds {
	if len(k.In) > 0 && !slices.ContainsFunc(k.In, func(pattern string) bool { return matchName(pattern, function) }) {
		return ssacfg.Kinds{}
	}
	return k.Kinds
}

// matchName reports whether a name, or the import path that it begins with, is one of a pattern's.
func matchName(pattern, name string) bool {
	parts := strings.Split(pattern, "...")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	last := parts[len(parts)-1]
	return rest == "" || len(parts) > 1 && (last == "" || strings.HasSuffix(rest, last)) || rest[0] == '.'
}

// A selector is one of a function with what tells the runtime about it.
type selector struct {
	*ssacfg.Selector        // nil for those of loops
	number           int    // of it in the package
	index            int    // in the function's table
	variable         string // of a loop: counts how often control comes back to the header
}

// A trip is what is done with the variable of a loop at a place.
type trip struct {
	*selector
	leaves bool // control leaves the loop; otherwise it comes back to the header
}

// selectors plans those of a function, as far as its code can be where they need it.
func (pl *planner) planSelectors(p *plan) {
	nosplit := isNosplit(p.fn)
	for _, s := range p.fn.Selectors {
		at := pl.fset.PositionFor(s.Pos, false)
		t := table.Selector{Kind: s.Kind, Hash: -1, Line: at.Line, Col: at.Column, Offset: pl.fset.Position(s.Pos).Line - pl.fset.Position(p.fn.Node.Pos()).Line, Text: s.Text, Declined: s.Declined}
		if nosplit && t.Declined == "" {
			t.Declined = "the function is marked go:nosplit, and events take calls"
		}
		index := 0
		if s.Method > 0 {
			index = s.Method
		}
		pl.addSelector(p, t, &selector{Selector: s}, index)
	}
	if p.fn.Trips && !nosplit {
		pl.planTrips(p)
	}
}

// addSelector gives a selector its number and its hash table, unless it is declined.
func (pl *planner) addSelector(p *plan, t table.Selector, s *selector, index int) {
	if t.Declined == "" {
		t.Hash = pl.newHash()
		s.number, s.index = len(pl.selectors), len(p.selectors)
		pl.selectors = append(pl.selectors, selected{t.Hash, index})
		p.live = append(p.live, s)
	}
	p.selectors = append(p.selectors, t)
}

// selected is a selector of the package: its hash table, and the index of a method.
type selected struct{ hash, index int }

// planTrips plans events of loops: each has a variable, to which edges back to the header add one, and which the edges out of the loop make an event of.
func (pl *planner) planTrips(p *plan) {
	g := p.fn.Graph
	for i, header := range g.Blocks {
		within := loopOf(p.fn, header)
		if within == nil {
			continue
		}
		t := table.Selector{Kind: table.Trips, Hash: -1, Header: i}
		if header.From.IsValid() {
			at := pl.fset.PositionFor(header.From, false)
			t.Line, t.Col, t.Offset = at.Line, at.Column, pl.fset.Position(header.From).Line-pl.fset.Position(p.fn.Node.Pos()).Line
		} else if len(header.Out()) > 0 && header.Out()[0].To.From.IsValid() {
			at := pl.fset.PositionFor(header.Out()[0].To.From, false)
			t.Line, t.Col, t.Offset = at.Line, at.Column, at.Line-pl.fset.Position(p.fn.Node.Pos()).Line
		}
		t.Text = fmt.Sprintf("loop at line %d", t.Line)
		edges := loopEdges(p.fn, header, within)
		if slices.ContainsFunc(edges, func(e *ssacfg.Edge) bool { return e.Place == nil }) {
			t.Declined = "no code can stand where control leaves it or comes back"
		}
		s := &selector{}
		pl.addSelector(p, t, s, 0)
		if t.Declined != "" {
			continue
		}
		s.variable = fmt.Sprintf("%s%d", pl.trips, s.number)
		for _, e := range edges {
			c := codeAt(p.at, e.Place)
			c.trips = append(c.trips, trip{s, e.To != header || !within[e.From]})
		}
	}
}

// loopOf returns the blocks of the loop of a header: those from which control comes back to it without having passed it. It is nil if there is no
// loop, or one that has another entrance.
func loopOf(fn *ssacfg.Func, header *ssacfg.Block) map[*ssacfg.Block]bool {
	within := map[*ssacfg.Block]bool{header: true}
	var work []*ssacfg.Block
	for i, e := range fn.Graph.Edges {
		if e.To == header && fn.Numbering.Cut[i] {
			work = append(work, e.From)
		}
	}
	if len(work) == 0 {
		return nil
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if within[b] {
			continue
		}
		if b == fn.Graph.Blocks[0] {
			return nil
		}
		within[b] = true
		for _, e := range b.In() {
			work = append(work, e.From)
		}
	}
	return within
}

// loopEdges returns the edges back to the header and those out of the loop. A call of panic leaves it without having ended.
func loopEdges(fn *ssacfg.Func, header *ssacfg.Block, within map[*ssacfg.Block]bool) (list []*ssacfg.Edge) {
	for _, e := range fn.Graph.Edges {
		if within[e.From] && (e.To == header || !within[e.To]) && e.Kind != table.CallPanic {
			list = append(list, e)
		}
	}
	return list
}

// selectors inserts the code of those selectors of a function that are in its source.
func (em *emitter) selectors(edits *edits, p *plan) {
	for _, s := range p.live {
		switch {
		case s.Selector == nil:
		case s.Kind == table.Calls:
			em.selectCall(edits, s)
		default:
			order := math.MinInt // before the code at the end of a path
			if s.After == p.fn.Opened.Pos {
				order = math.MaxInt - 1
			}
			text := em.value(s)
			if order == math.MinInt {
				text = ";" + strings.TrimSuffix(text, ";")
			}
			edits.insert(s.After, order, text)
		}
	}
}

// selectCall makes the operand of a call an argument. All else that is inserted where the operand begins stands before it.
func (em *emitter) selectCall(edits *edits, s *selector) {
	function, fields := "Target", ""
	if s.Method >= 0 {
		function = "Method"
	}
	for _, name := range s.Fields {
		fields += "." + name
	}
	edits.insert(s.Operand.Pos(), math.MaxInt-1, fmt.Sprintf("%s.%s(", em.rt, function))
	edits.insert(s.Operand.End(), math.MinInt, fmt.Sprintf("%s,&%s[%d])", fields, em.selected, s.number))
}

// value returns the statement that makes an event of a variable.
func (em *emitter) value(s *selector) string {
	at := fmt.Sprintf("&%s[%d]", em.selected, s.number)
	switch s.Type {
	case ssacfg.Signed:
		return fmt.Sprintf("%s.Number(%s,%s.I(%s));", em.rt, at, em.rt, s.Text)
	case ssacfg.Unsigned:
		return fmt.Sprintf("%s.Unsigned(%s,%s.U(%s));", em.rt, at, em.rt, s.Text)
	case ssacfg.Boolean:
		return fmt.Sprintf("%s.Bool(%s,%s.B(%s));", em.rt, at, em.rt, s.Text)
	case ssacfg.String:
		return fmt.Sprintf("%s.Text(%s,%s.S(%s));", em.rt, at, em.rt, s.Text)
	}
	return fmt.Sprintf("%s.Number(%s,%s.I(%s));", em.rt, at, em.rt, s.Text)
}

// tripStatements returns what is done with the variables of loops at a place, as statements.
func (em *emitter) tripStatements(c *code) string {
	var b strings.Builder
	for _, t := range c.trips {
		if t.leaves {
			fmt.Fprintf(&b, "%s.Trips(&%s[%d],%s);%s=0;", em.rt, em.selected, t.number, t.variable, t.variable)
		} else {
			fmt.Fprintf(&b, "%s++;", t.variable)
		}
	}
	return b.String()
}

// tripCalls returns the same as expressions.
func (em *emitter) tripCalls(c *code) (calls []string) {
	for _, t := range c.trips {
		if t.leaves {
			calls = append(calls, fmt.Sprintf("%s.Leave(&%s[%d],&%s)==0", em.rt, em.selected, t.number, t.variable))
		} else {
			calls = append(calls, fmt.Sprintf("%s.Add(&%s,1)==0", em.rt, t.variable))
		}
	}
	return calls
}

// tripVariables returns the declarations of the variables of a function's loops.
func (em *emitter) tripVariables(p *plan) string {
	var b strings.Builder
	for _, s := range p.live {
		if s.variable != "" {
			fmt.Fprintf(&b, "var %s %s.U;", s.variable, em.rt)
		}
	}
	return b.String()
}

// registerSelectors returns the declaration of the package's selectors. The linker initialises them.
func (em *emitter) registerSelectors(pl *planner) string {
	if len(pl.selectors) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "var %s=[...]%s.Selector{", em.selected, em.rt)
	for _, s := range pl.selectors {
		var key, shift uint64
		if em.stream.On() {
			key, shift = rt.StreamKey(em.stream.pkg, s.hash), 32-em.stream.Bits
		}
		fmt.Fprintf(&b, "{&%s[%d],%d,%d,%d,%d},", em.hashes, s.hash, key, shift, em.stream.Rate, s.index)
	}
	b.WriteString("}\n")
	return b.String()
}

// hasSelector reports whether a selected call of a function begins in a part of its source.
func (p *plan) hasSelector(from, to token.Pos) bool {
	return slices.ContainsFunc(p.live, func(s *selector) bool {
		return s.Selector != nil && s.Operand != nil && from <= s.Operand.Pos() && s.Operand.Pos() < to
	})
}
