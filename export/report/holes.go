package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// reportHoles is how many conditions a report names of those that were not seen both ways. All are in the conditions
// format and on the page of each function.
const reportHoles = 10

// worst returns at most so many of the conditions of which it is known that they were never true, or never false, and
// how many outcomes are missing besides.
func worst(p *profile.Profile, most int) (list []holes.Hole, more int) {
	c := p.Coverage()
	more = c.Conditions - c.ConditionsExecuted
	for _, h := range holes.All(p) {
		if h.Known() && h.Other > 0 && len(list) < most {
			list = append(list, h)
			more--
		}
	}
	return list, more
}

// writeHoles writes what tests miss.
func writeHoles(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	list, more := worst(p, min(top, reportHoles))
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\nNever seen, where control came most often, panics last\n\n")
	for _, h := range list {
		writeHole(w, &h, texts, "")
	}
	if more > 0 {
		fmt.Fprintf(w, "and %s more; -format conditions has those of what ran\n", show.Grouped(int64(more)))
	}
}

// writeHole writes a hole on a line, or on two if that is too short; another one has the operand in a longer condition.
func writeHole(w io.Writer, h *holes.Hole, texts *code.Texts, indent string) {
	o := h.Operand(texts)
	at, text, says := address(h.Function, &o), operandText(h, &o), h.Says()
	if n := utf8.RuneCountInString(indent + at + text + says); n+4 <= show.Width {
		fmt.Fprintf(w, "%s%s  %s  %s\n", indent, at, text, says)
	} else {
		fmt.Fprintf(w, "%s%s\n", indent, show.ShortenLeft(at, show.Width-len(indent)))
		indent += "    "
		fmt.Fprintf(w, "%s%s  %s\n", indent, show.ShortenRight(text, show.Width-len(indent)-2-len(says)), says)
	}
	if o.Longer() {
		indent = strings.Repeat(" ", len(indent)) + "    in "
		fmt.Fprintf(w, "%s%s\n", indent, show.Printable(o.In("«", "»", show.Width-len(indent))))
	}
}

// address returns the place of a condition as editors read it.
func address(f *profile.Function, o *code.Operand) string {
	at := fmt.Sprintf("%s:%d", show.Printable(f.Table.File), o.Line)
	if o.Col > 0 {
		at += fmt.Sprintf(":%d", o.Col)
	}
	return at
}

// operandText is the text of a condition, or what it is of where there is no source.
func operandText(h *holes.Hole, o *code.Operand) string {
	if o.Text != "" {
		return show.Printable(o.Text)
	}
	return fmt.Sprintf("condition in %s", show.Short(h.Function.Table.Name, h.Function.Package))
}
