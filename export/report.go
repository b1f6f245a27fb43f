package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// width is what reports fit into, in runes: a terminal of 80 columns.
const width = 80

// maxExamples is how many declined functions are named for each reason.
const maxExamples = 3

// WriteReport writes p as text of 80 columns: totals, the hottest top paths
// (none if top ≤ 0), the functions in which most CPU time was spent, as many, a table of the packages, and the declined functions by reason.
func WriteReport(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	writeTotals(out, p)
	writeHotPaths(out, p, top)
	writeHotFunctions(out, p, top)
	writePackages(out, p)
	writeDeclined(out, p)
	return out.Flush()
}

func writeTotals(w io.Writer, p *profile.Profile) {
	name := kind(p)
	fmt.Fprintf(w, "%s path profile of %s", strings.ToUpper(name[:1])+name[1:], plural(len(p.Runs), "run"))
	if len(p.Runs) > 0 {
		if name := program(p.Runs); name != "" {
			fmt.Fprintf(w, " of %s", shortenLeft(printable(name), 24))
		}
		fmt.Fprintf(w, ", %s", p.Runs[0].Start.UTC().Format(time.DateTime+" MST"))
	}
	c := p.Coverage()
	fmt.Fprintf(w, "\n\n")
	fmt.Fprintf(w, "functions  %s, %s declined\n", executed(c.FunctionsExecuted, c.Functions), grouped(int64(c.Declined)))
	fmt.Fprintf(w, "paths      %s of %s executed (%s)\n",
		grouped(int64(c.PathsExecuted)), possibleText(c.Paths), percentBig(int64(c.PathsExecuted), c.Paths))
	fmt.Fprintf(w, "blocks     %s\n", executed(c.BlocksExecuted, c.Blocks))
	fmt.Fprintf(w, "branches   %s\n", executed(c.BranchesExecuted, c.Branches))
	fmt.Fprintf(w, "flow       %s (executions × branches, over all paths)\n", grouped(c.Flow))
	if p.Sampled {
		fmt.Fprintf(w, "samples    %s\n", sumSampling(p))
	}
	if c.Abandoned > 0 {
		fmt.Fprintf(w, "abandoned  %s function activations: panic, Goexit or end of program\n", grouped(c.Abandoned))
	}
	for _, line := range warnings(p) {
		fmt.Fprintf(w, "\n%s\n", line)
	}
}

// executed returns "9 of 12 executed (75.0%)".
func executed(n, of int) string {
	return fmt.Sprintf("%s of %s executed (%s)", grouped(int64(n)), grouped(int64(of)), percent(int64(n), int64(of)))
}

// warnings returns a line each for what makes the counts of p doubtful.
func warnings(p *profile.Profile) []string {
	var list []string
	lost := uint64(0)
	for _, r := range p.Runs {
		lost += r.Lost
	}
	if lost > 0 {
		list = append(list, fmt.Sprintf("warning: %d path executions were not counted for want of room", lost))
	}
	bad, concurrent := 0, false
	for _, f := range p.Functions() {
		if err := f.Check(p.Sampled); err != nil {
			bad++
			concurrent = concurrent || errors.Is(err, profile.ErrLostUpdates)
		}
	}
	switch {
	case concurrent:
		list = append(list, fmt.Sprintf("warning: %s lost counts to concurrency; wrap -atomic loses none", plural(bad, "function")))
	case bad > 0:
		list = append(list, fmt.Sprintf("warning: the counts of %s contradict each other", plural(bad, "function")))
	}
	return list
}

// hotPath is a path with its function.
type hotPath struct {
	function *profile.Function
	path     *profile.Path
}

