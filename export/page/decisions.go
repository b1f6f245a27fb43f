package page

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// decisionView is a decision with its vectors and what is known of its conditions.
type decisionView struct {
	*mcdc.Decision
	Rows    []vectorRow // with which it was evaluated, and then those that are wanted
	More    int         // that are not in Rows
	Effects []effectView
	Missing int // conditions
}

// vectorRow is a vector.
type vectorRow struct {
	Values  []string
	Outcome string
	Count   string
	Wanted  bool
}

// effectView is what is known of a condition.
type effectView struct {
	Text, Says string
	Missing    bool
}

// mostVectors is how many vectors of a decision are shown.
const mostVectors = 50

// decisionsOf returns the decisions of a function.
func (s *Site) decisionsOf(f *function) (list []decisionView) {
	for _, d := range gate.Decisions(f.Function, s.texts).Decisions {
		v := decisionView{Decision: d}
		for _, e := range d.Vectors[:min(len(d.Vectors), mostVectors)] {
			row := vectorRow{Outcome: e.OutcomeText(), Count: show.Count(e.Count), Values: valuesOf(e.Vector)}
			if e.Hidden {
				row.Values[len(row.Values)-1] = "?"
			}
			v.Rows = append(v.Rows, row)
		}
		v.More = len(d.Vectors) - len(v.Rows)
		for _, wanted := range d.Suggest {
			v.Rows = append(v.Rows, vectorRow{Values: valuesOf(wanted), Outcome: d.Expr.Outcome(wanted).String(), Wanted: true})
		}
		for i, e := range d.Effects {
			missing := e.State == decision.Missing
			v.Missing += one(missing)
			v.Effects = append(v.Effects, effectView{d.Conditions[i].Text, mcdc.EffectText(d, &e), missing})
		}
		list = append(list, v)
	}
	return list
}

func valuesOf(v decision.Vector) (list []string) {
	for _, is := range v {
		list = append(list, is.String())
	}
	return list
}

// Cuts says which evaluations are not among the vectors, and why.
func (v *decisionView) Cuts() (list []string) {
	if v.Cut > 0 {
		list = append(list, fmt.Sprintf("Cut short by a panic or the end of the program: %s.", show.Count(v.Cut)))
	}
	if v.Joined > 0 {
		list = append(list, fmt.Sprintf("In two paths, of which it is not known which belong together: %s.",
			show.Count(v.Joined)))
	}
	if v.More > 0 {
		list = append(list, show.Plural(v.More, "more vector")+".")
	}
	return list
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
