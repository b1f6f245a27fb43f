package gate

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// plurals are what measures count.
var plurals = map[Measure]string{
	Path: "paths", Branch: "branches", Condition: "outcomes of conditions", Statement: "statements",
	MCDC: "conditions with an effect of their own", Prime: "prime paths",
}

// WriteText writes the result of a check as text of 80 columns: the gates, and of those that failed what is missing.
func WriteText(w io.Writer, r *Result) error {
	out := bufio.NewWriter(w)
	if r.Passed() {
		writePassed(out, r)
		if err := writeChange(out, r); err != nil {
			return err
		}
		return out.Flush()
	}
	for _, g := range r.Gates {
		fmt.Fprintln(out, gateText(r, g))
	}
	for _, line := range unreadLines(r) {
		fmt.Fprintln(out, "FAIL  "+strings.TrimSpace(show.Paragraph(line, "      ")))
	}
	writeLost(out, r)
	for _, note := range notes(r) {
		fmt.Fprintln(out, note)
	}
	if r.failed(Path, true) {
		fmt.Fprint(out, pathsVary)
	}
	var measure Measure
	for _, m := range r.Missing {
		if m.Measure != measure {
			writeMore(out, r, measure)
			measure = m.Measure
			fmt.Fprintf(out, "\nMissing %s, %s first\n\n", plurals[measure], r.first(measure))
		}
		writeMissing(out, m)
	}
	writeMore(out, r, measure)
	if err := writeChange(out, r); err != nil {
		return err
	}
	return out.Flush()
}

// writePassed says that a check has passed, if anything was demanded.
func writePassed(w io.Writer, r *Result) {
	if len(r.Gates) > 0 {
		fmt.Fprintln(w, passedText(r))
	}
	writeLost(w, r)
}

// pathsVary is said if paths are fewer than in a baseline: nothing need have got worse.
const pathsVary = `paths can differ between runs of one commit, as with sync.Pool, maps and time:
goprofinstr wrap go test -count 3 takes those of three runs together
`

// first says which of what is missing of a measure comes first.
func (r *Result) first(m Measure) string {
	if r.failed(m, true) {
		return "what was covered before, then what is new,"
	}
	return "the most useful"
}

// writeLost says what of the profile cannot be read.
func writeLost(w io.Writer, r *Result) {
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "not covered: %s whose counts cannot be read\n", show.Plural(r.LeftOut, "function"))
	}
	if r.Damaged > 0 {
		parts := show.Plural(r.Damaged, "part")
		fmt.Fprintf(w, "left out: %s of the run data that cannot be read; what they executed is not counted\n", parts)
	}
}

// mostUnread is how many things are named that cannot be read, and packages whose tests did not run.
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
	if g.Passed {
		return "ok    " + demandText(r, g)
	}
	return "FAIL  " + demandText(r, g)
}

// demandText returns "path coverage 57.1% (4 of 7), want 90%".
func demandText(r *Result, g Gate) string {
	where, share := "", show.PercentBig(g.Coverage.Covered, g.Coverage.Possible)
	if r.OnChanged && g.Baseline == nil {
		where = " of changed lines"
	}
	if r.Named && g.Baseline == nil {
		where += " of named functions"
	}
	want := fmt.Sprintf("want %g%%", g.Want)
	if b := g.Baseline; b == nil && !g.Passed {
		share = below(g.Coverage, g.Want)
	} else if b != nil {
		var before string
		share, before = percents(g.Coverage, *b)
		want = "baseline " + coverageText(before, *b)
	}
	have := "nothing to cover"
	if g.Coverage.Possible.Sign() > 0 {
		have = coverageText(share, g.Coverage)
	}
	return fmt.Sprintf("%s coverage%s %s, %s", g.Measure.title(), where, have, want)
}

// doubtText says what is not known of a gate's measure.
func doubtText(g Gate) string {
	text := fmt.Sprintf("not known: %s %s, which were not seen and may have been executed: paths were sampled",
		show.Possible(g.Coverage.Doubtful), plurals[g.Measure])
	if g.Measure == MCDC {
		text += ", or abandoned"
	}
	if g.Open {
		text += "; with them it would pass"
	}
	return text
}

// coverageText returns "57.1% (4 of 7)".
func coverageText(percent string, c Coverage) string {
	return fmt.Sprintf("%s (%s of %s)", percent, show.Grouped(c.Covered), show.Possible(c.Possible))
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
	switch {
	case m.Detail == "":
	case m.Measure == MCDC:
		s += ": " + m.Detail
	default:
		s += " (" + m.Detail + ")"
	}
	switch {
	case m.Lost && m.OfBase:
		s += ", in the base"
	case m.Lost:
		s += ", in the baseline"
	case m.New:
		s += ", new"
	}
	return s
}

func writeMore(w io.Writer, r *Result, m Measure) {
	if more := r.More[m]; more != nil && more.Sign() > 0 {
		fmt.Fprintf(w, "and %s more\n", show.Possible(more))
	}
}
