package decision

import (
	"cmp"
	"slices"
)

// A Problem is a decision with what is known of it.
type Problem struct {
	Expr  *Expr
	Fixed map[int]Value // conditions that are constant
	// Hidden are conditions whose values nothing tells: [Observation] has both alternatives.
	Hidden    map[int]bool
	Never     map[Literal]bool // values that conditions cannot have
	Couplings []Coupling
}

// An Observation is an evaluation. If it is not known which of several vectors it had, it has more than one.
type Observation struct{ Alternatives []Vector }

// A Criterion is a form of MC/DC; a stricter one is larger.
type Criterion int8

// The criteria: see the package's documentation.
const (
	Masking Criterion = iota + 1
	UniqueCauseMasking
	UniqueCause
)

// String returns "masking", "unique cause and masking", "unique cause".
func (c Criterion) String() string {
	return []string{"", "masking", "unique cause and masking", "unique cause"}[c]
}

// A State is what is known of the independent effect of a condition.
type State string

// The states.
const (
	Shown      State = "shown"
	Missing    State = "missing"
	Constant   State = "constant"   // the condition is
	Infeasible State = "infeasible" // no evaluation can show it, by what is coupled or constant
	Unknown    State = "unknown"    // what was observed does not tell, or nothing that could be would
)

// An Effect is what is known of one condition.
type Effect struct {
	State State
	By    Criterion // the strictest that shows it
	Pair  [2]Vector // that shows it: the condition is true in the first

	// If it is Missing: a vector that was seen, nil if there is none, and one or two that are missing.
	Have Vector
	Want []Vector
	// Never are the values of the condition with which it never decided.
	Never []Value
}

// A Result is what is known of a decision.
type Result struct {
	Effects []Effect // by condition
	Suggest []Vector // a small set with which nothing would be missing, those first that show most
	Partial bool     // there are too many vectors to look at each: what is infeasible, or wanted, may not be found
}

// mostVectors is how many possible vectors of a decision are looked at. One of 12 conditions has 4096 at most. All
// together they have at most mostValues values: generated code has decisions of thousands of conditions.
const (
	mostVectors = 1 << 12
	mostValues  = 1 << 18
)

// Assess tells which conditions have been shown to affect a decision independently.
func Assess(p *Problem, seen []Observation) *Result {
	a := newAssessment(p, seen)
	r := &Result{Effects: make([]Effect, a.n), Partial: a.more}
	for i := range r.Effects {
		r.Effects[i] = a.effect(i)
	}
	a.suggest(r)
	return r
}

// An assessment is that of one decision.
type assessment struct {
	*Problem
	n        int
	couples  *couplings
	certain  []Vector // that were seen
	possible []Vector // all that can be, as far as is known
	more     bool

	sure, maybe, feasible, tellable map[Literal]bool     // with what values conditions decide
	seen                            map[Literal][]Vector // in which they do
}

func newAssessment(p *Problem, seen []Observation) *assessment {
	a := &assessment{Problem: p, n: p.Expr.Conditions(), seen: make(map[Literal][]Vector)}
	a.sure, a.maybe = make(map[Literal]bool), make(map[Literal]bool)
	for _, o := range seen {
		a.observe(o)
	}
	a.couples = newCouplings(p.Couplings, a.certain)
	a.possible, a.more = p.Expr.Vectors(a.n, min(mostVectors, mostValues/a.n), func(v Vector, i int, is Value) bool {
		if fixed, ok := p.Fixed[i]; ok && fixed != is {
			return false
		}
		return !p.Never[Literal{i, is}] && a.couples.allows(v, i, is)
	})
	a.feasible = a.facts(a.possible)
	a.tellable = a.told()
	return a
}

// observe notes what an evaluation shows.
func (a *assessment) observe(o Observation) {
	if len(o.Alternatives) == 1 {
		v := o.Alternatives[0]
		a.certain = append(a.certain, v)
		for l := range a.facts(o.Alternatives) {
			a.seen[l] = append(a.seen[l], v)
		}
	}
	in := make(map[Literal]int)
	for _, v := range o.Alternatives {
		for l := range a.facts([]Vector{v}) {
			in[l]++
		}
	}
	for l, n := range in {
		a.maybe[l] = true
		if n == len(o.Alternatives) {
			a.sure[l] = true
		}
	}
}

// facts returns with what values conditions decide in any of some vectors.
func (a *assessment) facts(list []Vector) map[Literal]bool {
	facts := make(map[Literal]bool)
	for _, v := range list {
		for i, decides := range a.Expr.Decides(v) {
			if decides {
				facts[Literal{i, v[i]}] = true
			}
		}
	}
	return facts
}

// told returns the facts that an evaluation can tell, although some conditions are hidden: all vectors that look the
// same have it.
func (a *assessment) told() map[Literal]bool {
	if len(a.Hidden) == 0 {
		return a.feasible
	}
	alike := make(map[string][]Vector)
	for _, v := range a.possible {
		shown := v.clone()
		for i := range a.Hidden {
			shown[i] = Skipped
		}
		alike[shown.key()] = append(alike[shown.key()], v)
	}
	told := make(map[Literal]bool)
	for _, list := range alike {
		in := make(map[Literal]int)
		for i := range list {
			for l := range a.facts(list[i : i+1]) {
				if in[l]++; in[l] == len(list) {
					told[l] = true
				}
			}
		}
	}
	return told
}

