package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/gate"
)

// plurals are what measures count.
var plurals = map[gate.Measure]string{
	gate.Path: "paths", gate.Branch: "branches", gate.Condition: "outcomes of conditions", gate.Statement: "statements",
}

// WriteCheck writes the result of a check as text of 80 columns: the gates, and of those that failed what is missing.
func WriteCheck(w io.Writer, r *gate.Result) error {
	out := bufio.NewWriter(w)
	for _, g := range r.Gates {
		fmt.Fprintln(out, gateText(r, g))
	}
	for _, line := range unreadLines(r) {
		fmt.Fprintln(out, "FAIL  "+line)
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(out, "not covered: %s whose counts cannot be read\n", plural(r.LeftOut, "function"))
	}
	if r.Damaged > 0 {
		parts := plural(r.Damaged, "part")
		fmt.Fprintf(out, "left out: %s of the run data that cannot be read; what they executed is not counted\n", parts)
	}
	if r.Infeasible.Sign() > 0 {
		fmt.Fprintf(out, "not demanded: %s on which conditions contradict each other\n", pluralBig(r.Infeasible, "path"))
	}
	if n := len(r.Unknown); n > 0 {
		fmt.Fprintf(out, "demanded: infeasible paths of %s, which would take too long to count\n", plural(n, "function"))
	}
	if r.Declined > 0 {
		fmt.Fprintf(out, "declined: %s, not in these numbers\n", plural(r.Declined, "function"))
	}
	var measure gate.Measure
	for _, m := range r.Missing {
		if m.Measure != measure {
			writeMore(out, r, measure)
			measure = m.Measure
			fmt.Fprintf(out, "\nMissing %s, the most useful first\n\n", plurals[measure])
		}
		writeMissing(out, m)
	}
	writeMore(out, r, measure)
	return out.Flush()
}

// mostUnread is how many things that cannot be read are named.
const mostUnread = 5

// unreadLines says what the result is not about, in a few lines.
func unreadLines(r *gate.Result) []string {
	var lines []string
	for _, what := range r.Unread[:min(len(r.Unread), mostUnread)] {
		lines = append(lines, "coverage is not known: "+printable(what))
	}
	if more := len(r.Unread) - mostUnread; more > 0 {
		lines = append(lines, fmt.Sprintf("coverage is not known: and %d more parts that cannot be read", more))
	}
	return lines
}

// gateText returns "FAIL  path coverage 57.1% (4 of 7), want 90%".
func gateText(r *gate.Result, g gate.Gate) string {
	word, where := "ok  ", ""
	if !g.Passed {
		word = "FAIL"
	}
	if r.OnChanged && g.Baseline == nil {
		where = " of changed lines"
	}
	have := "nothing to cover"
	if g.Coverage.Possible.Sign() > 0 {
		have = fmt.Sprintf("%s (%s of %s)", percentBig(g.Coverage.Covered, g.Coverage.Possible), grouped(g.Coverage.Covered), possibleText(g.Coverage.Possible))
	}
	want := fmt.Sprintf("want %g%%", g.Want)
	if b := g.Baseline; b != nil {
		want = fmt.Sprintf("baseline %s (%s of %s)", percentBig(b.Covered, b.Possible), grouped(b.Covered), possibleText(b.Possible))
	}
	return fmt.Sprintf("%s  %s coverage%s %s, %s", word, g.Measure, where, have, want)
}

func writeMissing(w io.Writer, m *gate.Missing) {
	const leastName = 16
	line, what := fmt.Sprintf(":%d: ", m.Line), missingText(m)
	room := width - utf8.RuneCountInString(line) - utf8.RuneCountInString(what) - 2
	file := shortenLeft(printable(m.Function.Table.File), max(room-leastName, leastName))
	name := shortenLeft(printable(m.Function.Table.Name), max(room-utf8.RuneCountInString(file), leastName))
	fmt.Fprintf(w, "%s%s%s  %s\n", file, line, name, what)
	if len(m.Conditions) > 0 {
		writeFilled(w, m.Conditions, "    ")
	}
}

