package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// An emitter writes the code of one package.
type emitter struct {
	*emit.Names
	method method.Method
	nested bool // code in conditions stays there
}

// function inserts the code of one function.
func (em *emitter) function(edits *edits, p *plan) {
	p.Register = em.Register
	if p.frame {
		p.Register = em.Frame + ".R"
	}
	opened := p.fn.Opened
	p.lowered = em.conditions(edits, p)
	if entry := em.entry(p); entry != "" {
		edits.insert(opened.Pos, opened.Order, entry)
	}
	for place, c := range p.at {
		if !p.lowered[place.Condition] {
			em.place(edits, p, place, c)
		}
	}
	em.lower(edits, p)
	em.selectors(edits, p)
	for _, d := range p.fn.Dropped {
		em.drop(edits, p, d)
	}
}

// never is what stands before an operand that the compiler drops. Those of lowered conditions have it from lowering.jump.
const never = "0!=0&&"

// drop has the compiler drop what it drops without code, whatever code is in the condition that decides about it. Else literals
// in it would have numbers, and those behind it other names than without code. The loops end control, as the statements may.
func (em *emitter) drop(edits *edits, p *plan, d ssacfg.Dropped) {
	switch {
	case d.Place == nil:
		dropList(edits, d)
	case d.Place.Kind == mark.Wrapped:
		edits.insert(d.Place.Pos, -1, "if 0!=0{")
		edits.insert(d.Place.End, d.Place.EndOrder, "}else{for{}}")
	case !p.lowered[d.Place.Condition]:
		edits.insert(d.Place.Pos, -1, never)
	}
}

// dropList is drop for a list. Where there is no white space before its end, other code may be there, and it stays as it is.
func dropList(edits *edits, list ssacfg.Dropped) {
	if !strings.ContainsAny(edits.text(list.To-1, list.To), " \t\n") {
		return
	}
	end := "};"
	if !list.Through {
		end += "for{};"
	}
	edits.insert(list.From, -1, "if 0!=0{")
	edits.insert(list.To, -1, end)
}

// entry returns what runs first in a function.
func (em *emitter) entry(p *plan) string {
	var b strings.Builder
	switch {
	case p.frame:
		b.WriteString(em.Sprintf("var %s $abandon.Frame;$abandon.Keep(&%s);", em.Frame, em.Frame))
		if c := p.at[p.fn.Opened]; p.byLine && (c == nil || c.position < 0) {
			fmt.Fprintf(&b, "%s.At=&%s[%d];", em.Frame, em.Hashes, p.lineHash)
		}
		if p.fn.RangesFunc {
			b.WriteString(em.Sprintf("var %s $abandon.Anchor;$abandon.Hold(&%s,&%s);", em.Anchor, em.Anchor, em.Frame))
		}
	case p.fn.Numbering.UsesRegister():
		b.WriteString(em.Sprintf("var %s $U;", em.Register))
	}
	b.WriteString(p.paths.Enter(&p.Function))
	b.WriteString(p.pairs.Declare(em.Names))
	b.WriteString(em.tripVariables(p))
	if p.entries >= 0 {
		b.WriteString(em.increment(p, uint64(p.entries)).Statement + ";")
	}
	return b.String()
}

// place inserts code at a place in the form that its kind demands.
func (em *emitter) place(edits *edits, p *plan, place *mark.Place, c *code) {
	open := func(text string) { edits.insert(place.Pos, place.Order, text) }
	close := func(text string) { edits.insert(place.End, place.EndOrder, text) }
	switch place.Kind {
	case mark.Stmt:
		open(em.statements(p, c))
	case mark.After:
		open(";" + em.statements(p, c))
	case mark.Else:
		open(" else {" + em.statements(p, c) + "}")
	case mark.Default:
		open(";default:" + em.statements(p, c))
	case mark.First:
		open("default:" + em.statements(p, c))
	case mark.Wrapped:
		open("{" + em.statements(p, c))
		close("}")
	case mark.Value:
		edits.replace(edits.token(place.Pos, token.COMMA), len(","), ":"+em.statements(p, c)+"fallthrough;case ")
	case mark.Expr:
		open(em.expression(p, c) + "&&")
	case mark.Cond:
		open(em.expression(p, c) + "&&(")
		close(")")
	case mark.True:
		open("(")
		close(")&&" + em.expression(p, c))
	case mark.False:
		open("(")
		close(")||!(" + em.expression(p, c) + ")")
	default:
		panic(fmt.Sprintf("BUG: place of kind %d", place.Kind))
	}
}

// then returns what op does to the path register, if anything reads it.
func (em *emitter) then(p *plan, op pathnum.Op) pathnum.ThenKind {
	if !p.frame && !p.fn.Numbering.UsesRegister() {
		return pathnum.NoChange
	}
	return op.Then
}

