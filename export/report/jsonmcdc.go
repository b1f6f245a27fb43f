package report

import (
	"strings"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// What the JSON report has of MC/DC.
type (
	jsonMCDC struct {
		Conditions jsonShare      `json:"conditions"`          // that have been shown to have an effect of their own, by masking
		Unique     int            `json:"unique_cause"`        // of these, by unique cause
		Decisions  jsonShare      `json:"decisions"`           // of which that is so of all conditions
		Unknown    int            `json:"unknown"`             // conditions that are not in these numbers: paths do not tell
		Constant   int            `json:"constant"`            // …
		Infeasible int            `json:"infeasible"`          // …
		Doubtful   int            `json:"doubtful"`            // not shown, but may have been
		Unread     int            `json:"functions_not_known"` // their sources cannot be read
		List       []jsonDecision `json:"list"`                // of functions that ran
	}
	jsonDecision struct {
		Function   string          `json:"function"`
		File       string          `json:"file"`
		Line       int             `json:"line"`
		Col        int             `json:"col"`
		Kind       string          `json:"kind"` // "if", "for", "case", "value"
		Text       string          `json:"text"`
		Conditions []jsonEffect    `json:"conditions"`
		Vectors    []jsonEvaluated `json:"vectors"`
		Cut        int64           `json:"cut_short,omitempty"`      // evaluations that a panic, or the end of the program, has ended
		Joined     int64           `json:"not_told_apart,omitempty"` // evaluations in two paths: which belong together is not known
		Why        string          `json:"why,omitempty"`            // nothing is known of any condition
		Doubtful   bool            `json:"doubtful,omitempty"`       // what is missing may have been executed
		Suggest    []jsonVector    `json:"suggest,omitempty"`        // with these nothing would be missing
	}
	jsonEffect struct {
		Text  string       `json:"text"`
		Line  int          `json:"line"`
		Col   int          `json:"col"`
		State string       `json:"state"` // "shown", "missing", "unknown", "constant", "infeasible"
		By    string       `json:"by,omitempty"`
		Pair  []jsonVector `json:"pair,omitempty"` // that shows it
		Have  jsonVector   `json:"have,omitempty"` // of a pair that would, and what of it is missing
		Want  []jsonVector `json:"want,omitempty"`
	}
	jsonEvaluated struct {
		Values  jsonVector `json:"values"`
		Outcome *bool      `json:"outcome"` // null if it is not known
		Count   int64      `json:"count"`
	}
	// A jsonVector has a character for each condition: "t" or "f", "-" if it was not evaluated, "?" if it was and is not known.
	jsonVector string
)

func newJSONMCDC(p *profile.Profile, texts *code.Texts) jsonMCDC {
	var total mcdc.Total
	j := jsonMCDC{List: []jsonDecision{}}
	for _, f := range p.Functions() {
		fn := gate.Decisions(f, texts)
		total.Add(fn)
		if f.Executed() {
			for _, d := range fn.Decisions {
				j.List = append(j.List, newJSONDecision(d))
			}
		}
	}
	j.Conditions, j.Decisions = jsonShare{total.Shown, total.Demanded()}, jsonShare{total.Complete, total.Decisions}
	j.Unique, j.Unknown, j.Constant, j.Infeasible = total.Unique, total.Unknown, total.Constant, total.Infeasible
	j.Doubtful, j.Unread = total.Doubtful, total.Unread
	return j
}

func newJSONDecision(d *mcdc.Decision) jsonDecision {
	f := d.Function.Table
	j := jsonDecision{
		Function: f.Name, File: f.File, Line: d.Line, Col: d.Col, Kind: string(d.Kind), Text: d.Text,
		Vectors: []jsonEvaluated{}, Cut: d.Cut, Joined: d.Joined, Why: d.Why, Doubtful: d.Doubtful, Suggest: newJSONVectors(d.Suggest),
	}
	for i, e := range d.Effects {
		c := d.Conditions[i]
		effect := jsonEffect{Text: c.Text, Line: c.Line, Col: c.Col, State: string(e.State)}
		effect.Have, effect.Want = newJSONVector(e.Have), newJSONVectors(e.Want)
		if e.State == decision.Shown {
			effect.By = e.By.String()
			if e.Pair[0] != nil {
				effect.Pair = newJSONVectors(e.Pair[:])
			}
		}
		j.Conditions = append(j.Conditions, effect)
	}
	for _, v := range d.Vectors {
		j.Vectors = append(j.Vectors, newJSONEvaluated(&v))
	}
	return j
}

func newJSONVectors(list []decision.Vector) (vectors []jsonVector) {
	for _, v := range list {
		vectors = append(vectors, newJSONVector(v))
	}
	return vectors
}

func newJSONVector(v decision.Vector) jsonVector {
	var b strings.Builder
	for _, is := range v {
		b.WriteByte("-ft"[is])
	}
	return jsonVector(b.String())
}

// newJSONEvaluated has "?" for what is hidden.
func newJSONEvaluated(v *mcdc.Evaluated) jsonEvaluated {
	j := jsonEvaluated{Values: newJSONVector(v.Vector), Count: v.Count}
	if v.Hidden {
		j.Values = j.Values[:len(j.Values)-1] + "?"
	}
	if v.Outcome != decision.Skipped {
		is := v.Outcome == decision.True
		j.Outcome = &is
	}
	return j
}
