package compare

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteText writes a comparison as text of 80 columns, with at most top paths of each kind.
func WriteText(w io.Writer, c *Comparison, top int) error {
	out := bufio.NewWriter(w)
	writeMatching(out, c.Matching)
	writeOverlaps(out, c)
	writeOutcomes(out, c, top)
	writeDifferences(out, c, "Paths that only the second profile has", c.Appeared, top)
	writeDifferences(out, c, "Paths that only the first profile has", c.Vanished, top)
	writeDifferences(out, c, "Paths with another share of their function's executions", c.Changed, top)
	for _, says := range c.Sources(top) {
		fmt.Fprint(out, "\n", show.Paragraph(show.Printable(says), ""))
	}
	if c.Chance > 0 {
		fmt.Fprintf(out, "\n%s between the samples may be chance\n", show.Plural(c.Chance, "difference"))
	}
	return out.Flush()
}

func writeMatching(w io.Writer, m *Matching) {
	same, others := m.Groups()
	fmt.Fprintf(w, "%s with the same graph\n", show.Plural(same, "function"))
	for _, g := range others {
		writeNames(w, g.What, g.Names)
	}
}

// A Group is functions that have something in common.
type Group struct {
	What  string // "with another graph"
	Names []string
}

// Groups returns how many functions have the same graph in both profiles, and the names of the others.
func (m *Matching) Groups() (same int, others []Group) {
	changed, renamed := Group{What: "with another graph"}, Group{What: "with another name"}
	for _, p := range m.Pairs {
		switch {
		case p.Renamed:
			renamed.Names = append(renamed.Names, show.Printable(p.Old.Table.Name)+" → "+show.Printable(p.New.Table.Name))
		case p.Changed:
			changed.Names = append(changed.Names, show.Printable(p.New.Table.Name))
		default:
			same++
		}
	}
	return same, []Group{
		changed, renamed, {"only in the first profile", namesOf(m.OnlyOld)}, {"only in the second profile", namesOf(m.OnlyNew)},
	}
}

func namesOf(functions []*profile.Function) []string {
	var names []string
	for _, f := range functions {
		names = append(names, show.Printable(f.Table.Name))
	}
	return names
}

// maxNames is how many functions are named of each kind.
const maxNames = 10

func writeNames(w io.Writer, what string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "%s %s:\n", show.Plural(len(names), "function"), what)
	for _, name := range names[:min(len(names), maxNames)] {
		fmt.Fprintf(w, "  %s\n", show.ShortenLeft(name, show.Width-2))
	}
	if more := len(names) - maxNames; more > 0 {
		fmt.Fprintf(w, "  and %s more\n", show.Grouped(int64(more)))
	}
}

func writeOverlaps(w io.Writer, c *Comparison) {
	fmt.Fprintf(w, "\nPaths of the second profile that the first one had, and their flow\n\n")
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("package", "paths", "had", "of paths", "of flow")
	row := func(name string, o Overlap) {
		table.Row(name, show.Grouped(int64(o.Paths)), show.Grouped(int64(o.Had)),
			show.Percent(int64(o.Had), int64(o.Paths)), show.Percent(o.HadFlow, o.Flow))
	}
	for _, o := range c.Packages {
		if o.Paths > 0 {
			row(show.Printable(o.Package), o)
		}
	}
	row("total", c.Total)
	table.Write(w)
}

// writeOutcomes writes what was seen of conditions in one profile only.
func writeOutcomes(w io.Writer, c *Comparison, top int) {
	for _, l := range c.OutcomeLists() {
		if len(l.Outcomes) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n\n", l.Title)
		for _, o := range l.Outcomes[:min(len(l.Outcomes), top)] {
			holes.Write(w, o.Now, c.Operand(&o), l.Says(&o), "")
		}
		if more := len(l.Outcomes) - top; more > 0 {
			fmt.Fprintf(w, "and %s more\n", show.Grouped(int64(more)))
		}
	}
}

func writeDifferences(w io.Writer, c *Comparison, title string, list []*Difference, top int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n\n", title)
	fmt.Fprintf(w, "   old     new  function, what happens on the path, and on which lines\n")
	const indent = 16
	for _, d := range list[:min(len(list), top)] {
		f, p := d.Function()
		before, now := d.Shares()
		name := show.ShortenLeft(show.Printable(f.Table.Name), show.Width-indent)
		fmt.Fprintf(w, "%s  %s  %s\n", show.PadLeft(before, 6), show.PadLeft(now, 6), name)
		fmt.Fprint(w, show.FillSteps(c.Steps(d), strings.Repeat(" ", indent)))
		at := fmt.Sprintf(":%d  path %d: ", f.Lines(p)[0], p.ID)
		space := show.Width - indent - len(at)
		file := show.ShortenLeft(show.Printable(f.Table.File), max(8, space-24))
		steps := show.FitSteps(f.Steps(p), space-len([]rune(file)))
		fmt.Fprintf(w, "%s%s%s%s\n", strings.Repeat(" ", indent), file, at, steps)
	}
	if more := len(list) - top; more > 0 {
		fmt.Fprintf(w, "%sand %s more\n", strings.Repeat(" ", indent), show.Grouped(int64(more)))
	}
}

// shareText returns a share, with the digits that are known, "-" of a path that was not executed.
func shareText(f *profile.Function, p *profile.Path, share float64) string {
	if p == nil {
		return "-"
	}
	if p.Samples > 0 && f.CertaintyOf(p) == profile.Estimated {
		return show.Share(p.Count, executions(f), p.Samples)
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + "%"
}
