package progen

import (
	"fmt"
	"strings"
)

// A temper says what an iterator may do besides yielding its values.
type temper struct {
	name   string
	panics bool // before, between and after yields, and in its deferred functions
	exits  bool // it ends its goroutine there
}

// tempers are those of the iterators of a package.
var tempers = []temper{{name: "It"}, {name: "Panic", panics: true}, {name: "Exit", panics: true, exits: true}}

// iterators declares functions that return iterators over up to 3 elements: of each temper one for
// each number of values.
func (g *gen) iterators() {
	for _, kind := range tempers {
		for _, values := range []int{1, 2, 0} {
			g.iterator(kind, values)
		}
	}
}

// iterator declares a function that returns an iterator.
func (g *gen) iterator(t temper, values int) {
	i := g.typ("int")
	name := fmt.Sprintf("%s%d_%s", t.name, values, g.pkg)
	yield := strings.TrimSuffix(strings.Repeat(i+", ", values), ", ")
	give := strings.TrimSuffix(strings.Repeat("i, ", values), ", ")
	f := &frame{noPanic: !t.panics, mayExit: t.exits}
	body := g.function(f, func() string {
		s := ""
		if g.chance(30) {
			s = g.deferred()
		}
		if t.panics && g.chance(40) {
			s += g.iteratorDefer()
		}
		s += g.trouble() + g.elements()
		g.f.mult = 4
		s += g.t() + "tr.Keep(i)\n" + g.trouble()
		s += "if !yield(" + give + ") {\n" + g.t() + g.trouble()
		if t.panics && g.chance(20) { // the loop has ended: this panics
			s += "if tr.Q(4) {\n" + g.t() + "yield(" + give + ")\n}\n"
		}
		s += g.oneOf("return", "break") + "\n}\n" + g.t() + g.trouble() + "}\n"
		g.f.mult = 1
		return s + g.t() + g.trouble()
	})
	iter := fmt.Sprintf("func(yield func(%s) %s)", yield, g.typ("bool"))
	fmt.Fprintf(&g.decls, "func %s(n %s) %s {\nreturn %s {\n%s}\n}\n", name, i, iter, iter, body)
	g.funcs = append(g.funcs, &callee{
		name: name, params: []string{"int"}, cost: f.cost, panics: t.panics, exits: t.exits, seq: 1 + values,
	})
}

// elements returns the head of a loop over numbers i: of its own, or those of another iterator.
func (g *gen) elements() string {
	own := g.oneOf("for i := 0; i < n; i++ {\n", "for i := range n {\n")
	if g.chance(60) {
		return own
	}
	c := g.iteratorOf(2)
	if c == nil {
		return own
	}
	if g.chance(60) {
		return "for i := range " + c.name + "(n&3) {\n"
	}
	stop := "defer stop()\n"
	if g.leaks && g.chance(50) {
		stop = "_ = stop\n"
	}
	return "next, stop := tr.Pull(" + c.name + "(n&3))\n" + stop + "for i, ok := next(); ok; i, ok = next() {\n"
}

// iteratorOf returns an iterator that may be ranged over here, of one less than seq values. If seq is 0 it is of any
// number of values. The result is nil if none is found.
func (g *gen) iteratorOf(seq int) *callee {
	var found []*callee
	for _, c := range g.funcs {
		fits := c.seq > 0 && (seq == 0 || c.seq == seq) && g.affordable(c)
		if fits && !(c.panics && g.f.noPanic) && !(c.exits && !g.f.mayExit) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil
	}
	c := found[g.IntN(len(found))]
	g.f.cost += c.cost * g.f.mult
	g.f.panics = g.f.panics || c.panics
	return c
}

// trouble returns a statement that may end the activation, or nothing.
func (g *gen) trouble() string {
	if g.f.noPanic || g.chance(50) {
		return ""
	}
	end := func() string {
		if g.f.mayExit && g.chance(50) {
			return "runtime.Goexit()\n"
		}
		return g.panicStmt()
	}
	if g.chance(25) { // which goes on behind this, unless it is the end of the goroutine
		return "func() {\n" + g.function(&frame{}, func() string {
			return g.recovering() + "if tr.Q(2) {\n" + g.t() + end() + "}\n" + g.t()
		}) + "}()\n"
	}
	return "if tr.Q(5) {\n" + g.t() + end() + "}\n"
}

// iteratorDefer returns a deferred function of an iterator. It may panic. Or it recovers what the iterator or the
// body of the loop panics with, and may panic again.
func (g *gen) iteratorDefer() string {
	return "defer func() {\n" + g.function(&frame{}, func() string {
		if g.shadow["recover"] || g.chance(40) {
			return g.trouble() + g.t()
		}
		again := g.oneOf("", "tr.Panic(v)\n", "if tr.Q(2) {\n"+g.t()+"tr.Panic(v)\n}\n", "tr.Panic(tr.E(1))\n")
		return "if v := recover(); v != nil {\n" + g.t() + again + "}\n" + g.t()
	}) + "}()\n"
}
