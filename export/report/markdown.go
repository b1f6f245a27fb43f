package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteMarkdown writes p in the Markdown of code hosts, for the summary of a CI job. It begins with the sentence that
// the text begins with. Then come, for tests, what was never seen, and a table of the packages. What takes more room
// is folded up: the hottest top paths, functions whose edges tell another path, and the declined ones.
func WriteMarkdown(w io.Writer, p *profile.Profile, top int) error {
	out := bufio.NewWriter(w)
	texts := code.New(p)
	c := p.Coverage()
	fmt.Fprintf(out, "### %s\n\n", show.MarkdownText(show.Title(about.Headline(p))))
	fmt.Fprintf(out, "%s path profile of %s, %s of %s. Paths: %s.\n",
		show.Title(p.Mode()), show.Plural(len(p.Runs), "run"),
		show.Grouped(int64(c.FunctionsExecuted)), show.Plural(c.Functions, "function"), pathsText(p))
	for _, line := range about.Warnings(p) {
		fmt.Fprintf(out, "\n> %s\n", show.MarkdownText(line))
	}
	if about.Tests(p) {
		markdownHoles(out, p, texts, top)
	}
	markdownPackages(out, p)
	markdownPaths(out, p, texts, top)
	markdownMispredictions(out, p, texts, top)
	markdownDeclined(out, p, c.Declined)
	return out.Flush()
}

// markdownHoles writes what tests miss, with the operand in bold in a longer condition.
func markdownHoles(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	list, more := worst(p, min(top, reportHoles))
	if len(list) == 0 {
		return
	}
	fmt.Fprint(w, "\n| never seen, where control came most often, panics last | at | |\n|---|---|---|\n")
	for _, h := range list {
		o := h.Operand(texts)
		text := show.MarkdownCode(holes.OperandText(h.Function, &o))
		if o.Longer() {
			text = fmt.Sprintf("<code>%s<b>%s</b>%s</code>", show.MarkdownText(o.Before), show.MarkdownText(o.Text), show.MarkdownText(o.After))
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", text, show.MarkdownCode(holes.Address(h.Function, &o)), show.MarkdownText(h.Says()))
	}
	if more > 0 {
		fmt.Fprintf(w, "\nand %s more\n", show.Grouped(int64(more)))
	}
}

func markdownPackages(w io.Writer, p *profile.Profile) {
	if len(p.Packages) == 0 {
		return
	}
	fmt.Fprint(w, "\n| package | functions | conditions | branches | statements | paths |\n|---|--:|--:|--:|--:|--:|\n")
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		cells := strings.Join(coverageCells(c, pkg.Functions), " | ")
		fmt.Fprintf(w, "| %s | %d/%d | %s |\n", show.MarkdownCode(pkg.Path), c.FunctionsExecuted, c.Functions, cells)
	}
}

func markdownPaths(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	list := hot.Paths(p, top)
	if len(list) == 0 {
		return
	}
	flow := known.FlowOf(p)
	show.MarkdownDetails(w, fmt.Sprintf("Hottest paths (%d)", len(list)), func() {
		fmt.Fprint(w, "| share of flow | executions | function | what happens on the path | lines |\n|--:|--:|---|---|---|\n")
		for _, h := range list {
			count := known.Count(h.Function, h.Path)
			if text := known.Interval(h.Function, h.Path); text != "" {
				count += ", " + text
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", flow.Share(h.Function, h.Path), show.MarkdownText(count),
				show.MarkdownCode(shortName(h.Function)), markdownSteps(texts, h.Function, h.Path),
				show.Steps(h.Function.Steps(h.Path), show.MostSteps))
		}
		for _, text := range changes(texts, list) {
			fmt.Fprintf(w, "\n%s.\n", show.MarkdownText(text))
		}
	})
}

// markdownSteps is what happens on a path, all of it.
func markdownSteps(texts *code.Texts, f *profile.Function, p *profile.Path) string {
	var steps []string
	for _, s := range texts.Of(f).Path(p) {
		steps = append(steps, show.MarkdownCode(s))
	}
	return strings.Join(steps, " → ")
}

func markdownMispredictions(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	list := predict.Mispredictions(p)
	if len(list) == 0 || top <= 0 {
		return
	}
	right, all := predict.Predicted(p)
	title := "Functions whose edge profile tells another path than the hottest"
	show.MarkdownDetails(w, fmt.Sprintf("%s (%s)", title, show.Grouped(int64(len(list)))), func() {
		if part := known.FlowOf(p).Part(right, all); part != show.Unknown {
			fmt.Fprintf(w, "Following the most frequent branches predicts %s of path executions.\n\n", part)
		}
		fmt.Fprint(w, "| function | hottest path | executions | edges say | executions |\n|---|---|--:|---|--:|\n")
		for _, m := range list[:min(top, len(list))] {
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", show.MarkdownCode(shortName(m.Function)),
				markdownSteps(texts, m.Function, m.Hottest), show.MarkdownText(known.Count(m.Function, m.Hottest)),
				markdownSteps(texts, m.Function, &m.Predicted), show.MarkdownText(known.Count(m.Function, &m.Predicted)))
		}
	})
}

func markdownDeclined(w io.Writer, p *profile.Profile, declined int) {
	if declined == 0 {
		return
	}
	show.MarkdownDetails(w, fmt.Sprintf("Declined functions (%s)", show.Grouped(int64(declined))), func() {
		for _, g := range about.DeclinedByReason(p) {
			fmt.Fprintf(w, "- %s: %s\n", show.MarkdownText(g.Reason), show.Plural(len(g.Functions), "function"))
		}
	})
}

// shortName returns the name of a function without the folders of its package.
func shortName(f *profile.Function) string { return show.Short(f.Table.Name, f.Package) }
