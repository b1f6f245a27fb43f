package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteConditions writes a line for each condition of the instrumented functions of p. The line has its text, how
// often it was true and how often false, and what of the two never happened:
//
//	lex.go:12:9:  lex.(*scanner).next  if  s.eof  true 812  false 0  never false
//
// Where it was estimated how often, it has the digits that are known, and "?" of too few samples. What was not seen and may
// have happened all the same, since paths were sampled, is "true not seen". The last line says how many of the outcomes
// happened, and of how many that is not known. Lines before it say which functions have changed since the run. Functions
// that were not seen count there, but have no lines of their own.
func WriteConditions(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	var lines strings.Builder
	tab := tabwriter.NewWriter(&lines, 0, 8, 2, ' ', 0)
	texts := code.New(p)
	seen, all, unknown := 0, 0, 0
	var changed []string
	for _, f := range p.Functions() {
		if f.Executed() && len(f.Decisions()) > 0 && texts.Other(f) {
			changed = append(changed, texts.Of(f).Changed())
		}
		edges := known.EdgesOf(f)
		for _, d := range f.Decisions() {
			all += 2
			unknown += 2 - d.Outcomes() - d.Never()
			if !f.Executed() {
				continue
			}
			seen += d.Outcomes()
			o := texts.Of(f).Condition(&d.Condition)
			text := show.Printable(strings.ReplaceAll(o.Text, "\t", " "))
			fmt.Fprintf(tab, "%s:%d:%d:\t%s\t%s\t%s\ttrue %s\tfalse %s%s\n", show.Printable(f.Table.File), o.Line, o.Col,
				show.Printable(f.Table.Name), d.Kind, text, edges.Text(d.True, d.Then), edges.Text(d.False, d.Else...), missing(&d.Condition))
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(lines.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	for _, text := range changed {
		fmt.Fprintln(out, show.Printable(text))
	}
	fmt.Fprintf(out, "outcomes seen: %s of %s (%s)",
		show.Grouped(int64(seen)), show.Grouped(int64(all)), show.Percent(int64(seen), int64(all)))
	if unknown > 0 {
		fmt.Fprintf(out, "; %s not seen that may have happened", show.Grouped(int64(unknown)))
	}
	fmt.Fprintln(out)
	return out.Flush()
}

// missing says which outcomes of a condition never happened, or were not seen.
func missing(c *profile.Condition) string {
	what, never := "", false
	switch {
	case c.True == 0 && c.False == 0:
		what, never = "evaluated", c.NeverTrue && c.NeverFalse
	case c.True == 0:
		what, never = "true", c.NeverTrue
	case c.False == 0:
		what, never = "false", c.NeverFalse
	default:
		return "\t" // a cell all the same, so that cells above and below are as wide
	}
	if never {
		return "\tnever " + what
	}
	return "\t" + what + " not seen"
}
