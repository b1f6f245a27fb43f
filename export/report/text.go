package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// maxExamples is how many declined functions are named for each reason.
const maxExamples = 3

// WriteText writes p as text of 80 columns. In this order there are totals, the hottest top paths (none if top ≤ 0)
// with the source of the first of them where it can be read, and the functions that took most CPU time. Coverage of
// packages and of the functions of the highest flow follows. The last parts are functions whose edges tell another
// path than the hottest, and declined functions by reason. Packages and declined functions are
// listed whole, of all others at most top.
func WriteText(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	writeTotals(out, p)
	writeHotPaths(out, p, top)
	writeHotFunctions(out, p, top)
	writeEvents(out, p, top)
	writePackages(out, p)
	writeFunctions(out, p, top)
	writeMispredictions(out, p, top)
	writeDeclined(out, p)
	return out.Flush()
}

func writeTotals(w io.Writer, p *profile.Profile) {
	fmt.Fprintf(w, "%s path profile of %s", show.Title(p.Mode()), show.Plural(len(p.Runs), "run"))
	if len(p.Runs) > 0 {
		if name := about.Program(p); name != "" {
			fmt.Fprintf(w, " of %s", show.ShortenLeft(show.Printable(name), 24))
		}
		fmt.Fprintf(w, ", %s", p.Runs[0].Start.UTC().Format(time.DateTime+" MST"))
	}
	c := p.Coverage()
	fmt.Fprintf(w, "\n\n")
	fmt.Fprintf(w, "functions  %s, %s declined\n",
		executed(c.FunctionsExecuted, c.Functions), show.Grouped(int64(c.Declined)))
	fmt.Fprintf(w, "paths      %s of %s executed (%s)\n",
		show.Grouped(int64(c.PathsExecuted)), show.Possible(c.Paths), show.PercentBig(int64(c.PathsExecuted), c.Paths))
	fmt.Fprintf(w, "branches   %s\n", executed(c.BranchesExecuted, c.Branches))
	fmt.Fprintf(w, "conditions %s\n", executed(c.ConditionsExecuted, c.Conditions))
	fmt.Fprintf(w, "statements %s\n", executed(c.StatementsExecuted, c.Statements))
	fmt.Fprintf(w, "flow       %s (executions × branches, over all paths)\n", show.Grouped(c.Flow))
	if account := p.Account(); account != "" {
		fmt.Fprintf(w, "samples    %s\n", account)
	}
	if c.Abandoned > 0 {
		activations := show.Plural(int(c.Abandoned), "function activation")
		fmt.Fprintf(w, "abandoned  %s: panic, Goexit or end of program\n", activations)
	}
	for _, line := range about.Warnings(p) {
		fmt.Fprintf(w, "\n%s\n", line)
	}
}

// executed returns "9 of 12 executed (75.0%)".
func executed(n, of int) string {
	return fmt.Sprintf("%s of %s executed (%s)",
		show.Grouped(int64(n)), show.Grouped(int64(of)), show.Percent(int64(n), int64(of)))
}

func writeHotPaths(w io.Writer, p *profile.Profile, top int) {
	list := hot.Paths(p, top)
	if len(list) == 0 {
		return
	}
	flow := p.Coverage().Flow
	countWidth := len("count")
	for _, h := range list {
		countWidth = max(countWidth, len(show.Count(h.Path.Count)))
	}
	fmt.Fprintf(w, "\nHottest paths by share of flow\n\n")
	fmt.Fprintf(w, " share  %s  function, path and its lines\n", show.PadLeft("count", countWidth))
	indent := len(" share  ") + countWidth + 2
	files := source.New(p)
	for i, h := range list {
		name := show.ShortenLeft(show.Printable(h.Function.Table.Name), show.Width-indent)
		share, count := show.Percent(h.Path.Flow(), flow), show.Count(h.Path.Count)
		fmt.Fprintf(w, "%s  %s  %s\n", show.PadLeft(share, 6), show.PadLeft(count, countWidth), name)

		steps := h.Function.Steps(h.Path)
		at := fmt.Sprintf(":%d  path %d: ", h.Function.Lines(h.Path)[0], h.Path.ID)
		space := show.Width - indent - len(at)
		// Lines are what the report is about: the file gets what five of them leave.
		file := show.ShortenLeft(show.Printable(h.Function.Table.File), max(8, space-24))
		lines := show.FitSteps(steps, space-utf8.RuneCountInString(file))
		fmt.Fprintf(w, "%s%s%s%s\n", strings.Repeat(" ", indent), file, at, lines)
		if i < sourcePaths {
			writeExcerpt(w, files, h, indent)
		}
	}
}

