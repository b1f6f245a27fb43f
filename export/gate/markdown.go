package gate

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// mostFiles is how many changed files Markdown lists. Code hosts take comments of 65,536 characters.
const mostFiles = 50

// WriteMarkdown writes the result of a check in the Markdown of code hosts, for a comment on a pull request. It has the gates,
// what the change does if there is a Base, and what is missing. Files are given beneath prefix.
func WriteMarkdown(w io.Writer, r *Result, prefix string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### %s\n\n", show.MarkdownText(r.headline()))
	for _, g := range r.Gates {
		mark := "✅"
		if !g.Passed {
			mark = "❌"
		}
		fmt.Fprintf(out, "- %s %s\n", mark, show.MarkdownText(demandText(r, g)))
	}
	for _, line := range unreadLines(r) {
		fmt.Fprintf(out, "- ❌ %s\n", show.MarkdownText(line))
	}
	markdownChange(out, r.Change)
	missing, more := r.Missing, r.all()-len(r.Missing)
	if len(missing) == 0 && r.Change != nil {
		missing, more = r.Change.Missing, r.Change.MoreMissing
	}
	title := "not covered"
	anywhere := func(m Measure) bool { return r.failed(m, true) && !r.failed(m, false) } // see Check
	if r.OnChanged && !slices.ContainsFunc(Measures, anywhere) {
		title += " on changed lines"
	}
	markdownMissing(out, title+", the most useful first", missing, more, prefix)
	if r.Change != nil {
		markdownLost(out, r.Change, prefix)
		markdownFiles(out, r.Change, prefix)
	}
	for _, note := range notes(r) {
		fmt.Fprintf(out, "\n%s\n", show.MarkdownText(show.Title(note)))
	}
	return out.Flush()
}

// headline says in a few words what came out.
func (r *Result) headline() string {
	text := "Coverage"
	if r.Change != nil {
		for _, m := range r.Change.Measures {
			if m.Measure != Statement {
				continue
			}
			if m.Changed.Possible.Sign() > 0 {
				text = show.PercentBig(m.Changed.Covered, m.Changed.Possible) + " of changed statements are covered"
			} else {
				text = "No statement has changed"
			}
		}
	}
	switch {
	case !r.Passed():
		return text + ": the check has failed"
	case len(r.Gates) > 0:
		return text + ": the check has passed"
	}
	return text
}

// markdownChange writes the table of measures.
func markdownChange(w io.Writer, c *Change) {
	if c == nil {
		return
	}
	fmt.Fprint(w, "\n| | base | now | change | on changed lines |\n|---|--:|--:|--:|--:|\n")
	for _, m := range c.Measures {
		fmt.Fprintf(w, "| %s |\n", strings.Join(m.cells(), " | "))
	}
	fmt.Fprintf(w, "\nThe base is %s.\n", show.MarkdownText(c.title()))
}

// markdownMissing writes a table of what is missing.
func markdownMissing(w io.Writer, title string, list []*Missing, more int, prefix string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n| %s | at | what comes before |\n|---|---|---|\n", title)
	for _, m := range list {
		var steps []string
		for _, s := range m.Before {
			steps = append(steps, show.MarkdownCode(show.ShortenRight(s, mostCondition)))
		}
		at := fmt.Sprintf("%s%s:%d", prefix, m.Function.Table.File, m.Line)
		fmt.Fprintf(w, "| %s | %s | %s |\n", missingMarkdown(m), show.MarkdownCode(at), strings.Join(steps, " → "))
	}
	if more > 0 {
		fmt.Fprintf(w, "\nand %s more\n", show.Grouped(int64(more)))
	}
}

// missingMarkdown returns what is missing with its function, and with the whole of a longer condition.
func missingMarkdown(m *Missing) string {
	name := show.Short(m.Function.Table.Name, m.Function.Package)
	text := show.MarkdownCode(show.ShortenRight(missingText(m), mostCondition)) + " in " + show.MarkdownCode(name)
	if m.Within != nil {
		text += ": " + show.MarkdownCode(m.Within.In("«", "»", mostCondition))
	}
	return text
}

// markdownLost writes what the base has covered.
func markdownLost(w io.Writer, c *Change, prefix string) {
	if len(c.Lost) == 0 {
		return
	}
	all := len(c.Lost) + c.MoreLost
	show.MarkdownDetails(w, fmt.Sprintf("Not covered any more (%s)", show.Grouped(int64(all))), func() {
		markdownMissing(w, "covered at the base", c.Lost, c.MoreLost, prefix)
	})
}

// markdownFiles writes the coverage of the changed lines of each file.
func markdownFiles(w io.Writer, c *Change, prefix string) {
	if len(c.Files) == 0 {
		return
	}
	show.MarkdownDetails(w, fmt.Sprintf("Changed files (%s)", show.Grouped(int64(len(c.Files)))), func() {
		fmt.Fprint(w, "| changed lines of |")
		for _, m := range compared {
			fmt.Fprintf(w, " %s |", nouns[m])
		}
		fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", len(compared)))
		for _, f := range c.Files[:min(len(c.Files), mostFiles)] {
			fmt.Fprintf(w, "| %s |", show.MarkdownCode(prefix+f.Name))
			for _, m := range compared {
				fmt.Fprintf(w, " %s |", changedText(f.Coverage[m]))
			}
			fmt.Fprintln(w)
		}
		if more := len(c.Files) - mostFiles; more > 0 {
			fmt.Fprintf(w, "\nand %s\n", show.Plural(more, "other"))
		}
	})
}
