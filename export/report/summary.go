package report

import (
	"bufio"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
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
	if p.Rule() < profile.Whether {
		verb = "seen"
	}
	paths := int64(c.PathsExecuted)
	fmt.Fprintf(out, "goprofinstr: %s of %s %s (%s), %d of %s, %s\n",
		show.Grouped(paths), show.PluralBig(c.Paths, "path"), verb, show.PercentBig(paths, c.Paths),
		c.FunctionsExecuted, show.Plural(c.Functions, "function"), show.Plural(len(p.Runs), "run"))
	if account := p.Account(); account != "" {
		fmt.Fprintln(out, account)
	}
	summarizeHotPaths(out, p, c.Flow)
	summarizeDeclined(out, p, c.Declined)
	for _, line := range about.Warnings(p) {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

func summarizeHotPaths(w io.Writer, p *profile.Profile, flow int64) {
	list := hot.Paths(p, summaryPaths)
	if len(list) == 0 {
		return
	}
	countWidth, nameWidth := 0, 0
	for _, h := range list {
		countWidth = max(countWidth, len(show.Count(h.Path.Count)))
		nameWidth = max(nameWidth, utf8.RuneCountInString(h.Function.Table.Name))
	}
	nameWidth = min(nameWidth, 36)
	fmt.Fprintln(w, "hottest paths: share of flow, executions, function, lines")
	for _, h := range list {
		share, count := show.Percent(h.Path.Flow(), flow), show.Count(h.Path.Count)
		row := fmt.Sprintf("%s  %s  %s  ", show.PadLeft(share, 7), show.PadLeft(count, countWidth),
			show.PadRight(show.ShortenLeft(show.Printable(h.Function.Table.Name), nameWidth), nameWidth))
		fmt.Fprintf(w, "%s%s\n", row, show.FitSteps(h.Function.Steps(h.Path), show.Width-utf8.RuneCountInString(row)))
	}
}

func summarizeDeclined(w io.Writer, p *profile.Profile, declined int) {
	if declined == 0 {
		return
	}
	fmt.Fprintf(w, "declined %s:\n", show.Plural(declined, "function"))
	groups := about.DeclinedByReason(p)
	rest := declined
	for _, g := range groups[:min(len(groups), summaryReasons)] {
		reason := show.ShortenRight(show.Printable(g.Reason), show.Width-9)
		fmt.Fprintf(w, "%7s  %s\n", show.Grouped(int64(len(g.Functions))), reason)
		rest -= len(g.Functions)
	}
	if rest > 0 {
		fmt.Fprintf(w, "%7s  for other reasons\n", show.Grouped(int64(rest)))
	}
}