// hottest returns the n paths of the highest flow, hottest first. Paths of
// equal flow (straight-line ones have none) go by count, then in order of the source.
func hottest(p *profile.Profile, n int) []hotPath {
	var all []hotPath
	for _, f := range p.Functions() {
		for i := range f.Paths {
			all = append(all, hotPath{f, &f.Paths[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b hotPath) int {
		return cmp.Or(cmp.Compare(b.path.Flow(), a.path.Flow()), cmp.Compare(b.path.Count, a.path.Count))
	})
	return all[:max(0, min(n, len(all)))]
}

func writeHotPaths(w io.Writer, p *profile.Profile, top int) {
	hot := hottest(p, top)
	if len(hot) == 0 {
		return
	}
	flow := p.Coverage().Flow
	countWidth := len("count")
	for _, h := range hot {
		countWidth = max(countWidth, len(countText(h.path.Count)))
	}
	fmt.Fprintf(w, "\nHottest paths by share of flow\n\n")
	fmt.Fprintf(w, " share  %s  function, path and its lines\n", padLeft("count", countWidth))
	indent := len(" share  ") + countWidth + 2
	for _, h := range hot {
		name := shortenLeft(printable(h.function.Table.Name), width-indent)
		fmt.Fprintf(w, "%s  %s  %s\n", padLeft(percent(h.path.Flow(), flow), 6), padLeft(countText(h.path.Count), countWidth), name)

		steps := h.function.Steps(h.path)
		at := fmt.Sprintf(":%d  path %d: ", h.function.Lines(h.path)[0], h.path.ID)
		space := width - indent - len(at)
		// Lines are what the report is about: the file gets what five of them leave.
		file := shortenLeft(printable(h.function.Table.File), max(8, space-24))
		fmt.Fprintf(w, "%s%s%s%s\n", strings.Repeat(" ", indent), file, at, fitLines(steps, space-utf8.RuneCountInString(file)))
	}
}

// fitLines returns the sequence of lines, abbreviated to at most space runes
// if that takes no fewer than three of them.
func fitLines(steps []string, space int) string {
	s := lineSequence(steps, maxShownLines)
	for most := maxShownLines - 1; most >= 3 && utf8.RuneCountInString(s) > space; most-- {
		s = lineSequence(steps, most)
	}
	return s
}

func writePackages(w io.Writer, p *profile.Profile) {
	if len(p.Packages) == 0 {
		return
	}
	fmt.Fprintf(w, "\nPackages, executed/all\n\n")
	rows := [][]string{{"package", "functions", "paths", "blocks", "branches"}}
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		rows = append(rows, []string{
			printable(pkg.Path),
			fmt.Sprintf("%d/%d", c.FunctionsExecuted, c.Functions),
			fmt.Sprintf("%s/%s", grouped(int64(c.PathsExecuted)), possibleText(c.Paths)),
			percent(int64(c.BlocksExecuted), int64(c.Blocks)),
			percent(int64(c.BranchesExecuted), int64(c.Branches)),
		})
	}
	writeTable(w, rows)
}

// writeTable writes rows as columns, all but the first of them flush right. The
// first is shortened so that the table fits.
func writeTable(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	left := width
	for _, n := range widths[1:] {
		left -= n + 2
	}
	widths[0] = min(widths[0], left)
	for _, row := range rows {
		fmt.Fprint(w, padRight(shortenLeft(row[0], widths[0]), widths[0]))
		for i, cell := range row[1:] {
			fmt.Fprint(w, "  ", padLeft(cell, widths[i+1]))
		}
		fmt.Fprintln(w)
	}
}

// declinedGroup is the functions declined for one reason.
type declinedGroup struct {
	reason    string
	functions []*profile.Function
}

// declinedByReason returns the groups, largest first.
func declinedByReason(p *profile.Profile) []declinedGroup {
	index := make(map[string]int)
	var groups []declinedGroup
	for _, f := range p.Functions() {
		if !f.Declined() {
			continue
		}
		reason := f.Table.Declined
		i, ok := index[reason]
		if !ok {
			i = len(groups)
			index[reason] = i
			groups = append(groups, declinedGroup{reason: reason})
		}
		groups[i].functions = append(groups[i].functions, f)
	}
	slices.SortFunc(groups, func(a, b declinedGroup) int {
		return cmp.Or(cmp.Compare(len(b.functions), len(a.functions)), cmp.Compare(a.reason, b.reason))
	})
	return groups
}

func writeDeclined(w io.Writer, p *profile.Profile) {
	groups := declinedByReason(p)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(w, "\nDeclined functions by reason\n\n")
	for _, g := range groups {
		fmt.Fprintf(w, "%6s  %s\n", grouped(int64(len(g.functions))), shortenRight(printable(g.reason), width-8))
		for _, f := range g.functions[:min(len(g.functions), maxExamples)] {
			at := shortenLeft(printable(f.Table.File), 28) + ":" + strconv.Itoa(f.Table.Line)
			name := shortenLeft(printable(f.Table.Name), width-10-utf8.RuneCountInString(at))
			fmt.Fprintf(w, "        %s  %s\n", name, at)
		}
		if more := len(g.functions) - maxExamples; more > 0 {
			fmt.Fprintf(w, "        … and %s more\n", grouped(int64(more)))
		}
	}
}
