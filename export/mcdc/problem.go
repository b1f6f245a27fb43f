package mcdc

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// newProblem returns a decision with what the graph says of its conditions. Lost says why paths do not tell them; it is
// "" if they do.
func newProblem(f *profile.Function, l *code.Logical) (p decision.Problem, lost string) {
	p = decision.Problem{Expr: l.Expr, Couplings: l.Couplings}
	last := len(l.Conditions) - 1
	var without []int // conditions that nothing branches on
	for i, c := range l.Conditions {
		switch {
		case testedTwice(f, c.Tests):
			return p, "branches on its conditions cannot be told apart"
		case len(c.Tests) > 0:
		case i == last && l.Kind == code.ValueLogical:
			p.Hidden = map[int]bool{i: true}
		default:
			without = append(without, i)
		}
	}
	switch {
	case len(without) == 0:
		return p, ""
	case f.Table.Merged > 0:
		return p, "branches on its conditions cannot be told apart, or are constant"
	case len(without) == len(l.Conditions): // and so is all of the decision
		p.Fixed = make(map[int]decision.Value)
		for _, i := range without {
			p.Fixed[i] = decision.False
		}
		return p, ""
	case len(without) > mostConstants:
		return p, "too many of its conditions are constant"
	}
	p.Fixed, lost = constants(l, &p, without)
	return p, lost
}

// never returns the values that conditions of a decision cannot have: no path takes an edge on which they do.
func never(l *code.Logical, feasible []bool) map[decision.Literal]bool {
	never := make(map[decision.Literal]bool)
	for i, c := range l.Conditions {
		isTrue, isFalse := len(c.Tests) == 0, len(c.Tests) == 0
		for _, t := range c.Tests {
			isTrue = isTrue || feasible[t.Then]
			isFalse = isFalse || slices.ContainsFunc(t.Else, func(id int) bool { return feasible[id] })
		}
		never[decision.Literal{Condition: i, Is: decision.True}] = !isTrue
		never[decision.Literal{Condition: i, Is: decision.False}] = !isFalse
	}
	return never
}

// testedTwice reports whether a block branches on one condition more than once: another one has got lost in it.
func testedTwice(f *profile.Function, tests []profile.Decision) bool {
	from := make(map[int]bool)
	for _, t := range tests {
		block := f.Table.Edges[t.Then].From
		if from[block] {
			return true
		}
		from[block] = true
	}
	return false
}

// mostConstants is how many conditions without a branch are looked at; all of their values are tried.
const mostConstants = 8

// constants returns the values of conditions that no branch is on, so that there would be branches on all others. Those
// that no evaluation comes to need not be constant, so as few are as will do.
func constants(l *code.Logical, p *decision.Problem, without []int) (map[int]decision.Value, string) {
	var best map[int]decision.Value
	fewest, several := len(without)+1, false
	for set := range uint(1) << len(without) {
		fixed := make(map[int]decision.Value)
		for i, c := range without {
			fixed[c] = decision.False
			if set>>i&1 == 1 {
				fixed[c] = decision.True
			}
		}
		evaluated, fits := reached(l, fixed)
		if !fits {
			continue
		}
		for c := range fixed {
			if !evaluated[c] {
				delete(fixed, c)
			}
		}
		switch {
		case len(fixed) < fewest:
			best, fewest, several = fixed, len(fixed), false
		case len(fixed) == fewest && !equal(best, fixed):
			several = true
		}
	}
	switch {
	case best == nil:
		return nil, "branches on its conditions cannot be told apart"
	case several:
		return nil, "it has a constant whose value is not known"
	}
	for _, c := range without {
		if _, ok := best[c]; !ok {
			best[c] = decision.False // no evaluation comes to it
		}
	}
	return best, ""
}

// reached returns which conditions can be evaluated, and whether the program would branch on all that have a branch.
// Evaluation then comes to them, and what comes next depends on them.
func reached(l *code.Logical, fixed map[int]decision.Value) (evaluated []bool, fits bool) {
	n := len(l.Conditions)
	isTrue, isFalse := l.Expr.Next(n)
	skip := func(i int) int { // constants
		for i >= 0 && fixed[i] != decision.Skipped {
			evaluated[i] = true
			if fixed[i] == decision.True {
				i = isTrue[i]
			} else {
				i = isFalse[i]
			}
		}
		return i
	}
	evaluated = make([]bool, n)
	first := skip(0)
	for i := range evaluated { // what is next comes later
		if i == first {
			evaluated[i] = true
		}
		if fixed[i] != decision.Skipped || !evaluated[i] {
			continue
		}
		t, f := skip(isTrue[i]), skip(isFalse[i])
		if t == f {
			return nil, false
		}
		for _, next := range []int{t, f} {
			if next >= 0 {
				evaluated[next] = true
			}
		}
	}
	for i := range evaluated {
		if fixed[i] == decision.Skipped && !evaluated[i] {
			return nil, false
		}
	}
	return evaluated, true
}

func equal(a, b map[int]decision.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for c, is := range a {
		if b[c] != is {
			return false
		}
	}
	return true
}