// effect returns what is known of a condition.
func (a *assessment) effect(i int) (e Effect) {
	has := func(facts map[Literal]bool, not map[Literal]bool) bool {
		for _, is := range []Value{True, False} {
			if l := (Literal{i, is}); !facts[l] && !not[l] {
				return false
			}
		}
		return true
	}
	_, fixed := a.Fixed[i]
	switch {
	case fixed:
		e.State = Constant
	case has(a.sure, nil):
		e.State = Shown
		e.By, e.Pair = a.pair(i)
	case !a.more && !has(a.feasible, a.maybe):
		e.State = Infeasible
	case has(a.maybe, nil), !a.more && !has(a.tellable, a.sure):
		e.State = Unknown
	default:
		e.State = Missing
		for _, is := range []Value{True, False} {
			if !a.sure[Literal{i, is}] {
				e.Never = append(e.Never, is)
			}
		}
	}
	return e
}

// pair returns the pair of vectors that shows the effect of a condition by the strictest criterion. Of several it
// returns the one in which the fewest others differ. The pair is empty if no single evaluations show the effect.
func (a *assessment) pair(i int) (best Criterion, pair [2]Vector) {
	best = Masking
	least := a.n + 1
	for _, v := range a.seen[Literal{i, True}] {
		for _, w := range a.seen[Literal{i, False}] {
			by, n := a.criterion(i, v, w), v.distance(w)
			if by > best || by == best && n < least {
				best, least, pair = by, n, [2]Vector{v, w}
			}
		}
	}
	return best, pair
}

// criterion returns by what two vectors show the effect of a condition, given that it decides in both.
func (a *assessment) criterion(i int, v, w Vector) Criterion {
	by := UniqueCause
	for j := range v {
		switch {
		case j == i || !v.differ(w, j):
		case a.couples.coupled[[2]int{i, j}]:
			by = min(by, UniqueCauseMasking)
		default:
			by = Masking
		}
	}
	return by
}

// nearest returns the vector that differs least from another; nil if there is none.
func nearest(list []Vector, to Vector) (found Vector) {
	for _, v := range list {
		if found == nil || v.distance(to) < found.distance(to) {
			found = v
		}
	}
	return found
}

// suggest sets the vectors that are wanted: a few with which nothing would be missing. Each is the one that shows
// most of what is still missing, and of these the one that is nearest to what was seen.
func (a *assessment) suggest(r *Result) {
	missing := make(map[Literal]bool)
	for i, e := range r.Effects {
		for _, is := range e.Never {
			missing[Literal{i, is}] = true
		}
	}
	wanted := make(map[Literal]Vector)
	var candidates []candidate
	if len(missing) > 0 {
		candidates = a.candidates()
	}
	for len(missing) > 0 && len(candidates) > 0 {
		best := slices.MaxFunc(candidates, func(c, d candidate) int {
			return cmp.Or(cmp.Compare(c.showing(missing), d.showing(missing)), cmp.Compare(d.distance, c.distance))
		})
		if best.showing(missing) == 0 {
			break
		}
		r.Suggest = append(r.Suggest, best.Vector)
		for _, l := range best.shows {
			if missing[l] {
				wanted[l] = best.Vector
				delete(missing, l)
			}
		}
	}
	for i := range r.Effects {
		r.Effects[i].want(a, i, wanted)
	}
}

// want sets Have and Want of a condition whose effect is missing.
func (e *Effect) want(a *assessment, i int, wanted map[Literal]Vector) {
	for _, is := range e.Never {
		if v := wanted[Literal{i, is}]; v != nil {
			e.Want = append(e.Want, v)
		}
	}
	if len(e.Never) == 1 && len(e.Want) == 1 {
		e.Have = nearest(a.seen[Literal{i, e.Never[0].not()}], e.Want[0])
	}
}

// A candidate is a vector that may be suggested.
type candidate struct {
	Vector
	shows    []Literal // what it tells, whatever is hidden
	distance int       // from the nearest that was seen
}

// candidates returns all possible vectors. It needs one to be possible.
func (a *assessment) candidates() (list []candidate) {
	for _, v := range a.possible {
		c := candidate{Vector: v}
		for i, decides := range a.Expr.Decides(v) {
			if l := (Literal{i, v[i]}); decides && a.tellable[l] {
				c.shows = append(c.shows, l)
			}
		}
		if near := nearest(a.certain, v); near != nil {
			c.distance = near.distance(v)
		}
		list = append(list, c)
	}
	return list
}

// showing returns how many of some facts a vector shows.
func (c *candidate) showing(missing map[Literal]bool) (n int) {
	for _, l := range c.shows {
		if missing[l] {
			n++
		}
	}
	return n
}
