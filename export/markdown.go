package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/show"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/source"
)

// WriteMarkdown writes p in the Markdown of code hosts, for the summary of a CI job: the coverage as a sentence and a table of the packages, and
// what takes more room folded up: the hottest top paths with their source where it can be read, functions whose edges tell another path, and the
// declined ones.
func WriteMarkdown(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	c := p.Coverage()
	fmt.Fprintf(out, "### Paths: %s of %s executed (%s)\n\n", grouped(int64(c.PathsExecuted)), possibleText(c.Paths), percentBig(int64(c.PathsExecuted), c.Paths))
	fmt.Fprintf(out, "%s path profile of %s: **%s** of branches, **%s** of conditions, **%s** of statements, %s of %s.\n",
		title(kind(p)), plural(len(p.Runs), "run"), percent(int64(c.BranchesExecuted), int64(c.Branches)), percent(int64(c.ConditionsExecuted), int64(c.Conditions)),
		percent(int64(c.StatementsExecuted), int64(c.Statements)), grouped(int64(c.FunctionsExecuted)), plural(c.Functions, "function"))
	for _, line := range Warnings(p) {
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
		fmt.Fprintf(w, "| %s | %d/%d | %s |\n", markdownCode(pkg.Path), c.FunctionsExecuted, c.Functions, strings.Join(coverageCells(c), " | "))
	}
}

func markdownPaths(w io.Writer, p *profile.Profile, top int) {
	hot := Hottest(p, top)
	if len(hot) == 0 {
		return
	}
	flow := p.Coverage().Flow
	markdownDetails(w, fmt.Sprintf("Hottest paths (%d)", len(hot)), func() {
		fmt.Fprint(w, "| share of flow | executions | function | path |\n|--:|--:|---|---|\n")
		for _, h := range hot {
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", percent(h.Path.Flow(), flow), countText(h.Path.Count),
				markdownCode(show.Short(h.Function.Table.Name, h.Function.Package)), lineSequence(h.Function.Steps(h.Path), maxShownLines))
		}
	})
	files := source.New(p)
	for _, h := range hot[:min(sourcePaths, len(hot))] {
		var text strings.Builder
		writeExcerpt(&text, files, h, 0)
		if text.Len() == 0 {
			continue
		}
		markdownDetails(w, fmt.Sprintf("%s: path %d of %s", percent(h.Path.Flow(), flow), h.Path.ID, show.Short(h.Function.Table.Name, h.Function.Package)), func() {
			fence := markdownFence(text.String())
			fmt.Fprintf(w, "%sgo\n%s%s\n", fence, text.String(), fence)
		})
	}
}

func markdownMispredictions(w io.Writer, p *profile.Profile, top int) {
	list := p.Mispredictions()
	if len(list) == 0 || top <= 0 {
		return
	}
	right, all := p.Predicted()
	markdownDetails(w, fmt.Sprintf("Functions whose edge profile tells another path than the hottest (%s)", grouped(int64(len(list)))), func() {
		fmt.Fprintf(w, "Following the most frequent branches predicts %s of path executions.\n\n", percent(right, all))
		fmt.Fprint(w, "| function | hottest path | executions | edges say | executions |\n|---|---|--:|---|--:|\n")
		for _, m := range list[:min(top, len(list))] {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", markdownCode(show.Short(m.Function.Table.Name, m.Function.Package)),
				lineSequence(m.Function.Steps(m.Hottest), maxShownLines), countText(m.Hottest.Count),
				lineSequence(m.Function.Steps(&m.Predicted), maxShownLines), countText(m.Predicted.Count))
		}
	})
}

func markdownDeclined(w io.Writer, p *profile.Profile, declined int) {
	if declined == 0 {
		return
	}
	markdownDetails(w, fmt.Sprintf("Declined functions (%s)", grouped(int64(declined))), func() {
		for _, g := range DeclinedByReason(p) {
			fmt.Fprintf(w, "- %s: %s\n", markdownText(g.Reason), plural(len(g.Functions), "function"))
		}
	})
}

// markdownDetails writes what is folded up beneath a line of text.
func markdownDetails(w io.Writer, summary string, write func()) {
	fmt.Fprintf(w, "\n<details><summary>%s</summary>\n\n", markdownText(summary))
	write()
	fmt.Fprint(w, "\n</details>\n")
}

// markdownText escapes what Markdown or HTML would take for its own.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range printable(s) {
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
