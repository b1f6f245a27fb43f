package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// names are the identifiers that rewritten code of one package uses. None of them occurs in its source.
type names struct {
	rt       string // the runtime's import
	counters string
	hashes   string
	sites    string // markers
	register string // path register, a local variable of each function that needs one
	label    string // labels of lowered conditions, with a number
	anchor   string // leads to the frame
	frame    string // state of the activation, in place of the register in functions that can be abandoned
	selected string // selectors of events
	trips    string // variables of loops, with a number
	mark     string // by which the sampler knows an activation again
}

func newNames(sources [][]byte) names {
	prefix := "gpi_"
	for occurs(sources, prefix) {
		prefix += "_"
	}
	return names{rt: prefix + "rt", counters: prefix + "C", hashes: prefix + "H", sites: prefix + "S", register: prefix + "r", label: prefix + "l", anchor: prefix + "a", frame: prefix + "f", mark: prefix + "m", selected: prefix + "K", trips: prefix + "t"}
}

func occurs(sources [][]byte, s string) bool {
	for _, src := range sources {
		if strings.Contains(string(src), s) {
			return true
		}
	}
	return false
}

// An emitter writes the code of one package.
type emitter struct {
	names
	nested  bool // code in conditions stays there
	checked bool // counters are indexed with bounds checks
	sampled bool // paths are sampled, not counted
	native  bool // by markers
	stream  streamer

	contexts bool   // samples have calling contexts
	exact    string // the runtime's function that adds one to a counter and loses nothing under concurrency, or "" for ++
}

// Functions of the runtime that increment. Under the race detector every goroutine would be seen to write what is its own.
const (
	exactAtomic = "Inc"
	exactOwn    = "Exact"
)

// increments returns the emitter's field exact.
func increments(o Options) string {
	switch {
	case !o.Atomic:
		return ""
	case o.Race:
		return exactAtomic
	}
	return exactOwn
}

// function inserts the code of one function.
func (em *emitter) function(edits *edits, p *plan) {
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
}

// entry returns what runs first in a function.
func (em *emitter) entry(p *plan) string {
	var b strings.Builder
	switch {
	case p.frame:
		fmt.Fprintf(&b, "var %s %s.Frame;%s.Keep(&%s);", em.frame, em.rt, em.rt, em.frame)
		if c := p.at[p.fn.Opened]; p.byLine && (c == nil || c.position < 0) {
			fmt.Fprintf(&b, "%s.At=&%s[%d];", em.frame, em.hashes, p.lineHash)
		}
		if p.fn.RangesFunc {
			fmt.Fprintf(&b, "var %s %s.Anchor;%s.Hold(&%s,&%s);", em.anchor, em.rt, em.rt, em.anchor, em.frame)
		}
	case p.fn.Numbering.UsesRegister():
		fmt.Fprintf(&b, "var %s %s.U;", em.register, em.rt)
	}
	if em.marks(p) {
		fmt.Fprintf(&b, "var %s %s.U=%d;", em.mark, em.rt, p.mark)
		if em.native {
			fmt.Fprintf(&b, "%s.KeepMark(&%s);", em.rt, em.mark)
		}
	}
	b.WriteString(em.tripVariables(p))
	if p.entries >= 0 {
		b.WriteString(em.increment(em.counter(uint64(p.entries))) + ";")
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

// r returns the path register of a function.
func (em *emitter) r(p *plan) string {
	if p.frame {
		return em.frame + ".R"
	}
	return em.register
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
			b.WriteString(em.countStatement(p, op) + ";")
		}
		switch em.then(p, op) {
		case pathnum.Add:
			fmt.Fprintf(&b, "%s%s;", em.r(p), signed(op.Value, "+=", "-="))
		case pathnum.Set:
			fmt.Fprintf(&b, "%s=%d;", em.r(p), op.Value)
		}
	}
	for _, k := range c.edges {
		b.WriteString(em.increment(em.counter(k)) + ";")
	}
	b.WriteString(em.tripStatements(c))
	switch {
	case !p.frame:
	case c.end:
		fmt.Fprintf(&b, "%s.End(&%s);", em.rt, em.frame)
	case c.position >= 0:
		fmt.Fprintf(&b, "%s.At=&%s[%d];", em.frame, em.hashes, c.position)
	}
	return b.String()
}

func (em *emitter) countStatement(p *plan, op pathnum.Op) string {
	switch {
	case em.sampled:
		return em.probe(p, op)
	case p.stratified:
		return em.eventStatement(p, op)
	}
	if p.storage == table.StorageHash {
		return fmt.Sprintf("%s.Path(&%s[%d],%s)", em.rt, em.hashes, p.hash, em.number(p, op))
	}
	return em.increment(em.pathCounter(p, op))
}

func (em *emitter) increment(counter string) string {
	if em.exact != "" {
		return fmt.Sprintf("%s.%s(%s)", em.rt, em.exact, address(counter))
	}
	return counter + "++"
}

// counter returns a counter of the package.
func (em *emitter) counter(k uint64) string {
	return fmt.Sprintf("%s[%s.Pad+%d]", em.counters, em.rt, k)
}

// pathCounter returns the counter of the path that op counts.
func (em *emitter) pathCounter(p *plan, op pathnum.Op) string {
	if op.Count == pathnum.CountRegister && em.checked {
		return fmt.Sprintf("%s[%s.Pad+%d+%s]", em.counters, em.rt, p.first, em.number(p, op))
	}
	if op.Count == pathnum.CountRegister {
		return fmt.Sprintf("*%s.Word(&%s,%s)", em.rt, em.counter(p.first), em.number(p, op))
	}
	return em.counter(p.first + op.Inc)
}

