package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// The summary is for the end of a test run's output. It must fit beneath the test results without pushing them off
// the screen.
const (
	summaryLines   = 6 // of what was never seen, or of hot paths
	summaryReasons = 3
)

// WriteSummary writes at most 15 lines about p. The first is the sentence that the report begins with. For tests the
// conditions follow that were never seen one way, for other programs the hottest paths. Then come how many paths were
// executed, how many functions were declined and why, and a warning if counts were lost. A profile of no runs says so.
func WriteSummary(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	c := p.Coverage()
	if len(p.Runs) == 0 {
		fmt.Fprintln(out, "goprofinstr: no run data: no instrumented code ran")
		summarizeDeclined(out, p, c.Declined)
		return out.Flush()
	}
	fmt.Fprint(out, show.Paragraph("goprofinstr: "+about.Headline(p), ""))
	texts := code.New(p)
	if about.Tests(p) {
		summarizeHoles(out, p, texts)
	} else {
		summarizeHotPaths(out, p, texts, known.FlowOf(p))
	}
	summarizePaths(out, p, &c)
	if account := p.Account(); account != "" {
		fmt.Fprintln(out, account)
	}
	summarizeDeclined(out, p, c.Declined)
	for _, line := range about.Warnings(p) {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

// summarizePaths says how many paths were executed.
func summarizePaths(w io.Writer, p *profile.Profile, c *profile.Coverage) {
	verb := "executed"
	if p.Rule() < profile.Whether {
		verb = "seen"
	}
	paths, possible := int64(c.PathsExecuted), possible(p)
	fmt.Fprintf(w, "goprofinstr: %s of %s %s (%s), %d of %s, %s\n",
		show.Grouped(paths), show.PluralBig(possible, "path"), verb, show.PercentBig(paths, possible),
		c.FunctionsExecuted, show.Plural(c.Functions, "function"), show.Plural(len(p.Runs), "run"))
}

// summarizeHoles writes the conditions at which tests miss most, as long as there is room for what is in two lines.
func summarizeHoles(w io.Writer, p *profile.Profile, texts *code.Texts) {
	list, more := worst(p, summaryLines)
	lines := 0
	for _, h := range list {
		var text strings.Builder
		holes.Write(&text, h.Function, h.Operand(texts), h.Says(), "  ")
		if lines += strings.Count(text.String(), "\n"); lines > summaryLines {
			more++
			continue
		}
		io.WriteString(w, text.String())
	}
	if len(list) > 0 && more > 0 {
		fmt.Fprintf(w, "  and %s more: goprofinstr report -format conditions | grep never\n", show.Grouped(int64(more)))
	}
}

// summarizeHotPaths writes the hottest paths, each on two lines. What is too long for the second line is cut: the number
// of the path, which is on the first line, tells it from others.
func summarizeHotPaths(w io.Writer, p *profile.Profile, texts *code.Texts, flow *known.Flow) {
	list := hot.Paths(p, summaryLines/2)
	if len(list) == 0 {
		return
	}
	countWidth := 0
	for _, h := range list {
		countWidth = max(countWidth, utf8.RuneCountInString(known.Count(h.Function, h.Path)))
	}
	fmt.Fprintln(w, "hottest paths: share of flow, executions, path, what happens on it")
	for _, h := range list {
		share, count := flow.Share(h.Function, h.Path), known.Count(h.Function, h.Path)
		row := fmt.Sprintf("%s  %s  ", show.PadLeft(share, 7), show.PadLeft(count, countWidth))
		id := fmt.Sprintf("#%d", h.Path.ID)
		name := show.Short(h.Function.Table.Name, h.Function.Package)
		name = show.ShortenLeft(name, show.Width-utf8.RuneCountInString(row)-len(id))
		steps := show.Printable(strings.Join(texts.Of(h.Function).Path(h.Path), " → "))
		fmt.Fprintf(w, "%s%s%s\n      %s\n", row, name, id, show.ShortenRight(steps, show.Width-6))
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
