package show

import (
	"fmt"
	"io"
	"strings"
)

// MarkdownText escapes what Markdown or HTML would take for its own.
func MarkdownText(s string) string {
	var b strings.Builder
	for _, r := range Printable(s) {
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

// MarkdownCode is text as code, in a table or not.
func MarkdownCode(s string) string { return "<code>" + MarkdownText(s) + "</code>" }

// MarkdownDetails writes what is folded up beneath a line of text.
func MarkdownDetails(w io.Writer, summary string, write func()) {
	fmt.Fprintf(w, "\n<details><summary>%s</summary>\n\n", MarkdownText(summary))
	write()
	fmt.Fprint(w, "\n</details>\n")
}
