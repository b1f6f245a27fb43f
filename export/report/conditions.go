package report

import (
	"bufio"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteConditions writes a line for each condition of the instrumented functions of p, with how often it
// was true and how often false, and what of the two never happened:
//
//	lex.go:12:9:  lex.(*scanner).next  if  true 812  false 0  never false
//
// Where it was estimated how often, and what was not seen may have happened, it says "true not seen". The last line
// says how many of the outcomes happened. Functions that were never entered count there, but have no lines of their
// own.
func WriteConditions(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	tab := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	seen, all := 0, 0
	for _, f := range p.Functions() {
		for _, c := range f.Conditions() {
			all += 2
			if !f.Executed() {
				continue
			}
			seen += c.Outcomes()
			fmt.Fprintf(tab, "%s:%d:%d:\t%s\t%s\ttrue %d\tfalse %d%s\n",
				show.Printable(f.Table.File), c.Line, c.Col, show.Printable(f.Table.Name), c.Kind, c.True, c.False, missing(&c))
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "outcomes seen: %s of %s (%s)\n",
		show.Grouped(int64(seen)), show.Grouped(int64(all)), show.Percent(int64(seen), int64(all)))
	return out.Flush()
}

// missing says which outcomes of a condition never happened, or were not seen.
func missing(c *profile.Condition) string {
	what := ""
	switch {
	case c.True == 0 && c.False == 0:
		what = "evaluated"
	case c.True == 0:
		what = "true"
	case c.False == 0:
		what = "false"
	default:
		return ""
	}
	if c.Certainty < profile.Whether {
		return "\t" + what + " not seen"
	}
	return "\tnever " + what
}
