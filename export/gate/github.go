package gate

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteGithub writes a line for each missing thing that makes GitHub show an error on the line. Files are given
// beneath prefix.
func WriteGithub(w io.Writer, r *Result, prefix string) error {
	out := bufio.NewWriter(w)
	for _, m := range r.Missing {
		file, title := show.Printable(prefix+m.Function.Table.File), fmt.Sprintf("%s not covered", m.Measure)
		fmt.Fprintf(out, "::error file=%s,line=%d,title=%s::%s\n",
			escapeProperty(file), m.Line, escapeProperty(title), escapeData(annotation(m)))
	}
	for _, g := range r.Gates {
		if !g.Passed {
			fmt.Fprintf(out, "::error title=goprofinstr check::%s\n", escapeData(strings.TrimPrefix(gateText(r, g), "FAIL  ")))
		}
	}
	for _, line := range unreadLines(r) {
		fmt.Fprintf(out, "::error title=goprofinstr check::%s\n", escapeData(line))
	}
	return out.Flush()
}

// mostCondition is how much of a long condition an annotation has around the operand.
const mostCondition = 200

// annotation returns what is missing as a sentence.
func annotation(m *Missing) string {
	s := show.Printable(m.Function.Table.Name) + ": " + missingText(m)
	if m.Within != nil {
		s += fmt.Sprintf(", in %s", m.Within.In("«", "»", mostCondition))
	}
	if len(m.Before) > 0 {
		s += ": " + strings.Join(m.Before, " → ")
	}
	return show.Printable(s)
}

// escapeData and escapeProperty escape as GitHub's runner reads workflow commands.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
