package compare

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Outcomes are those of conditions that one profile has seen and the other has not, those first at which control came
// most often. What may have happened unseen is in none of them.
type Outcomes struct {
	Found []Outcome // only the second profile has seen them
	Lost  []Outcome // only the first one has
	New   []Outcome // never seen, of conditions that only the second profile has
}

// An Outcome is what one profile has not seen of a condition, and the other has.
type Outcome struct {
	holes.Hole                   // of the profile that has not
	Seen       profile.Condition // of the profile that has
	Now        *profile.Function // in the second profile
	At         profile.Condition // of Now
}

// newOutcomes compares the conditions of functions that are in both profiles, and of what was executed of others.
func newOutcomes(m *Matching) *Outcomes {
	o := new(Outcomes)
	for _, p := range m.Pairs {
		o.addPair(p)
	}
	for _, f := range m.OnlyNew {
		o.addNew(f, func(int) bool { return true })
	}
	byOther := func(a, b Outcome) int { return holes.Compare(&a.Hole, &b.Hole) }
	slices.SortStableFunc(o.Found, byOther)
	slices.SortStableFunc(o.Lost, byOther)
	slices.SortStableFunc(o.New, byOther)
	return o
}

// addPair adds what is different in a function.
func (o *Outcomes) addPair(p *Pair) {
	before := make(map[int]*profile.Decision) // by the edge of the second profile that is taken where it is true
	for _, d := range p.Old.Decisions() {
		if then := p.edges[d.Then]; then >= 0 {
			before[then] = &d
		}
	}
	for _, now := range p.New.Decisions() {
		was := before[now.Then]
		if was == nil {
			continue
		}
		if h, ok := missing(p.Old, was, &now.Condition); ok {
			o.Found = append(o.Found, Outcome{h, now.Condition, p.New, now.Condition})
		}
		if h, ok := missing(p.New, &now, &was.Condition); ok {
			o.Lost = append(o.Lost, Outcome{h, was.Condition, p.New, now.Condition})
		}
	}
	if p.Changed {
		o.addNew(p.New, func(then int) bool { return before[then] == nil })
	}
}

// missing returns what a function has not seen of a condition, and another profile has.
func missing(f *profile.Function, d *profile.Decision, seen *profile.Condition) (h holes.Hole, ok bool) {
	noTrue, noFalse := d.NeverTrue && seen.True > 0, d.NeverFalse && seen.False > 0
	h = holes.Hole{Decision: *d, Function: f}
	switch {
	case d.Outcomes() == 0 && (noTrue || noFalse):
		h.Never = "evaluated"
	case noTrue:
		h.Never, h.Other = "true", d.False
	case noFalse:
		h.Never, h.Other = "false", d.True
	default:
		return h, false
	}
	return h, true
}

// addNew adds the conditions of f that were not seen both ways, of those that are new.
func (o *Outcomes) addNew(f *profile.Function, isNew func(then int) bool) {
	if !f.Executed() {
		return
	}
	for _, h := range holes.Of(f) {
		if h.Known() && isNew(h.Then) {
			o.New = append(o.New, Outcome{Hole: h, Now: f, At: h.Condition})
		}
	}
}

// Operand returns the text of the condition in the source of the second profile.
func (c *Comparison) Operand(o *Outcome) code.Operand {
	return c.new.Of(o.Now).Condition(&o.At)
}

// A List is the outcomes of one kind.
type List struct {
	ID, Title string
	Outcomes  []Outcome
	before    bool // the first profile has not seen them
}

// OutcomeLists returns all outcomes that the profiles do not have in common.
func (c *Comparison) OutcomeLists() []List {
	return []List{
		{"lost", "Outcomes of conditions that only the first profile has seen", c.Outcomes.Lost, false},
		{"new", "Outcomes never seen, of conditions that only the second profile has", c.Outcomes.New, false},
		{"found", "Outcomes of conditions that only the second profile has seen", c.Outcomes.Found, true},
	}
}

// Says returns what is missing: "never true (false 3 times)", or "was never true" in the first profile.
func (l *List) Says(o *Outcome) string {
	if l.before {
		return "was " + o.Hole.Says()
	}
	return o.Hole.Says()
}