func writePackages(w io.Writer, p *profile.Profile) {
	if len(p.Packages) == 0 {
		return
	}
	fmt.Fprintf(w, "\nPackages, executed/all\n\n")
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("package", "functions", "paths", "branches", "conditions", "statements")
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		executed := fmt.Sprintf("%d/%d", c.FunctionsExecuted, c.Functions)
		table.Row(append([]string{show.Printable(pkg.Path), executed}, coverageCells(c)...)...)
	}
	table.Write(w)
}

// coverageCells are paths, branches, conditions and statements in tables.
func coverageCells(c profile.Coverage) []string {
	return []string{
		fmt.Sprintf("%s/%s", show.Grouped(int64(c.PathsExecuted)), show.Possible(c.Paths)),
		show.Percent(int64(c.BranchesExecuted), int64(c.Branches)),
		show.Percent(int64(c.ConditionsExecuted), int64(c.Conditions)),
		show.Percent(int64(c.StatementsExecuted), int64(c.Statements)),
	}
}

func writeFunctions(w io.Writer, p *profile.Profile, top int) {
	all := hot.ByFlow(p)
	if len(all) == 0 || top <= 0 {
		return
	}
	shown := all[:min(top, len(all))]
	fmt.Fprintf(w, "\nFunctions by flow%s\n\n", ofMore(len(shown), len(all)))
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("function", "flow", "paths", "branches", "conditions", "statements")
	flow := p.Coverage().Flow
	for _, f := range shown {
		c := f.Coverage()
		table.Row(append([]string{show.Short(f.Table.Name, f.Package), show.Percent(c.Flow, flow)}, coverageCells(c)...)...)
	}
	table.Write(w)
}

// ofMore returns ", 20 of 512; -top 512 shows all" where a list is not shown to its end.
func ofMore(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf(", %s of %s; -top %d shows all", show.Grouped(int64(shown)), show.Grouped(int64(all)), all)
}

// writeMispredictions writes what an edge profile would say of paths: Ball & Larus, table 3.
func writeMispredictions(w io.Writer, p *profile.Profile, top int) {
	right, all := predict.Predicted(p)
	if all == 0 || top <= 0 {
		return
	}
	list := predict.Mispredictions(p)
	shown := list[:min(top, len(list))]
	fmt.Fprintf(w, "\nWhat edges tell of paths%s\n\n", ofMore(len(shown), len(list)))
	fmt.Fprintf(w, "Following the most frequent branches predicts %s of path executions.\n", show.Percent(right, all))
	if len(list) == 0 {
		fmt.Fprintf(w, "It finds the hottest path of every function.\n")
		return
	}
	fmt.Fprintf(w, "In %s it leads to another path than the hottest one:\n\n", show.Plural(len(list), "function"))
	const indent = 4
	for _, m := range shown {
		fmt.Fprintf(w, "  %s\n", show.ShortenLeft(show.Printable(m.Function.Table.Name), show.Width-2))
		for _, line := range []struct {
			what string
			path *profile.Path
		}{{"hottest", m.Hottest}, {"edges say", &m.Predicted}} {
			count := show.PadLeft(show.Count(line.path.Count), 11)
			row := fmt.Sprintf("%s%s  %s  ", strings.Repeat(" ", indent), show.PadRight(line.what, 9), count)
			fmt.Fprintf(w, "%s%s\n", row, show.FitSteps(m.Function.Steps(line.path), show.Width-utf8.RuneCountInString(row)))
		}
	}
}

func writeDeclined(w io.Writer, p *profile.Profile) {
	groups := about.DeclinedByReason(p)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(w, "\nDeclined functions by reason\n\n")
	for _, g := range groups {
		reason := show.ShortenRight(show.Printable(g.Reason), show.Width-8)
		fmt.Fprintf(w, "%6s  %s\n", show.Grouped(int64(len(g.Functions))), reason)
		for _, f := range g.Functions[:min(len(g.Functions), maxExamples)] {
			at := show.ShortenLeft(show.Printable(f.Table.File), 28) + ":" + strconv.Itoa(f.Table.Line)
			name := show.ShortenLeft(show.Printable(f.Table.Name), show.Width-10-utf8.RuneCountInString(at))
			fmt.Fprintf(w, "        %s  %s\n", name, at)
		}
		if more := len(g.Functions) - maxExamples; more > 0 {
			fmt.Fprintf(w, "        … and %s more\n", show.Grouped(int64(more)))
		}
	}
}