// address returns the address of a counter.
func address(counter string) string {
	if pointer, ok := strings.CutPrefix(counter, "*"); ok {
		return pointer
	}
	return "&" + counter
}

// number returns the number of the path that op counts.
func (em *emitter) number(p *plan, op pathnum.Op) string {
	if op.Count == pathnum.CountRegister {
		return em.r(p) + signed(op.Inc, "+", "-")
	}
	return fmt.Sprint(op.Inc)
}

// expression returns code as one expression that is an untyped true.
func (em *emitter) expression(p *plan, c *code) string {
	var calls []string
	call := func(format string, args ...any) {
		calls = append(calls, em.rt+"."+fmt.Sprintf(format, args...)+"==0")
	}
	for _, op := range c.ops {
		switch {
		case op.Count == pathnum.NoCount:
		case em.native:
			if site, number := em.marker(p, op); number == "" {
				call("MarkOne(&%s)", site)
			} else {
				call("MarkRegister(&%s,%s)", site, number)
			}
		case em.sampled:
			call("Probe%s", em.path(p, op))
		case p.stratified:
			calls = append(calls, em.eventExpression(p, op))
		case p.storage == table.StorageHash:
			call("CountPath(&%s[%d],%s)", em.hashes, p.hash, em.number(p, op))
		case em.exact != "":
			call("Count%s(%s)", em.exact, address(em.pathCounter(p, op)))
		default:
			call("Count(%s)", address(em.pathCounter(p, op)))
		}
		switch em.then(p, op) {
		case pathnum.Add:
			call("Add(&%s,%d)", em.r(p), op.Value)
		case pathnum.Set:
			call("Set(&%s,%d)", em.r(p), op.Value)
		}
	}
	for _, k := range c.edges {
		call("Count%s(&%s)", em.exact, em.counter(k))
	}
	calls = append(calls, em.tripCalls(c)...)
	switch {
	case !p.frame:
	case c.end:
		call("End(&%s)", em.frame)
	case c.position >= 0:
		call("At(&%s,&%s[%d])", em.frame, em.hashes, c.position)
	}
	return strings.Join(calls, "&&")
}

// signed returns v, which is modulo 2^64, after the operator that keeps the constant small.
func signed(v uint64, plus, minus string) string {
	if int64(v) < 0 {
		return fmt.Sprintf("%s%d", minus, -v)
	}
	return fmt.Sprintf("%s%d", plus, v)
}

// header inserts the import of the runtime into a file.
func (em *emitter) header(edits *edits, f *ast.File) {
	edits.insert(f.Name.End(), 0, fmt.Sprintf(";import %s %q", em.rt, "goprofinstr/rt"))
}

// trailer returns declarations for the end of a file: a use of the import, and in
// one file of the package also the counters and their registration.
func (em *emitter) trailer(registration string) string {
	return fmt.Sprintf("\nvar _ %s.U\n%s", em.rt, registration)
}

// registration returns the declaration of the package's counters and hash tables.
func (em *emitter) registration(path string, tab []byte, pl *planner) string {
	var b strings.Builder
	length := max(pl.counted(), 1) // where Pad is 0, none would have no address
	fmt.Fprintf(&b, "var %s [%s.Pad+%d+%s.Pad]%s.U\n", em.counters, em.rt, length, em.rt, em.rt)
	if em.native {
		fmt.Fprintf(&b, "var %s [%d]%s.Site\n", em.sites, pl.counters+1, em.rt)
		fmt.Fprintf(&b, "var %sH [%d]%s.Site\n", em.sites, pl.hashes+1, em.rt)
	}
	hash := em.rt + ".NoHash"
	if pl.hashes > 0 {
		fmt.Fprintf(&b, "var %s [%d]%s.Hash\n", em.hashes, pl.hashes, em.rt)
		hash = fmt.Sprintf("&%s[0]", em.hashes)
	}
	if em.native {
		fmt.Fprintf(&b, "var %[1]sM=%[2]s.Markers{[2]%[2]s.U{%[2]s.MarkersMagic0,%[2]s.MarkersMagic1},&%[1]s[0],%[3]d,&%[1]sH[0],%[4]d,&%[5]s,%[6]s,%[2]s.HashSize}\nvar _=%[2]s.UseMarkers(&%[1]sM)\n",
			em.sites, em.rt, pl.counters, pl.hashes, em.counter(0), hash)
	}
	b.WriteString(em.registerSelectors(pl))
	if em.exact == exactOwn || pl.streams && em.stream.InLine() {
		fmt.Fprintf(&b, "var _=%s.UseBlocks()\n", em.rt)
	}
	if pl.streams {
		b.WriteString(em.stream.registration())
	}
	if s := pl.sampling; s.On() {
		fmt.Fprintf(&b, "var _=%s.StartSampling(%d,%d,%d,%d,%d,%d)\n", em.rt, s.Policy.Kind, s.Policy.Samples, s.Policy.Stride, s.Budget, s.Period.Nanoseconds(), s.Frames)
	}
	fmt.Fprintf(&b, "var _=%s.Register(%q,%+q,&%s[0],%d,%s,%d)\n", em.rt, path, tab, em.counters, pl.counted(), hash, pl.hashes)
	if len(pl.positions) > 0 {
		fmt.Fprintf(&b, "var _=%s.Positions(%s,%+q)\n", em.rt, hash, pl.encodePositions())
	}
	return b.String()
}
