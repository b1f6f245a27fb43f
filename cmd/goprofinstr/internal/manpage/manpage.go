// Package manpage writes what help says about all commands as one page for man, in the macros of man(7).
package manpage

import (
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
)

// A Page is what is in a page.
type Page struct {
	Name, Version string
	Date          string // such as 2026-11-25, or ""
	Short         string // what the program does, in half a line
	About         string
	Commands      []Command
	Topics        []Topic
}

// A Command is a subcommand. In its texts paragraphs have empty lines between them, and lines that begin with a tab are code.
type Command struct {
	Name, Synopsis, About string
	Flags                 flags.Table
	Notes, Examples       string
}

// A Topic is something else to read about.
type Topic struct{ Name, Text string }

// String returns the page.
func (p *Page) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s\n", quoted(strings.ToUpper(p.Name)), quoted(p.Date), quoted(p.Name+" "+p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(p.Name), escaped(p.Short))
	b.WriteString(".SH SYNOPSIS\n.nf\n")
	for _, c := range p.Commands {
		lines(&b, c.Synopsis)
	}
	b.WriteString(".fi\n.SH DESCRIPTION\n")
	prose(&b, p.About)
	for _, c := range p.Commands {
		c.write(&b, p.Name)
	}
	for _, t := range p.Topics {
		fmt.Fprintf(&b, ".SH %s\n", quoted(strings.ToUpper(t.Name)))
		prose(&b, t.Text)
	}
	return b.String()
}

// write writes the section of a command.
func (c *Command) write(b *strings.Builder, program string) {
	fmt.Fprintf(b, ".SH %s\n", quoted(program+" "+c.Name))
	b.WriteString(".nf\n")
	lines(b, c.Synopsis)
	b.WriteString(".fi\n")
	prose(b, c.About)
	for _, e := range c.Flags.Entries() {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n", escaped(e.Label))
		if e.For != "" {
			lines(b, "(for "+e.For+")")
		}
		lines(b, strings.Join(e.Lines, "\n"))
	}
	prose(b, c.Notes)
	if c.Examples != "" {
		b.WriteString(".PP\nExamples:\n")
		code(b, strings.Split(c.Examples, "\n"))
	}
}

// prose writes paragraphs and code.
func prose(b *strings.Builder, text string) {
	all := strings.Split(strings.Trim(text, "\n"), "\n")
	for len(all) > 0 {
		if all[0] == "" {
			all = all[1:]
			continue
		}
		isCode := strings.HasPrefix(all[0], "\t")
		n := 1
		for n < len(all) && all[n] != "" && strings.HasPrefix(all[n], "\t") == isCode {
			n++
		}
		if isCode {
			code(b, all[:n])
		} else {
			b.WriteString(".PP\n")
			lines(b, strings.Join(all[:n], "\n"))
		}
		all = all[n:]
	}
}

// code writes lines as they are, set off.
func code(b *strings.Builder, all []string) {
	b.WriteString(".PP\n.RS 4\n.nf\n")
	for _, line := range all {
		lines(b, strings.ReplaceAll(strings.TrimPrefix(line, "\t"), "\t", "    "))
	}
	b.WriteString(".fi\n.RE\n")
}

// lines writes lines of text, none of which is a request.
func lines(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		line = escaped(strings.TrimRight(line, "\n"))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		b.WriteString(line + "\n")
	}
}

// escaped returns text of which roff takes nothing for its own. Dashes are those of flags, to be copied.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// quoted returns text as one argument of a macro.
func quoted(text string) string { return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"` }
