// Package holes finds the conditions that were not seen both ways. Those at which most would be learnt come first, and
// those that lead to a panic last.
package holes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Hole is a condition that was never true, or never false, or neither.
type Hole struct {
	profile.Decision
	Function *profile.Function
	Never    string // "true", "false", "evaluated"
	Other    int64  // how often it was the other
}

// All returns the holes of functions that were executed, those first whose condition was the other most often.
func All(p *profile.Profile) []Hole {
	var list []Hole
	for _, f := range p.Functions() {
		if f.Executed() {
			list = append(list, Of(f)...)
		}
	}
	sort(list)
	return list
}

// Of returns the holes of a function in that order.
func Of(f *profile.Function) []Hole {
	var list []Hole
	for _, d := range f.Decisions() {
		h := Hole{Decision: d, Function: f}
		switch {
		case d.True == 0 && d.False == 0:
			h.Never = "evaluated"
		case d.True == 0:
			h.Never, h.Other = "true", d.False
		case d.False == 0:
			h.Never, h.Other = "false", d.True
		default:
			continue
		}
		list = append(list, h)
	}
	sort(list)
	return list
}

func sort(list []Hole) {
	slices.SortStableFunc(list, func(a, b Hole) int { return Compare(&a, &b) })
}

// Compare puts holes first at which control came most often. Those that lead to a call of panic come behind all others.
// Most are there for what cannot happen, and the more often control came by, the less it can.
func Compare(a, b *Hole) int {
	if a, b := a.panics(), b.panics(); a != b {
		if a {
			return 1
		}
		return -1
	}
	return cmp.Compare(b.Other, a.Other)
}

// panics reports whether what was never seen leads to a call of panic, and to nothing else.
func (h *Hole) panics() bool {
	edges := h.Else
	switch h.Never {
	case "true":
		edges = []int{h.Then}
	case "evaluated":
		return false
	}
	t := h.Function.Table
	for _, id := range edges {
		to := t.Edges[id].To
		out := slices.IndexFunc(t.Edges, func(e table.Edge) bool { return e.From == to })
		if out < 0 || t.Edges[out].Kind != table.CallPanic {
			return false
		}
	}
	return len(edges) > 0
}

// Known tells that the outcome did not happen. Otherwise it was not seen in samples, and may have happened.
func (h *Hole) Known() bool {
	return (h.Never == "false" || h.NeverTrue) && (h.Never == "true" || h.NeverFalse)
}

// Says returns "never false (true 4 times)", or "false not seen" where it may have happened.
func (h *Hole) Says() string { return h.SaysOf(known.EdgesOf(h.Function)) }

// SaysOf is Says for many holes of a function, which has these edges.
func (h *Hole) SaysOf(edges *known.AllEdges) string {
	if !h.Known() {
		return h.Never + " not seen"
	}
	says := "never " + h.Never
	if other := h.otherwise(edges); other != "" {
		return fmt.Sprintf("%s (%s)", says, other)
	}
	return says
}

// Otherwise returns "true 4 times", "" if it is not known how often.
func (h *Hole) Otherwise() string { return h.otherwise(known.EdgesOf(h.Function)) }

func (h *Hole) otherwise(of *known.AllEdges) string {
	is, edges := "false", h.Else
	if h.Never == "false" {
		is, edges = "true", []int{h.Then}
	}
	e, estimated := of.Estimate(h.Other, edges...)
	switch {
	case h.Other == 0 || h.Function.Certainty() == profile.Whether || estimated && e.String() == show.Unknown:
		return ""
	case estimated:
		return fmt.Sprintf("%s %s times", is, e)
	}
	return is + " " + show.Times(h.Other)
}

// Operand returns the text of the condition.
func (h *Hole) Operand(texts *code.Texts) code.Operand {
	return texts.Of(h.Function).Condition(&h.Condition)
}
