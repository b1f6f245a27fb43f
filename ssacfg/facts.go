package ssacfg

import (
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Some paths of a function can never be executed: they need a condition to be true and, with nothing changed in between, false.
// What blocks and edges do to the outcome of conditions is collected here as traces. Traces stay with blocks and edges wherever
// the graph is simplified. Only certain conditions are followed: their values come from local variables that nothing but loads
// and stores of the function itself refers to. So no call, goroutine or closure can change the values.

// mostConditions is how many conditions the facts of a function may be about. Most have less than ten; generated ones with
// more are not worth the time.
const mostConditions = 256

// Facts returns what is known of conditions on each edge and in the block that it leaves, as [table.Function] has it. The result
// is nil if the facts exclude no path.
func (fn *Func) Facts() [][]table.Fact {
	g := fn.Graph
	if n := len(g.conditions.all); n == 0 || n > mostConditions {
		return nil
	}
	facts := make([][]table.Fact, len(g.Edges))
	for i, e := range g.Edges {
		facts[i] = g.conditions.facts(e.From.trace.then(e.trace))
	}
	conflicts := fn.conflicts(facts)
	if len(conflicts) == 0 {
		return nil
	}
	number := make(map[int]int)
	for i, list := range facts {
		var kept []table.Fact
		for _, f := range list {
			if !conflicts[f.Condition()] {
				continue
			}
			n, ok := number[f.Condition()]
			if !ok {
				n = len(number)
				number[f.Condition()] = n
			}
			kept = append(kept, f.Of(n))
		}
		facts[i] = shorten(kept)
	}
	return facts
}

// shorten leaves out what is forgotten on the edge that it became known on.
func shorten(facts []table.Fact) []table.Fact {
	var short []table.Fact
	for i, f := range facts {
		forgets := func(g table.Fact) bool { return g == table.Forget(f.Condition()) }
		if !slices.ContainsFunc(facts[:i+1], forgets) || !slices.ContainsFunc(facts[i+1:], forgets) {
			short = append(short, f)
		}
	}
	return short
}

// facts returns what a trace says of conditions, by their index.
func (c *conditions) facts(t trace) []table.Fact {
	var facts []table.Fact
	for _, s := range t {
		for i, cond := range c.all {
			switch s := s.(type) {
			case finding:
				facts = append(facts, cond.found(s, i)...)
			case assignment:
				facts = append(facts, cond.assigned(s, i)...)
			}
		}
	}
	return facts
}

// found returns what a finding says of c, whose index is i.
func (c *condition) found(s finding, i int) []table.Fact {
	if s.condition == c {
		return []table.Fact{table.NewFact(i, s.is)}
	}
	if s.is && s.condition.op == token.EQL && s.condition.of == c.of {
		if is, known := c.given(s.condition.with); known {
			return []table.Fact{table.NewFact(i, is)}
		}
	}
	return nil
}

// assigned returns what an assignment says of c, whose index is i.
func (c *condition) assigned(s assignment, i int) []table.Fact {
	if !slices.Contains(c.variables, s.variable) {
		return nil
	}
	if is, known := c.given(s.value); known && s.variable == c.of {
		return []table.Fact{table.Forget(i), table.NewFact(i, is)}
	}
	return []table.Fact{table.Forget(i)}
}

// conflicts returns the conditions that some path needs to be true and false at the same time.
func (fn *Func) conflicts(facts [][]table.Fact) map[int]bool {
	g := fn.Graph
	conflicts := make(map[int]bool)
	known := make([]map[table.Fact]bool, len(g.Blocks)) // at the beginning of each block, on some path
	for i := range known {
		known[i] = make(map[table.Fact]bool)
	}
	for changed := true; changed; {
		changed = false
		for i, e := range g.Edges {
			at := make(map[table.Fact]bool)
			for f := range known[e.From.index] {
				at[f] = true
			}
			for _, f := range facts[i] {
				c := f.Condition()
				if !f.Forgets() && at[f.Opposite()] {
					conflicts[c] = true
				}
				delete(at, f)
				delete(at, f.Opposite())
				if f.Forgets() {
					delete(at, table.NewFact(c, true))
					delete(at, table.NewFact(c, false))
				} else {
					at[f] = true
				}
			}
			if fn.Numbering.Cut[i] {
				continue
			}
			to := known[e.To.index]
			for f := range at {
				changed = changed || !to[f]
				to[f] = true
			}
		}
	}
	return conflicts
}
