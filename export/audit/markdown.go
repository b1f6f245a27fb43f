package audit

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteMarkdown writes the report for a comment on a pull request.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if r.Base != nil {
		r.markdownChange(&b)
	} else {
		b.WriteString("| function | verdict |\n|---|---|\n")
		for i := range r.Functions {
			f := &r.Functions[i]
			fmt.Fprintf(&b, "| %s | %s |\n", code(f.Name), cell(f.Verdict(r.Confidence)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownChange writes what a change has made of functions.
func (r *Report) markdownChange(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", cell(r.Summary()))
	if len(r.Functions) > 0 {
		b.WriteString("\n| function | verdict | time against the base | interval | timings |\n|---|---|--:|--:|--:|\n")
	}
	for i := range r.Functions {
		f := &r.Functions[i]
		c := f.Change
		effect, interval := "", ""
		if c.Known && c.Outcome != TooShort {
			effect, interval = signed(c.Effect), signed(c.Low)+" to "+signed(c.High)
		}
		outcome := c.Outcome
		if c.Fails {
			outcome = "**" + outcome + "**"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code(f.Name), outcome, effect, interval, show.Grouped(int64(f.timings())))
	}
	if n := len(r.Base.NotCompared); n > 0 {
		fmt.Fprintf(b, "\n<details><summary>Not compared: %d</summary>\n\n", n)
		for _, n := range r.Base.NotCompared {
			at := ""
			if n.File != "" {
				at = fmt.Sprintf(" (%s:%d)", cell(n.File), n.Line)
			}
			fmt.Fprintf(b, "- %s%s: %s\n", code(n.Name), at, cell(n.Reason))
		}
		b.WriteString("\n</details>\n")
	}
	fmt.Fprintf(b, "\nVersions of both commits ran by turns in one program; intervals hold with a probability of %s, "+
		"however long they are looked at.\n", percent(r.Confidence))
}

// signed returns a share as a percentage with its sign.
func signed(x float64) string {
	if x < 0 {
		return share(x)
	}
	return "+" + share(x)
}

// cell returns text that can stand in a table.
func cell(text string) string {
	text = strings.Join(strings.Fields(show.Printable(text)), " ")
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`).Replace(html.EscapeString(text))
}

// code returns a name as code.
func code(name string) string {
	return "<code>" + cell(name) + "</code>"
}
