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

	"github.com/goprofinstr/goprofinstr/export/internal/show"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/source"
)

// width is what reports fit into, in runes: a terminal of 80 columns.
const width = 80

// maxExamples is how many declined functions are named for each reason.
const maxExamples = 3

// WriteReport writes p as text of 80 columns: totals, the hottest top paths (none if top ≤ 0), the source of the first of them where it can be read, the
// functions in which most CPU time was spent, coverage of the packages and of the functions of the highest flow, functions whose edges tell
// another path than the hottest, as many of each, and the declined functions by reason.
func WriteReport(w io.Writer, p *profile.Profile, top int) error {
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
	fmt.Fprintf(w, "%s path profile of %s", title(kind(p)), plural(len(p.Runs), "run"))
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
	fmt.Fprintf(w, "branches   %s\n", executed(c.BranchesExecuted, c.Branches))
	fmt.Fprintf(w, "conditions %s\n", executed(c.ConditionsExecuted, c.Conditions))
	fmt.Fprintf(w, "statements %s\n", executed(c.StatementsExecuted, c.Statements))
	fmt.Fprintf(w, "flow       %s (executions × branches, over all paths)\n", grouped(c.Flow))
	if p.Estimates() {
		fmt.Fprintf(w, "samples    %s\n", sampledBy(p))
	}
	if c.Abandoned > 0 {
		fmt.Fprintf(w, "abandoned  %s: panic, Goexit or end of program\n", plural(int(c.Abandoned), "function activation"))
	}
	for _, line := range Warnings(p) {
		fmt.Fprintf(w, "\n%s\n", line)
	}
}

// executed returns "9 of 12 executed (75.0%)".
func executed(n, of int) string {
	return fmt.Sprintf("%s of %s executed (%s)", grouped(int64(n)), grouped(int64(of)), percent(int64(n), int64(of)))
}

