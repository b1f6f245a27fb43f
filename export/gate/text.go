package gate

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// plurals are what measures count.
var plurals = map[Measure]string{
	Path: "paths", Branch: "branches", Condition: "outcomes of conditions", Statement: "statements",
}

// WriteText writes the result of a check as text of 80 columns: the gates, and of those that failed what is missing.
func WriteText(w io.Writer, r *Result) error {
	out := bufio.NewWriter(w)
	for _, g := range r.Gates {
		fmt.Fprintln(out, gateText(r, g))
	}
	for _, line := range unreadLines(r) {
		fmt.Fprintln(out, "FAIL  "+line)
	}
	for _, g := range r.Gates {
		if g.Coverage.Doubtful.Sign() > 0 {
			fmt.Fprintln(out, doubtText(g))
		}
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(out, "not covered: %s whose counts cannot be read\n", show.Plural(r.LeftOut, "function"))
	}
	if r.Damaged > 0 {
		parts := show.Plural(r.Damaged, "part")
		fmt.Fprintf(out, "left out: %s of the run data that cannot be read; what they executed is not counted\n", parts)
	}
	if r.Infeasible.Sign() > 0 {
		fmt.Fprintf(out, "not demanded: %s on which conditions contradict each other\n", show.PluralBig(r.Infeasible, "path"))
	}
	if n := len(r.Unknown); n > 0 {
		fmt.Fprintf(out, "demanded: infeasible paths of %s, which would take too long to count\n", show.Plural(n, "function"))
	}
	if r.Declined > 0 {
		fmt.Fprintf(out, "declined: %s, not in these numbers\n", show.Plural(r.Declined, "function"))
	}
	var measure Measure
	for _, m := range r.Missing {
		if m.Measure != measure {
			writeMore(out, r, measure)
			measure = m.Measure
			fmt.Fprintf(out, "\nMissing %s, the most useful first\n\n", plurals[measure])
		}
		writeMissing(out, m)
	}
	writeMore(out, r, measure)
	return out.Flush()
}

// mostUnread is how many things that cannot be read are named.
const mostUnread = 5

// unreadLines says what the result is not about, in a few lines.
func unreadLines(r *Result) []string {
	var lines []string
	for _, what := range r.Unread[:min(len(r.Unread), mostUnread)] {
		lines = append(lines, "coverage is not known: "+show.Printable(what))
	}
	if more := len(r.Unread) - mostUnread; more > 0 {
		lines = append(lines, fmt.Sprintf("coverage is not known: and %d more parts that cannot be read", more))
	}
	return lines
}

// gateText returns "FAIL  path coverage 57.1% (4 of 7), want 90%".
func gateText(r *Result, g Gate) string {
	word, where := "ok  ", ""
	if !g.Passed {
		word = "FAIL"
	}
	if r.OnChanged && g.Baseline == nil {
		where = " of changed lines"
	}
	have := "nothing to cover"
	if g.Coverage.Possible.Sign() > 0 {
		have = coverageText(g.Coverage)
	}
	want := fmt.Sprintf("want %g%%", g.Want)
	if b := g.Baseline; b != nil {
		want = "baseline " + coverageText(*b)
	}
	return fmt.Sprintf("%s  %s coverage%s %s, %s", word, g.Measure, where, have, want)
}

// doubtText says what is not known of a gate's measure.
func doubtText(g Gate) string {
	text := fmt.Sprintf("not known: %s %s, which were not seen and may have been executed: paths were sampled",
		show.Possible(g.Coverage.Doubtful), plurals[g.Measure])
	if g.Open {
		text += "; with them it would pass"
	}
	return text
}

// coverageText returns "57.1% (4 of 7)".
func coverageText(c Coverage) string {
	return fmt.Sprintf("%s (%s of %s)", show.PercentBig(c.Covered, c.Possible), show.Grouped(c.Covered), show.Possible(c.Possible))
}

// writeMissing writes where something is missing and what, the operand in a longer condition, and what would have to
// happen before.
func writeMissing(w io.Writer, m *Missing) {
	const indent = "    "
	at := fmt.Sprintf(":%d: ", m.Line)
	if m.Col > 0 {
		at = fmt.Sprintf(":%d:%d: ", m.Line, m.Col)
	}
	what := show.Printable(missingText(m))
	file := show.ShortenLeft(show.Printable(m.Function.Table.File), show.Width-2*len(at))
	name := show.Printable(m.Function.Table.Name)
	name = show.ShortenLeft(name, max(show.Width-utf8.RuneCountInString(file)-len(at), len(at)))
	head := file + at + name
	if n := utf8.RuneCountInString(head) + 2 + utf8.RuneCountInString(what); n <= show.Width {
		fmt.Fprintf(w, "%s  %s\n", head, what)
	} else {
		fmt.Fprintf(w, "%s\n%s", head, show.Paragraph(what, indent))
	}
	if m.Within != nil {
		fmt.Fprintf(w, "%sin %s\n", indent, show.Printable(m.Within.In("«", "»", show.Width-len(indent)-3)))
	}
	if len(m.Before) > 0 {
		fmt.Fprint(w, show.FillSteps(m.Before, indent))
	}
	if len(m.Lines) > 0 {
		lines := slices.Clone(m.Lines)
		lines[0] = "on lines " + lines[0]
		fmt.Fprint(w, show.FillSteps(lines, indent))
	}
}

// missingText returns what is missing, and whether it was there once.
func missingText(m *Missing) string {
	s := m.What
	if m.Detail != "" {
		s += " (" + m.Detail + ")"
	}
	if m.Lost {
		s += ", in the baseline"
	}
	return s
}

func writeMore(w io.Writer, r *Result, m Measure) {
	if more := r.More[m]; more != nil && more.Sign() > 0 {
		fmt.Fprintf(w, "and %s more\n", show.Possible(more))
	}
}
