package mcdc

import (
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
)

// Text returns the vector as people read it: "true·false·–", with "?" for what is hidden.
func (v *Evaluated) Text() string {
	text := v.Vector.String()
	if v.Hidden {
		text = strings.TrimSuffix(text, decision.Skipped.String()) + "?"
	}
	return text
}

// OutcomeText returns the outcome, "?" if it is not known.
func (v *Evaluated) OutcomeText() string {
	if v.Outcome == decision.Skipped {
		return "?"
	}
	return v.Outcome.String()
}

// EffectText says what is known of the effect of a condition of d: "have true·true·–, want true·false·false".
func EffectText(d *Decision, e *decision.Effect) string {
	switch e.State {
	case decision.Shown:
		if e.Pair[0] == nil {
			return "shown"
		}
		return fmt.Sprintf("shown by %s: %s and %s", e.By, e.Pair[0], e.Pair[1])
	case decision.Missing:
		if d.Doubtful {
			return MissingText(e) + ", which may have been"
		}
		return MissingText(e)
	case decision.Constant:
		return "constant, or left out when it was compiled"
	case decision.Infeasible:
		return "infeasible: other conditions hide it, or keep it from being otherwise"
	}
	return "unknown: paths do not tell"
}

// MissingText names what is missing as the pair of vectors: "have true·true·–, want true·false·false".
func MissingText(e *decision.Effect) string {
	var want []string
	for _, v := range e.Want {
		want = append(want, v.String())
	}
	text := "want " + strings.Join(want, " and ")
	switch {
	case len(want) == 0:
		var never []string
		for _, is := range e.Never {
			never = append(never, is.String())
		}
		return "want it to decide while it is " + strings.Join(never, ", and while it is ")
	case e.Have != nil:
		return fmt.Sprintf("have %s, %s", e.Have, text)
	}
	return text
}
