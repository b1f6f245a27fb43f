package gate

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// mostAnnotations is how many errors of a step GitHub shows; what comes later nobody sees.
const mostAnnotations = 10

// WriteGithub writes commands that make GitHub show errors. The first has the gates that have failed. The others are on
// the lines of the missing things, as many as are shown. What is missing besides is in the log, as text. Files are
// given beneath prefix. Of a check that has passed there is a line in the log.
func WriteGithub(w io.Writer, r *Result, prefix string) error {
	if r.Passed() {
		return WriteText(w, r)
	}
	out := bufio.NewWriter(w)
	shown := r.inTurn(mostAnnotations - 1)
	lines := failures(r)
	if more := r.all() - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("%s missing and not shown on their lines; the log has more", show.Grouped(int64(more))))
	}
	fmt.Fprintf(out, "::error title=goprofinstr check::%s\n", escapeData(strings.Join(lines, "\n")))
	for _, m := range shown {
		fmt.Fprintf(out, "::error file=%s,line=%d%s,title=%s::%s\n", escapeProperty(show.Printable(prefix+m.Function.Table.File)),
			m.Line, columnProperty(m), escapeProperty(fmt.Sprintf("%s not covered", m.Measure.title())), escapeData(annotation(m)))
	}
	fmt.Fprintln(out, "::group::goprofinstr check")
	if err := WriteText(out, r); err != nil {
		return err
	}
	fmt.Fprintln(out, "::endgroup::")
	return out.Flush()
}

// inTurn returns the most useful of what is missing, of each measure in turn.
func (r *Result) inTurn(most int) (list []*Missing) {
	of := make(map[Measure][]*Missing)
	for _, m := range r.Missing {
		of[m.Measure] = append(of[m.Measure], m)
	}
	for i := 0; len(list) < min(most, len(r.Missing)); i++ {
		for _, measure := range Measures {
			if i < len(of[measure]) && len(list) < most {
				list = append(list, of[measure][i])
			}
		}
	}
	return list
}

// failures says why a check has failed, in lines.
func failures(r *Result) (lines []string) {
	for _, g := range r.Gates {
		if !g.Passed {
			lines = append(lines, demandText(r, g))
		}
	}
	return append(lines, unreadLines(r)...)
}

// all returns how much is missing, as far as it can be counted.
func (r *Result) all() int {
	n := len(r.Missing)
	for _, more := range r.More {
		if more.IsInt64() {
			n += int(more.Int64())
		}
	}
	return n
}

// columnProperty returns the column of what is missing as a property of a command, or "".
func columnProperty(m *Missing) string {
	if m.Col == 0 {
		return ""
	}
	return fmt.Sprintf(",col=%d", m.Col)
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
