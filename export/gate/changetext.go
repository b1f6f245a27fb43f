package gate

import (
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// writeChange writes what a change does to coverage, as text of 80 columns.
func writeChange(w io.Writer, r *Result) error {
	c := r.Change
	if c == nil {
		return nil
	}
	if len(r.Gates)+len(r.Unread) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Against %s\n\n", show.Printable(c.title()))
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("", "base", "now", "change", "on changed lines")
	for _, m := range c.Measures {
		table.Row(m.cells()...)
	}
	if err := table.Write(w); err != nil {
		return err
	}
	if len(c.Lost) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nNot covered any more, the most useful first\n\n")
	for _, m := range c.Lost {
		writeMissing(w, m)
	}
	if c.MoreLost > 0 {
		fmt.Fprintf(w, "and %s more\n", show.Grouped(int64(c.MoreLost)))
	}
	return nil
}

// cells returns the row of a measure.
func (c *Compared) cells() []string {
	before, now := percents(c.Before, c.Now)
	if isZero(before) || isZero(now) { // of very many paths
		before, now = show.PercentBig(c.Before.Covered, c.Before.Possible), show.PercentBig(c.Now.Covered, c.Now.Possible)
	}
	return []string{nouns[c.Measure], before, now, c.pointsText(), changedText(&c.Changed)}
}

// changedText returns "57.1% (4 of 7)", or "-" of nothing.
func changedText(c *Coverage) string {
	if c.Possible.Sign() == 0 {
		return "-"
	}
	return coverageText(show.PercentBig(c.Covered, c.Possible), *c)
}
