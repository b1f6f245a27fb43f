package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteMarkdown writes p in the Markdown of code hosts, for the summary of a CI job: the coverage as a sentence and a
// table of the packages, and what takes more room folded up: the hottest top paths with their source where it can be
// read, functions whose edges tell another path, and the declined ones.
func WriteMarkdown(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	c := p.Coverage()
	paths := int64(c.PathsExecuted)
	fmt.Fprintf(out, "### Paths: %s of %s executed (%s)\n\n",
		show.Grouped(paths), show.Possible(c.Paths), show.PercentBig(paths, c.Paths))
	fmt.Fprintf(out, "%s path profile of %s: **%s** of branches, **%s** of conditions, **%s** of statements, %s of %s.\n",
		show.Title(p.Mode()), show.Plural(len(p.Runs), "run"),
		show.Percent(int64(c.BranchesExecuted), int64(c.Branches)),
		show.Percent(int64(c.ConditionsExecuted), int64(c.Conditions)),
		show.Percent(int64(c.StatementsExecuted), int64(c.Statements)),
		show.Grouped(int64(c.FunctionsExecuted)), show.Plural(c.Functions, "function"))
	for _, line := range about.Warnings(p) {
		fmt.Fprintf(out, "\n> %s\n", markdownText(line))
	}
	markdownPackages(out, p)
	markdownPaths(out, p, top)
	markdownMispredictions(out, p, top)
	markdownDeclined(out, p, c.Declined)
	return out.Flush()
}

func markdownPackages(w io.Writer, p *profile.Profile) {
	if len(p.Packages) == 0 {
		return
	}
	fmt.Fprint(w, "\n| package | functions | paths | branches | conditions | statements |\n|---|--:|--:|--:|--:|--:|\n")
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		cells := strings.Join(coverageCells(c), " | ")
		fmt.Fprintf(w, "| %s | %d/%d | %s |\n", markdownCode(pkg.Path), c.FunctionsExecuted, c.Functions, cells)
	}
}

func markdownPaths(w io.Writer, p *profile.Profile, top int) {
	list := hot.Paths(p, top)
	if len(list) == 0 {
		return
	}
	flow := p.Coverage().Flow
	markdownDetails(w, fmt.Sprintf("Hottest paths (%d)", len(list)), func() {
		fmt.Fprint(w, "| share of flow | executions | function | path |\n|--:|--:|---|---|\n")
		for _, h := range list {
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", show.Percent(h.Path.Flow(), flow), show.Count(h.Path.Count),
				markdownCode(shortName(h.Function)), show.Steps(h.Function.Steps(h.Path), show.MostSteps))
		}
	})
	files := source.New(p)
	for _, h := range list[:min(sourcePaths, len(list))] {
		var text strings.Builder
		writeExcerpt(&text, files, h, 0)
		if text.Len() == 0 {
			continue
		}
		title := fmt.Sprintf("%s: path %d of %s", show.Percent(h.Path.Flow(), flow), h.Path.ID, shortName(h.Function))
		markdownDetails(w, title, func() {
			fence := markdownFence(text.String())
			fmt.Fprintf(w, "%sgo\n%s%s\n", fence, text.String(), fence)
		})
	}
}

func markdownMispredictions(w io.Writer, p *profile.Profile, top int) {
	list := predict.Mispredictions(p)
	if len(list) == 0 || top <= 0 {
		return
	}
	right, all := predict.Predicted(p)
	title := "Functions whose edge profile tells another path than the hottest"
	markdownDetails(w, fmt.Sprintf("%s (%s)", title, show.Grouped(int64(len(list)))), func() {
		fmt.Fprintf(w, "Following the most frequent branches predicts %s of path executions.\n\n", show.Percent(right, all))
		fmt.Fprint(w, "| function | hottest path | executions | edges say | executions |\n|---|---|--:|---|--:|\n")
		for _, m := range list[:min(top, len(list))] {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", markdownCode(shortName(m.Function)),
				show.Steps(m.Function.Steps(m.Hottest), show.MostSteps), show.Count(m.Hottest.Count),
				show.Steps(m.Function.Steps(&m.Predicted), show.MostSteps), show.Count(m.Predicted.Count))
		}
	})
}

func markdownDeclined(w io.Writer, p *profile.Profile, declined int) {
	if declined == 0 {
		return
	}
	markdownDetails(w, fmt.Sprintf("Declined functions (%s)", show.Grouped(int64(declined))), func() {
		for _, g := range about.DeclinedByReason(p) {
			fmt.Fprintf(w, "- %s: %s\n", markdownText(g.Reason), show.Plural(len(g.Functions), "function"))
		}
	})
}

// shortName returns the name of a function without the folders of its package.
func shortName(f *profile.Function) string { return show.Short(f.Table.Name, f.Package) }

// markdownDetails writes what is folded up beneath a line of text.
func markdownDetails(w io.Writer, summary string, write func()) {
	fmt.Fprintf(w, "\n<details><summary>%s</summary>\n\n", markdownText(summary))
	write()
	fmt.Fprint(w, "\n</details>\n")
}

// markdownText escapes what Markdown or HTML would take for its own.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range show.Printable(s) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]#|~$@", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markdownCode is text as code, in a table or not.
func markdownCode(s string) string { return "<code>" + markdownText(s) + "</code>" }

// markdownFence returns backquotes that are in no line of text.
func markdownFence(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
