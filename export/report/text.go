package report

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// maxExamples is how many declined functions are named for each reason.
const maxExamples = 3

// WriteText writes p as text of 80 columns. It begins with a sentence that says what most readers want to know. For
// tests this is what they miss, with the conditions that were never seen one way. For other programs it is where they
// spend executions and time. Then come totals, where CPU time was spent, events, and the coverage of packages and of
// the functions of the highest flow. The hottest top paths (none if top ≤ 0) stand behind the totals; those of tests
// stand behind the functions. Last are functions whose edges tell another path than the hottest, and declined
// functions by reason. Packages and declined functions are listed whole, of all others at most top.
func WriteText(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	texts := code.New(p)
	tests := about.Tests(p)
	writeHeadline(out, p)
	if tests {
		writeHoles(out, p, texts, top)
		writeTotals(out, p)
	} else {
		writeTotals(out, p)
		writeHotPaths(out, p, texts, top)
	}
	writeHotFunctions(out, p, top)
	writeEvents(out, p, top)
	writePackages(out, p)
	writeFunctions(out, p, top)
	if tests {
		writeHotPaths(out, p, texts, top)
	}
	writeUnknown(out, p, top)
	writeMispredictions(out, p, texts, top)
	writeDeclined(out, p)
	return out.Flush()
}

// writeHeadline writes the sentence, and what it is about.
func writeHeadline(w io.Writer, p *profile.Profile) {
	fmt.Fprint(w, show.Paragraph(about.Headline(p)+".", ""))
	fmt.Fprintf(w, "%s path profile of %s", show.Title(p.Mode()), show.Plural(len(p.Runs), "run"))
	if len(p.Runs) > 0 {
		if name := about.Program(p); name != "" {
			fmt.Fprintf(w, " of %s", show.ShortenLeft(show.Printable(name), 24))
		}
		fmt.Fprintf(w, ", %s", p.Runs[0].Start.UTC().Format(time.DateTime+" MST"))
	}
	fmt.Fprintln(w)
	for _, line := range about.Warnings(p) {
		fmt.Fprintf(w, "\n%s\n", line)
	}
}

func writeTotals(w io.Writer, p *profile.Profile) {
	c := p.Coverage()
	fmt.Fprintf(w, "\nfunctions  %s, %s declined\n",
		executed(p, c.FunctionsExecuted, c.Functions), show.Grouped(int64(c.Declined)))
	fmt.Fprintf(w, "conditions %s\n", executed(p, c.ConditionsExecuted, c.Conditions))
	fmt.Fprintf(w, "branches   %s\n", executed(p, c.BranchesExecuted, c.Branches))
	fmt.Fprintf(w, "statements %s\n", executed(p, c.StatementsExecuted, c.Statements))
	fmt.Fprintf(w, "paths      %s\n", pathsText(p))
	fmt.Fprintf(w, "           %s\n", whatPathsAre)
	fmt.Fprintf(w, "flow       %s (executions × branches, over all paths)\n", known.FlowOf(p))
	if account := p.Account(); account != "" {
		fmt.Fprintf(w, "samples    %s\n", account)
	}
	if activations := show.Plural(int(c.Abandoned), "function activation"); c.Abandoned > 0 && p.Alive() {
		fmt.Fprintf(w, "under way  %s, or abandoned: panic or Goexit\n", activations)
	} else if c.Abandoned > 0 {
		fmt.Fprintf(w, "abandoned  %s: panic, Goexit or end of program\n", activations)
	}
}

// whatPathsAre explains the word where there are numbers of them.
const whatPathsAre = "(a path is one way through a function, or once round a loop in it)"

// pathsText returns "14 of 36 that can be executed (38.9%)".
func pathsText(p *profile.Profile) string {
	n, possible := int64(p.Coverage().PathsExecuted), possible(p)
	return fmt.Sprintf("%s of %s that can be executed (%s)", show.Grouped(n), show.Possible(possible), show.PercentBig(n, possible))
}

// possible returns how many paths can be executed, and at least as many as were.
func possible(p *profile.Profile) *big.Int {
	return possibleOf(p.Functions(), p.Coverage().PathsExecuted)
}

// possibleOf is possible for some functions.
func possibleOf(functions []*profile.Function, executed int) *big.Int {
	n := gate.PossiblePaths(functions)
	if executed := big.NewInt(int64(executed)); n.Cmp(executed) < 0 {
		return executed
	}
	return n
}

// executed returns "9 of 12 executed (75.0%)". Of samples it is "seen": others may have been executed all the same.
func executed(p *profile.Profile, n, of int) string {
	verb := "executed"
	if p.Rule() < profile.Whether {
		verb = "seen"
	}
	return fmt.Sprintf("%s of %s %s (%s)",
		show.Grouped(int64(n)), show.Grouped(int64(of)), verb, show.Percent(int64(n), int64(of)))
}

