package audit

import (
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/audit"
)

// A Base is the commit that functions are compared with, as their second versions.
type Base struct {
	Revision string  `json:"revision"` // as the user calls it
	Commit   string  `json:"commit"`
	Limit    float64 `json:"fail_if_slower,omitempty"` // of the time at the base: the share by which no function may be slower; 0 for any
	Failed   int     `json:"failed"`                   // functions that are slower by more than the limit

	NotCompared []NotCompared `json:"not_compared,omitempty"`
	Unchanged   []string      `json:"unchanged,omitempty"` // functions that have changed in comments, layout and names of what is local
}

// NotCompared is what has changed and is not audited.
type NotCompared struct {
	Name   string `json:"name"` // of a function, mostly
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// What a change has made of a function.
const (
	Slower       = "slower"
	Faster       = "faster"
	NoDifference = "no difference"
	Placed       = "no difference beyond placement" // copies of the same code differ as much by where they lie in memory
	Open         = "open"                           // there is not enough evidence
	TooShort     = "too short"
	NotCalled    = "not called"
)

// A Change compares a function with what it was at the base.
type Change struct {
	Outcome string  `json:"outcome"`
	Known   bool    `json:"known"`  // there is an interval
	Effect  float64 `json:"effect"` // how much longer the function takes now, as a share of its time at the base
	Low     float64 `json:"low"`    // from which
	High    float64 `json:"high"`   // to which it is, with the confidence of the report
	Fails   bool    `json:"fails"`  // it is slower by more than the limit

	limit  float64
	short  string // the commit
	placed bool   // more timings would hardly narrow the interval, for placement makes it
}

// Limited reports whether it is known on which side of a limit a change is, or more timings would not tell.
func (c *Change) Limited(limit float64) bool {
	return c.Known && (c.Low > limit || c.High <= limit || c.placed)
}

// ChangeOf turns a pair, in which the version at the base is the second, round.
func ChangeOf(p verdict.Pair) Change {
	c := Change{Outcome: Open, Known: p.Known && p.Low > -1, placed: p.ByPlacement()}
	if c.Known {
		c.Effect, c.Low, c.High = inverse(p.Effect), inverse(p.High), inverse(p.Low)
	}
	switch {
	case p.Outcome == verdict.Same:
		c.Outcome = NoDifference
	case p.Outcome == verdict.Placed:
		c.Outcome = Placed
	case p.Outcome == verdict.Faster && p.Faster == p.B:
		c.Outcome = Slower
	case p.Outcome == verdict.Faster:
		c.Outcome = Faster
	}
	return c
}

// inverse returns the change from b to a of one from a to b.
func inverse(x float64) float64 { return 1/(1+x) - 1 }

// Judge notes what a change has made of a function whose second version is that of the base.
func (f *Function) Judge(b *Base) {
	c := Change{Outcome: Open}
	if len(f.Pairs) > 0 {
		c = ChangeOf(f.Pairs[0])
	}
	switch {
	case f.Outcome == verdict.TooShort:
		c.Outcome = TooShort
	case f.calls() == 0:
		c.Outcome = NotCalled
	}
	c.limit, c.short = b.Limit, b.short()
	c.Fails = b.Limit > 0 && c.Outcome == Slower && c.Low > b.Limit
	f.Change = &c
}

// Judge judges all functions by a base, and counts those that fail: by their calls, or where these leave it open by all of
// their loops.
func (r *Report) Judge(b *Base) {
	r.Base, b.Failed = b, 0
	for i := range r.Functions {
		r.Functions[i].Judge(b)
	}
	for i := range r.Functions {
		f := &r.Functions[i]
		if f.isLoop() {
			continue
		}
		if f.Change.Fails = f.Change.Fails || f.Change.Outcome == Open && r.loopsFail(f); f.Change.Fails {
			b.Failed++
		}
	}
}

func (f *Function) isLoop() bool { return strings.Contains(f.Name, audit.LoopMark) }

// loopsFail reports whether a function has loops that are timed, and all of them are slower by more than the limit.
func (r *Report) loopsFail(f *Function) bool {
	found := false
	for i := range r.Functions {
		l := &r.Functions[i]
		if !strings.HasPrefix(l.Name, f.Name+audit.LoopMark) || l.Change.Outcome == NotCalled {
			continue
		}
		if !l.Change.Fails {
			return false
		}
		found = true
	}
	return found
}

func (b *Base) short() string { return b.Commit[:min(12, len(b.Commit))] }

// name returns how the base is called.
func (b *Base) name() string {
	if strings.HasPrefix(b.Commit, b.Revision) {
		return b.short()
	}
	return fmt.Sprintf("%s (%s)", b.Revision, b.short())
}

// Summary returns what became of the gate, in one sentence.
func (r *Report) Summary() string {
	b := r.Base
	functions, open, placed, untimed := 0, 0, 0, 0
	for i := range r.Functions {
		f := &r.Functions[i]
		if f.isLoop() {
			continue
		}
		functions++
		switch c := f.Change; {
		case c.Outcome == NotCalled || c.Outcome == TooShort:
			untimed++
		case c.placed && !c.Fails && c.Outcome != NoDifference && (b.Limit > 0 && c.High > b.Limit || b.Limit == 0 && c.Outcome == Placed):
			placed++
		case c.Outcome == Open && !c.Fails || b.Limit > 0 && !c.Fails && c.High > b.Limit:
			open++
		}
	}
	text := fmt.Sprintf("%s against %s", show.Plural(functions, "function"), b.name())
	if functions == 0 {
		text = fmt.Sprintf("no function to compare with %s, and nothing was run", b.name())
	}
	if b.Limit > 0 && functions > 0 {
		text += fmt.Sprintf(": %s slower by more than %s", count(b.Failed), bare(b.Limit))
	}
	if open > 0 {
		text += fmt.Sprintf("; %d open, for more time or other benchmarks to tell", open)
	}
	if placed > 0 {
		text += fmt.Sprintf("; %d not told from what placement makes", placed)
	}
	if untimed > 0 {
		text += fmt.Sprintf("; %d not called or too short", untimed)
	}
	if b.Limit > 0 {
		return map[bool]string{true: "FAIL: ", false: "PASS: "}[b.Failed > 0] + text
	}
	return text
}

func count(n int) string {
	if n == 0 {
		return "none is"
	}
	return fmt.Sprintf("%d %s", n, map[bool]string{true: "is", false: "are"}[n == 1])
}

// bare returns a share as the user writes it.
func bare(x float64) string { return fmt.Sprintf("%.6g%%", 100*x) }

// verdict returns what the change has made of a function, in one sentence.
func (c *Change) verdict(f *Function, confidence float64) string {
	effort := f.effort()
	switch c.Outcome {
	case Slower, Faster:
		more, effect, low, high := "more", c.Effect, c.Low, c.High
		if c.Outcome == Faster {
			more, effect, low, high = "less", -c.Effect, -c.High, -c.Low
		}
		text := fmt.Sprintf("%s: it takes %s %s time than at %s [%s, %s], %s sure after %s", c.Outcome, share(effect), more, c.short, share(low), share(high),
			percent(confidence), effort)
		if c.Fails {
			text += fmt.Sprintf("; the limit is %s", bare(c.limit))
		}
		return text
	case NoDifference:
		return fmt.Sprintf("no difference: less than %s from %s, %s sure after %s", share(max(-c.Low, c.High)), c.short, percent(confidence), effort)
	case Placed:
		return fmt.Sprintf("no difference beyond placement: it takes between %s and %s of the time at %s, %s sure after %s; "+
			"copies of the same code at several places in memory differ as much", share(1+c.Low), share(1+c.High), c.short, percent(confidence), effort)
	case TooShort:
		return "too short to be timed: the clock alone takes too large a part of a call"
	case NotCalled:
		return "not called"
	}
	if f.timings() == 0 {
		return "open: no call has returned"
	}
	text := "open: not enough evidence after " + effort
	if c.Known {
		text += fmt.Sprintf("; it takes between %s and %s of the time at %s", share(1+c.Low), share(1+c.High), c.short)
	}
	if c.Fails {
		text += fmt.Sprintf("; all of its loops are slower by more than %s", bare(c.limit))
	}
	return text
}

// text writes what is not compared, and the summary.
func (b *Base) text(w *strings.Builder, r *Report) {
	next := func() {
		if w.Len() > 0 {
			w.WriteString("\n")
		}
	}
	if len(b.NotCompared) > 0 {
		next()
		w.WriteString("Not compared\n")
	}
	for _, n := range b.NotCompared {
		w.WriteString("  " + strings.Join(wrap(n.String(), 78), "\n    ") + "\n")
	}
	if len(b.Unchanged) > 0 {
		text := "Changed in what does not run (comments, layout, names of what is local): " + strings.Join(b.Unchanged, ", ")
		next()
		w.WriteString(strings.Join(wrap(text, 80), "\n  ") + "\n")
	}
	next()
	w.WriteString(strings.Join(wrap(r.Summary(), 80), "\n      ") + "\n")
}

func (n NotCompared) String() string {
	if n.File == "" {
		return fmt.Sprintf("%s: %s", n.Name, n.Reason)
	}
	return fmt.Sprintf("%s (%s:%d): %s", n.Name, n.File, n.Line, n.Reason)
}