// missingText returns what is missing, and whether it was there once.
func missingText(m *gate.Missing) string {
	if m.Lost {
		return m.What + ", in the baseline"
	}
	return m.What
}

// writeFilled writes steps with arrows between them, on as many lines as it takes.
func writeFilled(w io.Writer, steps []string, indent string) {
	line := indent
	for i, s := range steps {
		if i < len(steps)-1 {
			s += " →"
		}
		if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(s) > width {
			fmt.Fprintln(w, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += s
	}
	fmt.Fprintln(w, line)
}

func writeMore(w io.Writer, r *gate.Result, m gate.Measure) {
	if more := r.More[m]; more != nil && more.Sign() > 0 {
		fmt.Fprintf(w, "and %s more\n", possibleText(more))
	}
}

// WriteCheckGithub writes a line for each missing thing that makes GitHub show an error on the line. Files are given beneath prefix.
func WriteCheckGithub(w io.Writer, r *gate.Result, prefix string) error {
	out := bufio.NewWriter(w)
	for _, m := range r.Missing {
		file, title := printable(prefix+m.Function.Table.File), fmt.Sprintf("%s not covered", m.Measure)
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

// annotation returns what is missing as a sentence.
func annotation(m *gate.Missing) string {
	s := printable(m.Function.Table.Name) + ": " + missingText(m)
	if len(m.Conditions) > 0 {
		s += ": " + strings.Join(m.Conditions, " → ")
	}
	return s
}

// escapeData and escapeProperty escape as GitHub's runner reads workflow commands.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}

// jsonCheck is the result of a check as JSON, version 1. Numbers of paths are decimal strings.
type jsonCheck struct {
	Version    int           `json:"version"`
	Passed     bool          `json:"passed"`
	Gates      []jsonGate    `json:"gates"`
	Infeasible string        `json:"infeasible"` // paths that are not demanded
	Declined   int           `json:"declined"`
	Missing    []jsonMissing `json:"missing"`
	More       []jsonMore    `json:"more"`               // that are not in missing
	Unread     []string      `json:"unread,omitempty"`   // what cannot be read, so that the check has failed
	LeftOut    int           `json:"left_out,omitempty"` // functions whose counts cannot be read
}

type jsonGate struct {
	Measure  string  `json:"measure"`
	Changed  bool    `json:"changed"` // on changed lines only
	Baseline bool    `json:"baseline"`
	Covered  int64   `json:"covered"`
	Possible string  `json:"possible"`
	Percent  float64 `json:"percent"`
	Want     float64 `json:"want"`
	Passed   bool    `json:"passed"`
}

type jsonMissing struct {
	Measure    string   `json:"measure"`
	Function   string   `json:"function"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	What       string   `json:"what"`
	Conditions []string `json:"conditions"`
	Lost       bool     `json:"lost"` // the baseline had it
}

type jsonMore struct {
	Measure string `json:"measure"`
	Count   string `json:"count"`
}

// WriteCheckJSON writes the result of a check as JSON.
func WriteCheckJSON(w io.Writer, r *gate.Result) error {
	j := jsonCheck{
		Version: 1, Passed: r.Passed(), Infeasible: r.Infeasible.String(), Declined: r.Declined,
		Missing: []jsonMissing{}, More: []jsonMore{}, Unread: r.Unread, LeftOut: r.LeftOut,
	}
	for _, g := range r.Gates {
		j.Gates = append(j.Gates, jsonGate{
			Measure: string(g.Measure), Changed: r.OnChanged && g.Baseline == nil, Baseline: g.Baseline != nil,
			Covered: g.Coverage.Covered, Possible: g.Coverage.Possible.String(), Percent: g.Coverage.Percent(), Want: g.Want, Passed: g.Passed,
		})
	}
	for _, m := range r.Missing {
		j.Missing = append(j.Missing, jsonMissing{string(m.Measure), m.Function.Table.Name, m.Function.Table.File, m.Line, m.What, m.Conditions, m.Lost})
	}
	for _, m := range gate.Measures {
		if more := r.More[m]; more != nil && more.Sign() > 0 {
			j.More = append(j.More, jsonMore{string(m), more.String()})
		}
	}
	return writeIndented(w, j)
}
