package holes

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Write writes what is said of an operand of f on a line, or on two if that is too short. One more line has the operand
// in a longer condition.
func Write(w io.Writer, f *profile.Function, o code.Operand, says, indent string) {
	at, text := Address(f, &o), OperandText(f, &o)
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

// Address returns the place of a condition as editors read it.
func Address(f *profile.Function, o *code.Operand) string {
	at := fmt.Sprintf("%s:%d", show.Printable(f.Table.File), o.Line)
	if o.Col > 0 {
		at += fmt.Sprintf(":%d", o.Col)
	}
	return at
}

// OperandText is the text of a condition, or what it is of where there is no source.
func OperandText(f *profile.Function, o *code.Operand) string {
	if o.Text != "" {
		return show.Printable(o.Text)
	}
	return fmt.Sprintf("condition in %s", show.Short(f.Table.Name, f.Package))
}
