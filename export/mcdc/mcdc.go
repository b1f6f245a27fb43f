package mcdc

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Function has the decisions of a function.
type Function struct {
	Decisions []*Decision // in source order

	// Unread tells that there may be others: the function has conditions, and its source cannot be read, or has changed.
	Unread bool
}

// A Decision is one with what is known of its conditions.
type Decision struct {
	code.Logical
	*decision.Result // Effects is indexed as Conditions

	Function *profile.Function
	Vectors  []Evaluated // with which it was evaluated, the most frequent first
	Cut      int64       // evaluations that a panic, or the end of the program, has cut short
	Joined   int64       // evaluations of which it is not known how they began, since paths are cut in their midst
	Why      string      // nothing is known of any condition, since …; or ""
	Doubtful bool        // what is missing may have been executed: in paths that were sampled, or before a panic
}

// Evaluated is how often a decision was evaluated with a vector.
type Evaluated struct {
	decision.Vector // what is hidden is Skipped in it
	Outcome         decision.Value
	Count           int64
	Hidden          bool // the last condition was evaluated, and is not known
}

// Of returns the decisions of a function. That of a declined one has none. Feasible tells of each edge whether any
// path can take it; if it is nil, all can.
func Of(f *profile.Function, texts *code.Texts, feasible []bool) *Function {
	if f.Declined() {
		return new(Function)
	}
	list, known := texts.Of(f).Logicals()
	fn := &Function{Unread: !known && hasOperands(f)}
	for i := range list {
		fn.Decisions = append(fn.Decisions, &Decision{Logical: list[i], Function: f})
	}
	if len(list) == 0 {
		return fn
	}
	r := newReader(f, fn.Decisions, feasible)
	r.read()
	for i, d := range fn.Decisions {
		r.found[i].assess(d)
	}
	return fn
}

// hasOperands reports whether there are conditions of f that may belong to a decision.
func hasOperands(f *profile.Function) bool {
	return slices.ContainsFunc(f.Table.Edges, func(e table.Edge) bool { return e.Kind == table.CondTrue || e.Kind == table.CondFalse })
}

// Total is how much is known of decisions.
type Total struct {
	Decisions int // in which the effect of a condition can be shown
	Complete  int // in which that of all has been that can be
	Others    int // in which none can be

	Conditions int // of all of them
	Shown      int // to have an effect of their own, by masking
	Unique     int // of these, by unique cause
	Constant   int
	Infeasible int
	Unknown    int // by what paths do not tell, whatever was executed
	Doubtful   int // not shown, but may have been: see Decision

	Unread int // functions whose decisions are not known
}

// Demanded returns how many conditions can be shown to have an effect.
func (t *Total) Demanded() int { return t.Conditions - t.Constant - t.Infeasible - t.Unknown }

// Add adds what is known of a function.
func (t *Total) Add(f *Function) {
	if f.Unread {
		t.Unread++
	}
	for _, d := range f.Decisions {
		t.add(d)
	}
}

func (t *Total) add(d *Decision) {
	t.Conditions += len(d.Effects)
	demanded, missing := 0, 0
	for _, e := range d.Effects {
		switch e.State {
		case decision.Shown:
			demanded++
			if e.By == decision.UniqueCause {
				t.Unique++
			}
		case decision.Missing:
			demanded++
			missing++
		case decision.Constant:
			t.Constant++
		case decision.Infeasible:
			t.Infeasible++
		case decision.Unknown:
			t.Unknown++
		}
	}
	t.Shown += demanded - missing
	switch {
	case demanded == 0:
		t.Others++
		return
	case missing == 0:
		t.Complete++
	case d.Doubtful:
		t.Doubtful += missing
	}
	t.Decisions++
}
