package rewrite

import (
	"fmt"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	rtevent "github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Kinds are which events are counted besides paths, and where. Functions are those whose names, with their import paths, match
// one of some patterns, in which "..." stands for anything. No pattern means everywhere.
type Kinds struct {
	selector.Kinds
	In []string
}

// On reports whether events are counted at all.
func (k *Kinds) On() bool { return k.Kinds != selector.Kinds{} }

// of returns the kinds for a function.
func (k *Kinds) of(function string) selector.Kinds {
	if len(k.In) > 0 && !slices.ContainsFunc(k.In, func(pattern string) bool { return matchName(pattern, function) }) {
		return selector.Kinds{}
	}
	return k.Kinds
}

// matchName reports whether a pattern is that of a function, of what it is declared in, or of its import path. So the pattern
// must match the name, or the part of it before any of the dots after the last slash.
func matchName(pattern, name string) bool {
	match := load.MatchPath(pattern)
	if match(name) {
		return true
	}
	for i := strings.LastIndex(name, "/") + 1; i < len(name); i++ {
		if name[i] == '.' && match(name[:i]) {
			return true
		}
	}
	return false
}

// A planned selector is one of a function, with what tells the runtime about it.
type planned struct {
	*selector.Selector        // nil for those of loops
	number             int    // of it in the package
	variable           string // of a loop: counts how often control comes back to the header
}

// A trip is what is done with the variable of a loop at a place.
type trip struct {
	*planned
	step tripStep
}

// A tripStep is what control does at a place, in the order in which it is noted if it does several.
type tripStep int

const (
	enters    tripStep = iota // the variable becomes 1
	comesBack                 // one is added
	leaves                    // what it has, less 1, is an event, and it becomes 0, which says that control is not in the loop
)

// planSelectors plans the selectors of a function, as far as its code can be where they need it.
func (pl *planner) planSelectors(p *plan) {
	nosplit := isNosplit(p.fn)
	for _, s := range p.fn.Selectors {
		at := pl.fset.PositionFor(s.Pos, false)
		t := table.Selector{Kind: s.Kind, Hash: -1, Line: at.Line, Col: at.Column,
			Offset: pl.fset.Position(s.Pos).Line - pl.fset.Position(p.fn.Node.Pos()).Line, Text: s.Text, Declined: s.Declined}
		if nosplit && t.Declined == "" {
			t.Declined = "the function is marked go:nosplit, and events take calls"
		}
		if s.Kind == table.Calls && t.Declined == "" {
			for _, site := range p.fn.SitesOf(s) {
				t.Sites = append(t.Sites, siteOf(p.fn, site))
			}
		}
		pl.addSelector(p, t, &planned{Selector: s}, max(s.Method, 0))
	}
	if p.fn.Trips && !nosplit {
		pl.planTrips(p)
	}
}

// addSelector gives a selector its number and its hash table, unless it is declined.
func (pl *planner) addSelector(p *plan, t table.Selector, s *planned, index int) {
	if t.Declined == "" {
		t.Hash = pl.newHash()
		s.number = len(pl.selectors)
		pl.selectors = append(pl.selectors, selected{t.Hash, index, len(t.Sites) > 0})
		p.live = append(p.live, s)
	}
	p.selectors = append(p.selectors, t)
}

// selected is a selector of the package: its hash table, the index of a method, and whether it elects a target.
type selected struct {
	hash, index int
	elects      bool
}

// planTrips plans events of loops. Each loop has a variable, to which edges back to the header add one. The variable is made an
// event of where control leaves the loop.
func (pl *planner) planTrips(p *plan) {
	g := p.fn.Graph
	for i, header := range g.Blocks {
		within := loopOf(p.fn, header)
		if within == nil {
			continue
		}
		t := table.Selector{Kind: table.Trips, Hash: -1, Header: i}
		from := header.From
		if !from.IsValid() && len(header.Out()) > 0 {
			from = header.Out()[0].To.From
		}
		if from.IsValid() {
			at := pl.fset.PositionFor(from, false)
			t.Line, t.Col, t.Offset = at.Line, at.Column, pl.fset.Position(from).Line-pl.fset.Position(p.fn.Node.Pos()).Line
		}
		t.Text = fmt.Sprintf("loop at line %d", t.Line)
		places, ok := loopPlaces(p.fn, header, within)
		if !ok {
			t.Declined = "no code can stand where control leaves it or comes back"
		}
		s := &planned{}
		pl.addSelector(p, t, s, 0)
		if t.Declined != "" {
			continue
		}
		s.variable = fmt.Sprintf("%s%d", pl.trips, s.number)
		for what, list := range places {
			for _, place := range list {
				c := codeAt(p.at, place)
				c.trips = append(c.trips, trip{s, tripStep(what)})
			}
		}
	}
}

// loopOf returns the blocks of the loop of a header: those from which control comes back to it without having passed it. It
// is nil if there is no loop, or one that has another entrance.
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

// loopPlaces returns where control enters a loop, comes back to the header, and leaves. It is not ok if there is no place
// for that.
func loopPlaces(fn *ssacfg.Func, header *ssacfg.Block, within map[*ssacfg.Block]bool) (places [3][]*mark.Place, ok bool) {
	add := func(what tripStep, list ...*mark.Place) {
		for _, place := range list {
			if !slices.Contains(places[what], place) {
				places[what] = append(places[what], place)
			}
		}
	}
	for _, e := range fn.Graph.Edges {
		switch {
		case within[e.From] && e.To == header:
			add(comesBack, placesOf(e, header)...)
		case e.To == header:
			add(enters, placesOf(e, nil)...)
		case !within[e.From] || within[e.To] || e.Kind == table.CallPanic: // which leaves a loop without having ended it
		case e.Place == nil && e.To.First() != nil:
			add(leaves, e.To.First()) // control may come there from elsewhere, too, but is in the loop only if it came from there
		default:
			add(leaves, placesOf(e, header)...)
		}
	}
	for _, list := range places {
		if slices.Contains(list, nil) {
			return places, false
		}
	}
	return places, len(places[enters]) > 0
}

// placesOf returns the places that control comes through on its way to an edge. That is the place of the edge. If the edge
// is the only one out of its block, it is the places of all edges into the block. There is a nil among them if that is not
// possible.
func placesOf(e *ssacfg.Edge, header *ssacfg.Block) (places []*mark.Place) {
	if e.Place != nil || len(e.From.Out()) > 1 || e.From == header {
		return []*mark.Place{e.Place}
	}
	for _, in := range e.From.In() {
		places = append(places, placesOf(in, header)...)
	}
	return places
}

// selectors inserts the code of those selectors of a function that are in its source.
func (em *emitter) selectors(edits *edits, p *plan) {
	var calls []*planned
	for _, s := range p.live {
		switch {
		case s.Selector == nil:
		case s.Kind == table.Calls:
			calls = append(calls, s)
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
	// Calls are in the order of their parentheses. In f()() two begin at one place. The outer one comes last, and is opened
	// first.
	for _, s := range slices.Backward(calls) {
		em.selectCall(edits, s)
	}
}

// selectCall makes the operand of a call an argument. All else that is inserted where the operand begins stands before it.
func (em *emitter) selectCall(edits *edits, s *planned) {
	function, fields := "$event.Target", ""
	if s.Method >= 0 {
		function = "$event.Method"
	}
	for _, name := range s.Fields {
		fields += "." + name
	}
	edits.insert(s.Operand.Pos(), math.MaxInt-1, em.Sprintf(function+"("))
	edits.insert(s.Operand.End(), math.MinInt, fmt.Sprintf("%s,&%s[%d])", fields, em.Selected, s.number))
}

// value returns the statement that makes an event of a variable.
func (em *emitter) value(s *planned) string {
	at := fmt.Sprintf("&%s[%d]", em.Selected, s.number)
	switch s.Type {
	case selector.Signed:
		return em.Sprintf("$event.Number(%s,$event.I(%s));", at, s.Text)
	case selector.Unsigned:
		return em.Sprintf("$event.Unsigned(%s,$U(%s));", at, s.Text)
	case selector.Boolean:
		return em.Sprintf("$event.Bool(%s,$event.B(%s));", at, s.Text)
	case selector.String:
		return em.Sprintf("$event.Text(%s,$event.S(%s));", at, s.Text)
	}
	return em.Sprintf("$event.Number(%s,$event.I(%s));", at, s.Text)
}

// tripStatements returns what is done with the variables of loops at a place, as statements.
func (em *emitter) tripStatements(c *code) string {
	var b strings.Builder
	for _, t := range c.trips {
		switch t.step {
		case enters:
			fmt.Fprintf(&b, "%s=1;", t.variable)
		case comesBack:
			fmt.Fprintf(&b, "%s++;", t.variable)
		case leaves:
			b.WriteString(em.Sprintf("if %[2]s!=0{$event.Trips(&%[1]s[%[3]d],%[2]s);%[2]s=0};", em.Selected, t.variable, t.number))
		}
	}
	return b.String()
}

// tripCalls returns the same as expressions.
func (em *emitter) tripCalls(c *code) (calls []string) {
	for _, t := range c.trips {
		switch t.step {
		case enters:
			calls = append(calls, em.Sprintf("$Set(&%s,1)==0", t.variable))
		case comesBack:
			calls = append(calls, em.Sprintf("$Add(&%s,1)==0", t.variable))
		case leaves:
			calls = append(calls, em.Sprintf("$event.Leave(&%s[%d],&%s)==0", em.Selected, t.number, t.variable))
		}
	}
	return calls
}

// tripVariables returns the declarations of the variables of a function's loops.
func (em *emitter) tripVariables(p *plan) string {
	var b strings.Builder
	for _, s := range p.live {
		if s.variable != "" {
			b.WriteString(em.Sprintf("var %s $U;", s.variable))
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
	b.WriteString(em.Sprintf("var %s=[...]$event.Selector{", em.Selected))
	for _, s := range pl.selectors {
		event := em.method.Event(s.hash)
		mode := event.Mode
		if s.elects {
			mode |= rtevent.Elects
		}
		fmt.Fprintf(&b, "{Hash:&%s[%d],Key:%d,Shift:%d,Rate:%d,Index:%d,Mode:%d},",
			em.Hashes, s.hash, event.Key, event.Shift, event.Rate, s.index, mode)
	}
	b.WriteString("}\n")
	return b.String()
}

// hasSelector reports whether a selected call of a function begins in a part of its source.
func (p *plan) hasSelector(from, to token.Pos) bool {
	return slices.ContainsFunc(p.live, func(s *planned) bool {
		return s.Selector != nil && s.Operand != nil && from <= s.Operand.Pos() && s.Operand.Pos() < to
	})
}