// statements returns code as statements, each with a semicolon.
func (em *emitter) statements(p *plan, c *code) string {
	var b strings.Builder
	for _, op := range c.ops {
		if op.Count != pathnum.NoCount {
			b.WriteString(em.pathEnd(p, op) + ";")
		}
		for _, c := range p.pairs.End(em.Names, op.Op, op.next) {
			b.WriteString(c.Statement + ";")
		}
		switch em.then(p, op.Op) {
		case pathnum.Add:
			fmt.Fprintf(&b, "%s%s;", p.Register, method.Signed(op.Value, "+=", "-="))
		case pathnum.Set:
			fmt.Fprintf(&b, "%s=%d;", p.Register, op.Value)
		}
	}
	for _, k := range c.edges {
		b.WriteString(em.increment(p, k).Statement + ";")
	}
	b.WriteString(em.tripStatements(c))
	switch {
	case !p.frame:
	case c.end:
		b.WriteString(em.Sprintf("$abandon.End(&%s);", em.Frame))
	case c.position >= 0:
		fmt.Fprintf(&b, "%s.At=&%s[%d];", em.Frame, em.Hashes, c.position)
	}
	return b.String()
}

// pathEnd returns what counts the end of a path, as a statement.
func (em *emitter) pathEnd(p *plan, op operation) string {
	if rounds, ok := p.paths.(method.Rounder); ok && op.round {
		return rounds.Round(&p.Function, op.Op, op.usual)
	}
	return p.paths.End(&p.Function, op.Op).Statement
}

// increment returns what adds one to a counter of activations or of an edge.
func (em *emitter) increment(p *plan, counter uint64) method.Code {
	return p.paths.Counter().Add(method.CounterOf(em.Names, counter))
}

// expression returns code as one expression that is an untyped true.
func (em *emitter) expression(p *plan, c *code) string {
	var calls []string
	call := func(format string, args ...any) {
		calls = append(calls, em.Sprintf(format, args...)+"==0")
	}
	for _, op := range c.ops {
		if op.Count != pathnum.NoCount {
			calls = append(calls, p.paths.End(&p.Function, op.Op).Expression)
		}
		for _, c := range p.pairs.End(em.Names, op.Op, op.next) {
			calls = append(calls, c.Expression)
		}
		switch em.then(p, op.Op) {
		case pathnum.Add:
			call("$Add(&%s,%d)", p.Register, op.Value)
		case pathnum.Set:
			call("$Set(&%s,%d)", p.Register, op.Value)
		}
	}
	for _, k := range c.edges {
		calls = append(calls, em.increment(p, k).Expression)
	}
	calls = append(calls, em.tripCalls(c)...)
	switch {
	case !p.frame:
	case c.end:
		call("$abandon.End(&%s)", em.Frame)
	case c.position >= 0:
		call("$abandon.At(&%s,&%s[%d])", em.Frame, em.Hashes, c.position)
	}
	return strings.Join(calls, "&&")
}

// header inserts the imports of the runtime into a file with a trailer.
func header(n *emit.Names, e *edits, f *ast.File, trailer string) {
	inserted := []string{trailer}
	for _, in := range e.list {
		inserted = append(inserted, in.text)
	}
	e.insert(f.Name.End(), 0, n.Imports(inserted))
}

// trailer returns declarations for the end of a file. These are a use of the import, and in one file of the package
// also the counters and their registration.
func trailer(n *emit.Names, registration string) string {
	return n.Sprintf("\nvar _ $U\n%s", registration)
}

// inLine returns a registration for the line that it is inserted into.
func inLine(registration string) string {
	return ";" + strings.ReplaceAll(strings.TrimSuffix(registration, "\n"), "\n", ";")
}

// registration returns the declaration of the package's counters and hash tables.
func (em *emitter) registration(path, root string, tab []byte, pl *planner) string {
	var b strings.Builder
	if root != "" {
		root = fmt.Sprintf("Root:%q,", root)
	}
	length := em.method.Length(pl.counters)
	p := method.Package{Counters: pl.counters, Hashes: pl.hashes, Hash: em.Sprintf("$NoHash"), Functions: pl.functions}
	if pl.hashes > 0 {
		p.Hash = fmt.Sprintf("&%s[0]", em.Hashes)
	}
	// Where Pad is 0, an array of no counters would have no address.
	b.WriteString(em.Sprintf("var %s [$Pad+%d+$Pad]$U\n", em.Counters, max(length, 1)))
	b.WriteString(em.method.Variables(p))
	if pl.hashes > 0 {
		b.WriteString(em.Sprintf("var %s [%d]$Hash\n", em.Hashes, pl.hashes))
	}
	if pl.caches > 0 {
		b.WriteString(em.Sprintf("var %s [%d]$PairCache\n", em.Caches, pl.caches))
	}
	b.WriteString(em.registerSelectors(pl))
	b.WriteString(em.method.Start(p))
	b.WriteString(em.Sprintf("var _=$Register(&$Package{Path:%q,%sTable:%+q,Counters:&%s[0],N:%d,Hashes:%s,NHashes:%d})\n",
		path, root, tab, em.Counters, length, p.Hash, pl.hashes))
	if len(pl.positions) > 0 {
		b.WriteString(em.Sprintf("var _=$abandon.Positions(%s,%+q)\n", p.Hash, pl.encodePositions()))
	}
	if m, ok := em.method.(method.Aparter); ok {
		return m.Apart(b.String())
	}
	return b.String()
}