func writeHotPaths(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	list := hot.Paths(p, top)
	if len(list) == 0 {
		return
	}
	flow := known.FlowOf(p)
	countWidth := len("count")
	for _, h := range list {
		countWidth = max(countWidth, utf8.RuneCountInString(known.Count(h.Function, h.Path)))
	}
	fmt.Fprintf(w, "\nHottest paths by share of flow\n\n")
	fmt.Fprintf(w, " share  %s  function, what happens on the path, and on which lines\n", show.PadLeft("count", countWidth))
	indent := strings.Repeat(" ", len(" share  ")+countWidth+2)
	for _, h := range list {
		name := show.ShortenLeft(show.Printable(h.Function.Table.Name), show.Width-len(indent))
		share, count := flow.Share(h.Function, h.Path), known.Count(h.Function, h.Path)
		fmt.Fprintf(w, "%s  %s  %s\n", show.PadLeft(share, 6), show.PadLeft(count, countWidth), name)
		fmt.Fprint(w, show.FillSteps(texts.Of(h.Function).Path(h.Path), indent))
		writePathLines(w, h.Function, h.Path, indent)
	}
	writeChanges(w, texts, list)
}

// writePathLines writes where a path is: its file, its number and its lines. Of many lines some are left out, for the
// number tells paths apart.
func writePathLines(w io.Writer, f *profile.Function, p *profile.Path, indent string) {
	at := fmt.Sprintf(":%d  path %d: ", f.Lines(p)[0], p.ID)
	if text := known.Interval(f, p); text != "" {
		fmt.Fprintf(w, "%s%s\n", indent, text)
	}
	space := show.Width - len(indent) - len(at)
	// Lines are what the report is about: the file gets what five of them leave.
	file := show.ShortenLeft(show.Printable(f.Table.File), max(8, space-24))
	fmt.Fprintf(w, "%s%s%s%s\n", indent, file, at, show.FitSteps(f.Steps(p), space-utf8.RuneCountInString(file)))
}

// writeChanges says which of the sources are not what ran.
func writeChanges(w io.Writer, texts *code.Texts, list []hot.Path) {
	for _, text := range changes(texts, list) {
		fmt.Fprint(w, "\n", show.Paragraph(show.Printable(text), ""))
	}
}

// changes says of the functions of paths which have changed since the run, each once.
func changes(texts *code.Texts, list []hot.Path) (says []string) {
	for _, h := range list {
		if text := texts.Of(h.Function).Changed(); text != "" && texts.Files.Known() && !slices.Contains(says, text) {
			says = append(says, text)
		}
	}
	return says
}

func writePackages(w io.Writer, p *profile.Profile) {
	if len(p.Packages) == 0 {
		return
	}
	fmt.Fprintf(w, "\nPackages, executed/all\n\n")
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("package", "functions", "conditions", "branches", "statements", "paths")
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		executed := fmt.Sprintf("%d/%d", c.FunctionsExecuted, c.Functions)
		table.Row(append([]string{show.Printable(pkg.Path), executed}, coverageCells(c, pkg.Functions)...)...)
	}
	table.Write(w)
}

// coverageCells are conditions, branches, statements and paths of functions in tables. Of paths there are those that can be
// executed.
func coverageCells(c profile.Coverage, functions []*profile.Function) []string {
	return []string{
		show.Percent(int64(c.ConditionsExecuted), int64(c.Conditions)),
		show.Percent(int64(c.BranchesExecuted), int64(c.Branches)),
		show.Percent(int64(c.StatementsExecuted), int64(c.Statements)),
		fmt.Sprintf("%s/%s", show.Grouped(int64(c.PathsExecuted)), show.Possible(possibleOf(functions, c.PathsExecuted))),
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
	table.Row("function", "flow", "conditions", "branches", "statements", "paths")
	flow := known.FlowOf(p)
	for _, f := range shown {
		c := f.Coverage()
		table.Row(append([]string{show.Short(f.Table.Name, f.Package), flow.ShareOf(f)}, coverageCells(c, []*profile.Function{f})...)...)
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
func writeMispredictions(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	right, all := predict.Predicted(p)
	if all == 0 || top <= 0 {
		return
	}
	list := predict.Mispredictions(p)
	shown := list[:min(top, len(list))]
	fmt.Fprintf(w, "\nWhat edges tell of paths%s\n\n", ofMore(len(shown), len(list)))
	if part := known.FlowOf(p).Part(right, all); part != show.Unknown {
		fmt.Fprintf(w, "Following the most frequent branches predicts %s of path executions.\n", part)
	}
	if len(list) == 0 {
		fmt.Fprintf(w, "It finds the hottest path of every function.\n")
		return
	}
	fmt.Fprintf(w, "In %s it leads to another path than the hottest one:\n\n", show.Plural(len(list), "function"))
	for _, m := range shown {
		fmt.Fprintf(w, "  %s\n", show.ShortenLeft(show.Printable(m.Function.Table.Name), show.Width-2))
		for _, line := range []struct {
			what string
			path *profile.Path
		}{{"hottest", m.Hottest}, {"edges say", &m.Predicted}} {
			fmt.Fprintf(w, "    %s  %s\n", show.PadRight(line.what, 9), known.Count(m.Function, line.path))
			fmt.Fprint(w, show.FillSteps(texts.Of(m.Function).Path(line.path), "      "))
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