// Warnings returns a line each for what makes the counts of p doubtful.
func Warnings(p *profile.Profile) []string {
	var list []string
	if n := len(p.NotRun); n > 0 {
		list = append(list, fmt.Sprintf("warning: not of all packages: the tests of %s did not run: %s", plural(n, "package"), first(p.NotRun, 3)))
	}
	for i, line := range p.DamageLines() {
		line = printable(line)
		if i > 0 {
			line = "left out: " + line
		}
		list = append(list, "warning: "+line)
	}
	lost, empty := uint64(0), 0
	for _, r := range p.Runs {
		lost += r.Lost
		if s := r.Sampling; s != nil && s.Samples == 0 && s.CPU >= time.Second {
			empty++
		}
	}
	if empty > 0 {
		list = append(list, fmt.Sprintf("warning: no path ended in %s that took a second of CPU time or more", plural(empty, "run")))
	}
	if lost > 0 {
		list = append(list, fmt.Sprintf("warning: for want of room %s not counted", plural(int(lost), "path execution")))
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

// first returns the first n of names, and says how many more there are.
func first(names []string, n int) string {
	if len(names) <= n {
		return printable(strings.Join(names, ", "))
	}
	return printable(strings.Join(names[:n], ", ")) + fmt.Sprintf(" and %d more", len(names)-n)
}

// HotPath is a path with its function.
type HotPath struct {
	Function *profile.Function
	Path     *profile.Path
}

// Hottest returns the n paths of the highest flow, hottest first. Paths of
// equal flow (straight-line ones have none) go by count, then in order of the source.
func Hottest(p *profile.Profile, n int) []HotPath {
	var all []HotPath
	for _, f := range p.Functions() {
		for i := range f.Paths {
			all = append(all, HotPath{f, &f.Paths[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b HotPath) int {
		return cmp.Or(cmp.Compare(b.Path.Flow(), a.Path.Flow()), cmp.Compare(b.Path.Count, a.Path.Count))
	})
	return all[:max(0, min(n, len(all)))]
}

func writeHotPaths(w io.Writer, p *profile.Profile, top int) {
	hot := Hottest(p, top)
	if len(hot) == 0 {
		return
	}
	flow := p.Coverage().Flow
	countWidth := len("count")
	for _, h := range hot {
		countWidth = max(countWidth, len(countText(h.Path.Count)))
	}
	fmt.Fprintf(w, "\nHottest paths by share of flow\n\n")
	fmt.Fprintf(w, " share  %s  function, path and its lines\n", padLeft("count", countWidth))
	indent := len(" share  ") + countWidth + 2
	files := source.New(p)
	for i, h := range hot {
		name := shortenLeft(printable(h.Function.Table.Name), width-indent)
		fmt.Fprintf(w, "%s  %s  %s\n", padLeft(percent(h.Path.Flow(), flow), 6), padLeft(countText(h.Path.Count), countWidth), name)

		steps := h.Function.Steps(h.Path)
		at := fmt.Sprintf(":%d  path %d: ", h.Function.Lines(h.Path)[0], h.Path.ID)
		space := width - indent - len(at)
		// Lines are what the report is about: the file gets what five of them leave.
		file := shortenLeft(printable(h.Function.Table.File), max(8, space-24))
		fmt.Fprintf(w, "%s%s%s%s\n", strings.Repeat(" ", indent), file, at, fitLines(steps, space-utf8.RuneCountInString(file)))
		if i < sourcePaths {
			writeExcerpt(w, files, h, indent)
		}
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
	rows := [][]string{{"package", "functions", "paths", "branches", "conditions", "statements"}}
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		rows = append(rows, append([]string{printable(pkg.Path), fmt.Sprintf("%d/%d", c.FunctionsExecuted, c.Functions)}, coverageCells(c)...))
	}
	writeTable(w, rows)
}

// coverageCells are paths, branches, conditions and statements in tables.
func coverageCells(c profile.Coverage) []string {
	return []string{
		fmt.Sprintf("%s/%s", grouped(int64(c.PathsExecuted)), possibleText(c.Paths)),
		percent(int64(c.BranchesExecuted), int64(c.Branches)),
		percent(int64(c.ConditionsExecuted), int64(c.Conditions)),
		percent(int64(c.StatementsExecuted), int64(c.Statements)),
	}
}

func writeFunctions(w io.Writer, p *profile.Profile, top int) {
	all := ByFlow(p)
	if len(all) == 0 || top <= 0 {
		return
	}
	shown := all[:min(top, len(all))]
	fmt.Fprintf(w, "\nFunctions by flow%s\n\n", ofMore(len(shown), len(all)))
	rows := [][]string{{"function", "flow", "paths", "branches", "conditions", "statements"}}
	flow := p.Coverage().Flow
	for _, f := range shown {
		c := f.Coverage()
		rows = append(rows, append([]string{show.Short(f.Table.Name, f.Package), percent(c.Flow, flow)}, coverageCells(c)...))
	}
	writeTable(w, rows)
}

// ofMore returns ", 20 of 512; -top 512 shows all" where a list is not shown to its end.
func ofMore(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf(", %s of %s; -top %d shows all", grouped(int64(shown)), grouped(int64(all)), all)
}

// ByFlow returns the instrumented functions of p, those of the highest flow first and the others in order.
func ByFlow(p *profile.Profile) []*profile.Function {
	flow := make(map[*profile.Function]int64)
	var all []*profile.Function
	for _, f := range p.Functions() {
		if f.Declined() {
			continue
		}
		for i := range f.Paths {
			flow[f] += f.Paths[i].Flow()
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b *profile.Function) int {
		return cmp.Or(cmp.Compare(flow[b], flow[a]), cmp.Compare(b.Entries, a.Entries))
	})
	return all
}

// writeMispredictions writes what an edge profile would say of paths: Ball & Larus, table 3.
func writeMispredictions(w io.Writer, p *profile.Profile, top int) {
	right, all := p.Predicted()
	if all == 0 || top <= 0 {
		return
	}
	list := p.Mispredictions()
	shown := list[:min(top, len(list))]
	fmt.Fprintf(w, "\nWhat edges tell of paths%s\n\n", ofMore(len(shown), len(list)))
	fmt.Fprintf(w, "Following the most frequent branches predicts %s of path executions.\n", percent(right, all))
	if len(list) == 0 {
		fmt.Fprintf(w, "It finds the hottest path of every function.\n")
		return
	}
	fmt.Fprintf(w, "In %s it leads to another path than the hottest one:\n\n", plural(len(list), "function"))
	const indent = 4
	for _, m := range shown {
		fmt.Fprintf(w, "  %s\n", shortenLeft(printable(m.Function.Table.Name), width-2))
		for _, line := range []struct {
			what string
			path *profile.Path
		}{{"hottest", m.Hottest}, {"edges say", &m.Predicted}} {
			row := fmt.Sprintf("%s%s  %s  ", strings.Repeat(" ", indent), padRight(line.what, 9), padLeft(countText(line.path.Count), 11))
			fmt.Fprintf(w, "%s%s\n", row, fitLines(m.Function.Steps(line.path), width-utf8.RuneCountInString(row)))
		}
	}
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

// DeclinedGroup is the functions declined for one reason.
type DeclinedGroup struct {
	Reason    string
	Functions []*profile.Function
}

// DeclinedByReason returns the groups, largest first.
func DeclinedByReason(p *profile.Profile) []DeclinedGroup {
	index := make(map[string]int)
	var groups []DeclinedGroup
	for _, f := range p.Functions() {
		if !f.Declined() {
			continue
		}
		reason := f.Table.Declined
		i, ok := index[reason]
		if !ok {
			i = len(groups)
			index[reason] = i
			groups = append(groups, DeclinedGroup{Reason: reason})
		}
		groups[i].Functions = append(groups[i].Functions, f)
	}
	slices.SortFunc(groups, func(a, b DeclinedGroup) int {
		return cmp.Or(cmp.Compare(len(b.Functions), len(a.Functions)), cmp.Compare(a.Reason, b.Reason))
	})
	return groups
}

func writeDeclined(w io.Writer, p *profile.Profile) {
	groups := DeclinedByReason(p)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(w, "\nDeclined functions by reason\n\n")
	for _, g := range groups {
		fmt.Fprintf(w, "%6s  %s\n", grouped(int64(len(g.Functions))), shortenRight(printable(g.Reason), width-8))
		for _, f := range g.Functions[:min(len(g.Functions), maxExamples)] {
			at := shortenLeft(printable(f.Table.File), 28) + ":" + strconv.Itoa(f.Table.Line)
			name := shortenLeft(printable(f.Table.Name), width-10-utf8.RuneCountInString(at))
			fmt.Fprintf(w, "        %s  %s\n", name, at)
		}
		if more := len(g.Functions) - maxExamples; more > 0 {
			fmt.Fprintf(w, "        … and %s more\n", grouped(int64(more)))
		}
	}
}
