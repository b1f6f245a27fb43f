package progen

import (
	"fmt"
	"strings"
)

// Function literals, defer and recover.

// function generates what is inside the braces of a function with the frame f. Variables of
// the enclosing function are in its scope.
func (g *gen) function(f *frame, body func() string) string {
	outer := g.f
	f.mult, f.budget = 1, maxBudget
	if outer != nil {
		f.mult, f.cost, f.budget = outer.mult, outer.cost, outer.budget
		f.vars = append(f.vars, outer.vars...)
		f.depth = min(outer.depth, maxDepth-2)
		if !f.noPanic {
			f.noPanic = outer.noPanic
		}
		f.mayExit = f.mayExit || outer.mayExit
	}
	f.act = g.fresh("a")
	g.f = f
	g.spend()
	s := fmt.Sprintf("%s := tr.Enter(%d)\n_ = %s\n", f.act, g.nextID(), f.act) + body()
	g.f = outer
	if outer != nil {
		outer.cost, outer.budget = f.cost, f.budget
		outer.panics = outer.panics || f.panics
	}
	return s
}

// recovering is the start of a function that recovers panics.
func (g *gen) recovering() string {
	if g.shadow["recover"] {
		return ""
	}
	named := ""
	if len(g.f.named) > 0 && g.chance(60) {
		named = g.f.named[0] + " = " + g.value(g.f.results[0]) + "\n"
	}
	return "defer func() {\n" + g.function(&frame{noPanic: true}, func() string {
		return "if v := recover(); v != nil" + g.oneOf("", " && \n"+g.operand("bool", false, true), " && (debug || v == nil || v != nil)") + " {\n" + g.t() + named + "}\n" + g.t()
	}) + "}()\n"
}

// closure returns function literals, called here.
func (g *gen) closure() string {
	typ := g.typ("int")
	switch g.IntN(9) {
	case 0: // called directly
		return "func() {\n" + g.function(&frame{}, g.list) + "}()\n"
	case 1: // as an operand
		v := g.fresh("v")
		x := g.fresh("x")
		s := v + " := 1 + func(" + x + " " + typ + ") " + typ + " {\n" + g.function(&frame{results: []string{"int"}, vars: []variable{{x, "int", false}}}, func() string {
			return g.list() + g.t() + g.returnStmt()
		}) + "}(" + g.int(1) + ")\ntr.E(" + v + ")\n"
		g.declare(v, "int", false)
		return s
	case 2: // recursive
		v, n := g.fresh("v"), g.fresh("n")
		return "var " + v + " func(" + n + " " + typ + ") " + typ + "\n" + v + " = func(" + n + " " + typ + ") " + typ + " {\n" +
			g.times(4, func() string {
				return g.function(&frame{results: []string{"int"}, vars: []variable{{n, "int", true}}}, func() string {
					return "if " + n + " <= 0 {\n" + g.t() + g.returnStmt() + "}\n" + g.list() + g.t() + "return " + v + "(" + n + "-1) + 1\n"
				})
			}) + "}\ntr.E(" + v + "(3))\n"
	case 3: // with results of which one is logical
		v, w := g.fresh("v"), g.fresh("v")
		s := v + ", " + w + " := func() (" + typ + ", " + g.typ("bool") + ") {\n" + g.function(&frame{results: []string{"int", "bool"}}, func() string {
			return g.list() + g.t() + g.returnStmt()
		}) + "}()\ntr.E(" + v + ")\ntr.E(" + w + ")\n"
		g.declare(v, "int", false)
		g.declare(w, "bool", false)
		return s
	case 4: // in a goroutine that ends early
		return "tr.Go(func() {\n" + g.function(&frame{noPanic: true, mayExit: true}, func() string {
			return g.deferred() + "if " + g.condition(true) + " {\n" + g.t() + "runtime.Goexit()\n}\n" + g.list()
		}) + "})\n"
	case 5: // in a composite literal
		v := g.fresh("v")
		return v + " := []func() " + g.typ("bool") + "{func() " + g.typ("bool") + " {\n" + g.function(&frame{results: []string{"bool"}}, func() string {
			return g.list() + g.t() + g.returnStmt()
		}) + "}}\ntr.E(" + v + "[0]())\n"
	}
	if g.chance(60) && !g.shadow["recover"] {
		return g.recovered()
	}
	panics := g.f.panics
	s := "tr.Try(func() {\n" + g.function(&frame{}, func() string {
		g.f.noPanic = false
		return g.list() + g.t() + g.oneOf("", "", "var m map[float64]"+typ+"\nm[1]++\n")
	}) + "})\n"
	g.f.panics = panics
	return s
}

// recovered returns the call of a function literal that ranges over an iterator, and recovers what that
// panics with; or ends its goroutine.
func (g *gen) recovered() string {
	start, end := g.oneOf("func() {\n", "func() {\n", "tr.Go(func() {\n"), "}()\n"
	f := &frame{mayExit: g.f.mayExit}
	if strings.HasPrefix(start, "tr.Go") {
		f.mayExit, end = true, "})\n"
	}
	outer := *g.f
	s := start + g.function(f, func() string {
		g.f.noPanic = false
		s := g.recovering()
		if g.chance(30) {
			s += g.t()
		}
		for range 1 + g.IntN(2) {
			s += g.rangeOver(func() (x string, kinds []string) {
				if c := g.iteratorOf(0); c != nil {
					return g.overFunc(c)
				}
				return g.rangeable()
			}) + g.t()
		}
		return s
	}) + end
	g.f.panics = outer.panics
	return s
}

func (g *gen) deferred() string {
	return "defer func() {\n" + g.function(&frame{}, func() string {
		g.f.depth = maxDepth - 1
		return g.list()
	}) + "}()\n"
}

func (g *gen) deferStmt() string {
	switch g.IntN(4) {
	case 0:
		return "defer tr.E(" + g.int(1) + ")\n"
	case 1:
		return "defer tr.Keep(" + g.logical("bool", true) + ")\n"
	}
	return g.deferred()
}
