package cli

import (
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/manpage"
)

// Reference returns the page docs/reference/commands.md: what help says about all commands and topics, in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Commands and flags\n\n" +
		"`goprofinstr help -markdown` writes this page; change the tables of flags in cmd/goprofinstr/cli instead.\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "- [%s](#goprofinstr-%s): %s\n", c.name, c.name, c.short)
	}
	for _, t := range topics {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", t.name, t.name, t.short)
	}
	for _, c := range commands {
		section(&b, "goprofinstr "+c.name, indented(c.synopsis), prose(c.about), c.flags().Markdown(), prose(c.notes), examples(c))
	}
	for _, t := range topics {
		section(&b, t.name, prose(t.text))
	}
	return b.String()
}

// ManPage returns the same as a page for man. The date is such as 2026-11-25, or "".
func ManPage(version, date string) string {
	page := manpage.Page{Name: "goprofinstr", Version: version, Date: date, Short: "tell which paths a Go program takes through its functions",
		About: intro}
	for _, c := range commands {
		page.Commands = append(page.Commands, manpage.Command{Name: c.name, Synopsis: c.synopsis, About: c.about, Flags: c.flags(),
			Notes: c.notes, Examples: c.examples})
	}
	for _, t := range topics {
		page.Topics = append(page.Topics, manpage.Topic{Name: t.name, Text: t.text})
	}
	return page.String()
}

// examples returns the examples of a command, set off, or "".
func examples(c *command) string {
	if c.examples == "" {
		return ""
	}
	return "Examples:\n\n" + indented(c.examples)
}

// section writes a heading and the parts below it that are not empty.
func section(b *strings.Builder, heading string, parts ...string) {
	fmt.Fprintf(b, "\n## %s\n", heading)
	for _, p := range parts {
		if p != "" {
			fmt.Fprintf(b, "\n%s\n", strings.TrimRight(p, "\n"))
		}
	}
}

// prose escapes what means something in Markdown and nothing in help. Indented lines are code in both.
func prose(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "\t") {
			lines[i] = inProse.Replace(line)
		}
	}
	return strings.Join(lines, "\n")
}

var inProse = strings.NewReplacer("*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`)
