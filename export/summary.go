package export

import (
	"bufio"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// The summary is for the end of a test run's output: what is in it must fit
// beneath the test results without pushing them off the screen.
const (
	summaryPaths   = 5
	summaryReasons = 3
)

// WriteSummary writes at most 16 lines about p: what was executed, the hottest
// paths, how many functions were declined and why, and a warning if counts were lost.
// A profile of no runs says so.
func WriteSummary(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	c := p.Coverage()
	if len(p.Runs) == 0 {
		fmt.Fprintln(out, "goprofinstr: no run data: no instrumented code ran")
		summarizeDeclined(out, p, c.Declined)
		return out.Flush()
	}
	verb := "executed"
	if p.Sampled {
		verb = "seen"
	}
	fmt.Fprintf(out, "goprofinstr: %s of %s %s (%s), %d of %s, %s\n",
		grouped(int64(c.PathsExecuted)), pluralBig(c.Paths, "path"), verb, percentBig(int64(c.PathsExecuted), c.Paths),
		c.FunctionsExecuted, plural(c.Functions, "function"), plural(len(p.Runs), "run"))
	if p.Estimates() {
		fmt.Fprintln(out, sampledBy(p))
	}
	summarizeHotPaths(out, p, c.Flow)
	summarizeDeclined(out, p, c.Declined)
	for _, line := range Warnings(p) {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

func summarizeHotPaths(w io.Writer, p *profile.Profile, flow int64) {
	hot := Hottest(p, summaryPaths)
	if len(hot) == 0 {
		return
	}
	countWidth, nameWidth := 0, 0
	for _, h := range hot {
		countWidth = max(countWidth, len(countText(h.Path.Count)))
		nameWidth = max(nameWidth, utf8.RuneCountInString(h.Function.Table.Name))
	}
	nameWidth = min(nameWidth, 36)
	fmt.Fprintln(w, "hottest paths: share of flow, executions, function, lines")
	for _, h := range hot {
		row := fmt.Sprintf("%s  %s  %s  ", padLeft(percent(h.Path.Flow(), flow), 7), padLeft(countText(h.Path.Count), countWidth),
			padRight(shortenLeft(printable(h.Function.Table.Name), nameWidth), nameWidth))
		fmt.Fprintf(w, "%s%s\n", row, fitLines(h.Function.Steps(h.Path), width-utf8.RuneCountInString(row)))
	}
}

func summarizeDeclined(w io.Writer, p *profile.Profile, declined int) {
	if declined == 0 {
		return
	}
	fmt.Fprintf(w, "declined %s:\n", plural(declined, "function"))
	groups := DeclinedByReason(p)
	rest := declined
	for _, g := range groups[:min(len(groups), summaryReasons)] {
		fmt.Fprintf(w, "%7s  %s\n", grouped(int64(len(g.Functions))), shortenRight(printable(g.Reason), width-9))
		rest -= len(g.Functions)
	}
	if rest > 0 {
		fmt.Fprintf(w, "%7s  for other reasons\n", grouped(int64(rest)))
	}
}
