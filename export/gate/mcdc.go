package gate

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// An effect is that of a condition on its decision.
type effect struct {
	decision  *mcdc.Decision
	condition int
	evidence
}

// addEffects adds the effects of conditions whose decision is on changed lines. Those that nothing can show are apart.
func (m *measured) addEffects(lines Lines) {
	fn := mcdc.Of(m.Function, m.texts, m.edges)
	m.unreadDecisions = fn.Unread && lines.has(m.Function, m.Table.Line, m.Table.EndLine) && !m.ignore.Whole
	for _, d := range fn.Decisions {
		if !lines.has(m.Function, d.Line, d.EndLine) {
			continue
		}
		whole := m.ignore.Any() && m.ignoresOutcomeOf(d)
		for i, e := range d.Effects {
			isMarked := func(t profile.Decision) bool { return m.ignore.Place(t.Line, t.Col) }
			switch {
			case whole || m.ignore.Any() && slices.ContainsFunc(d.Conditions[i].Tests, isMarked):
				m.count(MCDC, 1)
			case e.State == decision.Unknown:
				m.apart.Unknown++
			case e.State == decision.Constant:
				m.apart.Constant++
			case e.State == decision.Infeasible:
				m.apart.Infeasible++
			default:
				m.effects = append(m.effects, effect{d, i, evidence{e.State == decision.Shown, !d.Doubtful}})
			}
		}
	}
}

// ignoresOutcomeOf reports whether one of the outcomes of a decision leads to ignored code only.
func (m *measured) ignoresOutcomeOf(d *mcdc.Decision) bool {
	isTrue, isFalse := d.Expr.Next(len(d.Conditions))
	var exits [2][]int // edges, by outcome
	add := func(next int, edges ...int) {
		switch next {
		case decision.ToTrue:
			exits[1] = append(exits[1], edges...)
		case decision.ToFalse:
			exits[0] = append(exits[0], edges...)
		}
	}
	for i, c := range d.Conditions {
		for _, t := range c.Tests {
			add(isTrue[i], t.Then)
			add(isFalse[i], t.Else...)
		}
	}
	isDemanded := func(id int) bool { return !m.ignore.Branch(id) }
	return slices.ContainsFunc(exits[:], func(edges []int) bool { return len(edges) > 0 && !slices.ContainsFunc(edges, isDemanded) })
}

// missingEffects returns the conditions whose effect was not shown.
func (m *measured) missingEffects(lost *lost) []*Missing {
	var list []*Missing
	for _, e := range m.effects {
		if !e.missing() {
			continue
		}
		d, c := e.decision, &e.decision.Conditions[e.condition]
		var first []int // edges out of the first condition: up to there the way is of use
		for _, t := range d.Conditions[0].Tests {
			first = append(append(first, t.Then), t.Else...)
		}
		item := m.missing(MCDC, fmt.Sprintf("%s: %s", d.Text, c.Text), func(id int) bool { return slices.Contains(first, id) }, nil)
		item.Detail = mcdc.MissingText(&d.Effects[e.condition])
		item.Line, item.Col = c.Line, c.Col
		for _, t := range c.Tests {
			item.New = item.New || lost.isNew(m.Function, append([]int{t.Then}, t.Else...)...)
		}
		list = append(list, item)
	}
	return list
}

// addApart adds what is said of MC/DC besides coverage.
func (r *Result) addApart(functions []*measured) {
	for _, m := range functions {
		r.Apart.Unknown += m.apart.Unknown
		r.Apart.Constant += m.apart.Constant
		r.Apart.Infeasible += m.apart.Infeasible
		if m.unreadDecisions {
			why := "its source has changed since the run"
			if text := m.texts.Of(m.Function); !text.Edited() {
				why = text.Changed()
			}
			r.Unread = append(r.Unread, fmt.Sprintf("decisions of %s: %s", m.Table.Name, why))
		}
	}
}

// apartNotes says which conditions MC/DC does not demand.
func (r *Result) apartNotes() (list []string) {
	if !r.demands(MCDC) {
		return nil
	}
	if n := r.Apart.Unknown; n > 0 {
		list = append(list, fmt.Sprintf("not known: the effect of %s, which paths do not tell, as of b in x := a && b",
			show.Plural(n, "condition")))
	}
	if n := r.Apart.Constant; n > 0 {
		list = append(list, fmt.Sprintf("not demanded: %s that cannot be otherwise", show.Plural(n, "condition")))
	}
	if n := r.Apart.Infeasible; n > 0 {
		list = append(list, fmt.Sprintf("not demanded: the effect of %s, which other conditions hide",
			show.Plural(n, "condition")))
	}
	return list
}
