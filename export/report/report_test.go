package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// text writes a report with 20 paths.
func text(w io.Writer, p *profile.Profile) error { return report.WriteText(w, p, 20) }

func reportJSON(w io.Writer, p *profile.Profile) error { return report.WriteJSON(w, p, 20) }
func markdown(w io.Writer, p *profile.Profile) error   { return report.WriteMarkdown(w, p, 20) }

// TestGolden pins the reports.
func TestGolden(t *testing.T) {
	p := samples.Sample(t)
	samples.Golden(t, "sample.conditions.txt", samples.Write(t, report.WriteConditions, p))
	samples.Golden(t, "sample.report.txt", samples.Write(t, text, p))
	samples.Golden(t, "sample.summary.txt", samples.Write(t, report.WriteSummary, p))
	samples.Golden(t, "sample.report.json", samples.Write(t, reportJSON, p))
	samples.Golden(t, "sample.report.md", samples.Write(t, markdown, p))
	counted := samples.Counted(t)
	samples.Golden(t, "counted.conditions.txt", samples.Write(t, report.WriteConditions, counted))
	samples.Golden(t, "counted.report.txt", samples.Write(t, text, counted))
	samples.Golden(t, "counted.report.json", samples.Write(t, reportJSON, counted))
	samples.Golden(t, "counted.report.md", samples.Write(t, markdown, counted))
	missed := samples.Missed(t)
	samples.Source(t, missed, profiletest.LexSource)
	samples.Golden(t, "source.conditions.txt", samples.Write(t, report.WriteConditions, missed))
	samples.Golden(t, "source.missed.txt", samples.Write(t, text, missed))
	samples.Golden(t, "source.summary.txt", samples.Write(t, report.WriteSummary, missed))
	samples.Golden(t, "source.missed.md", samples.Write(t, markdown, missed))
	sampled := samples.Sampled(t)
	samples.Source(t, sampled, profiletest.LexSource)
	samples.Golden(t, "sampled.report.txt", samples.Write(t, text, sampled))
	samples.Golden(t, "sampled.summary.txt", samples.Write(t, report.WriteSummary, sampled))
}

// TestPathTestsMistakes asks for paths that there are not.
func TestPathTestsMistakes(t *testing.T) {
	p := samples.Sample(t)
	p.Tests = []*profile.Test{}
	for name, want := range map[string]string{
		"Words#99":   "example.com/m/lex.Words has no path 99: they are numbered from 0 to ",
		"recovers#0": "example.com/m/lex.recovers has no paths: an edge of a deferred call cannot be told apart",
	} {
		if err := report.WritePathTests(io.Discard, p, name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestReportsHostile: whatever names are, JSON can be read, and Markdown has no tag of theirs, no line and no cell too many.
func TestReportsHostile(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"empty": {}, "hostile": samples.Hostile(t), "huge": samples.Huge(), "broken": samples.Broken(t)} {
		if data := samples.Write(t, reportJSON, p); !json.Valid(data) {
			t.Errorf("%s: not JSON:\n%s", name, data)
		}
		columns := 0
		for line := range strings.Lines(string(samples.Write(t, markdown, p))) {
			for _, tag := range []string{"<script", "\r", "\x1b", "\u202e"} {
				if strings.Contains(line, tag) {
					t.Errorf("%s: %q in %q", name, tag, line)
				}
			}
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			if n := strings.Count(line, "|"); columns > 0 && n != columns {
				t.Errorf("%s: %d cells, want %d: %s", name, n-1, columns-1, line)
			} else {
				columns = n
			}
		}
	}
}

// TestSource has the source of conditions and paths in reports, as long as it is what ran.
func TestSource(t *testing.T) {
	p := samples.Sample(t)
	const (
		path   = "in the loop on line 6 → for i < len(s) → s[i] == ' ' false →\n                s[i] == '\\t' false → in false → line 6 again\n"
		lines  = "in the loop on line 6 → line 6 true → line 7 false (7:6) →\n"
		asCode = "<code>for i &lt; len(s)</code> → <code>s&#91;i&#93; == ' ' false</code>"
	)
	for _, test := range []struct {
		name, source string
		want         bool
		says         string // in one line
	}{
		{"what ran", profiletest.LexSource, true, ""},
		{"a comment more", "// Package lex counts words.\n" + profiletest.LexSource, true, "has changed since the run: lex.Words is 1 line further down now"},
		{"another", "package lex\n", false, "has changed since the run: lex.Words is not on lines 4 to 17 any more"},
	} {
		samples.Source(t, p, test.source)
		got := string(samples.Write(t, text, p))
		want, not := path, lines
		if !test.want {
			want, not = not, want
		}
		if !strings.Contains(got, want) || strings.Contains(got, not) {
			t.Errorf("%s: want the source: %v\n%s", test.name, test.want, got)
		}
		if !strings.Contains(strings.ReplaceAll(got, "\n", " "), test.says) {
			t.Errorf("%s: want %q\n%s", test.name, test.says, got)
		}
		if got := string(samples.Write(t, markdown, p)); strings.Contains(got, asCode) != test.want {
			t.Errorf("%s: want the source: %v\n%s", test.name, test.want, got)
		}
	}
}

// TestEdited: of a function that has been edited there is the text of what is as it was, and lines of the rest.
func TestEdited(t *testing.T) {
	p := samples.Sample(t)
	for _, test := range []struct{ old, new, says, path string }{
		{"in := false", "in := true", "lex.Words has changed on line 5",
			"in the loop on line 6 → for i < len(s) → s[i] == ' ' false → s[i] == '\\t' false → in false → line 6 again"},
		{"s[i] == '\\t'", "s[i] == '\\n'", "lex.Words has changed on line 7",
			"in the loop on line 6 → for i < len(s) → line 7 false (7:6) → line 7 false (7:21) → in false → line 6 again"},
		{"\t\tif !in {", "\n\t\tif !in {", "lex.Words has new lines",
			"in the loop on line 6 → for i < len(s) → s[i] == ' ' false → s[i] == '\\t' false → in false → line 6 again"},
		{"\t\t}\n\t}\n", "\t\t}\n\t\tprintln()\n\t\tprintln()\n}\n", "lex.Words has changed on line 15",
			"in the loop on line 6 → for i < len(s) → s[i] == ' ' false → s[i] == '\\t' false → in false → line 6 again"},
	} {
		samples.Source(t, p, strings.Replace(profiletest.LexSource, test.old, test.new, 1))
		p.LineSums = map[string][]byte{"lex/lex.go": profiledir.LineSums(profiletest.LexSource)}
		got := strings.Join(strings.Fields(string(samples.Write(t, text, p))), " ")
		for _, want := range []string{"has changed since the run: " + test.says, test.path} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", test.new, want, got)
			}
		}
		for name, writer := range map[string]func(io.Writer, *profile.Profile) error{"markdown": markdown, "conditions": report.WriteConditions} {
			if got := string(samples.Write(t, writer, p)); !strings.Contains(got, "has changed since the run: "+test.says) {
				t.Errorf("%s: %s does not say what has changed\n%s", test.new, name, got)
			}
		}
	}
}

// TestDigits holds that no number of a sampled profile has more digits than its samples know. These are two of 500
// samples, and none is made of few. The digits of the interval are beside it.
func TestDigits(t *testing.T) {
	p := samples.Sampled(t)
	estimates := regexp.MustCompile(`~[\d,.]+`)
	for name, writer := range map[string]func(io.Writer, *profile.Profile) error{
		"text": text, "summary": report.WriteSummary, "markdown": markdown, "conditions": report.WriteConditions,
	} {
		got := string(samples.Write(t, writer, p))
		found := estimates.FindAllString(got, -1)
		for _, n := range found {
			digits := strings.Trim(strings.NewReplacer("~", "", ",", "", ".", "").Replace(n), "0")
			if len(digits) > 2 && n != "~99.7" { // which is off by a tenth
				t.Errorf("%s: %s in\n%s", name, n, got)
			}
		}
		for _, raw := range []string{" 1,000 ", " 1000 ", " 100 ", " 107 ", " 1007 ", " 12 "} {
			if strings.Contains(strings.ReplaceAll(got, "samples, 95% sure: 910 to 1,090", ""), raw) {
				t.Errorf("%s: %q is an estimate in\n%s", name, raw, got)
			}
		}
		if len(found) == 0 || !strings.Contains(got, "?") {
			t.Errorf("%s: no estimates in\n%s", name, got)
		}
	}
}

// TestDigitsOfGolden holds the estimates of all golden reports against the intervals beside them. What the last digit of a
// number stands for must be no less than a twentieth of how wide its interval is.
func TestDigitsOfGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.report.*")
	if err != nil {
		t.Fatal(err)
	}
	estimate := regexp.MustCompile(`(?s)~([\d,]+)(?:  [^~]*?|, )[\d,]+ samples?, 95% sure: ([\d,]+) to ([\d,]+)`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range estimate.FindAllStringSubmatch(strings.ReplaceAll(string(text), "&#126;", "~"), -1) {
			n, low, high := number(t, m[1]), number(t, m[2]), number(t, m[3])
			unit := 1
			for n > 0 && n%(10*unit) == 0 {
				unit *= 10
			}
			if 20*unit < high-low || n < low || n > high {
				t.Errorf("%s: ~%s between %s and %s", file, m[1], m[2], m[3])
			}
			found++
		}
	}
	if found < 10 {
		t.Errorf("only %d estimates in %v", found, files)
	}
}

func number(t *testing.T, grouped string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(grouped, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTextFits holds report and summary to 80 columns and 15 lines, with
// numbers and names of all sizes.
func TestTextFits(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"sample": samples.Sample(t), "empty": {}, "hostile": samples.Hostile(t), "huge": samples.Huge(), "broken": samples.Broken(t),
	} {
		long := samples.Write(t, text, p)
		summary := samples.Write(t, report.WriteSummary, p)
		for line := range strings.Lines(string(long) + string(summary)) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
			if trimmed := strings.TrimRight(line, " \n"); trimmed != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s: blanks at the end of %q", name, line)
			}
		}
		if n := bytes.Count(summary, []byte("\n")); n > 15 {
			t.Errorf("%s: summary of %d lines:\n%s", name, n, summary)
		}
	}
}

func TestReportTop(t *testing.T) {
	for top, want := range map[int]int{-1: 0, 0: 0, 1: 1, 3: 3, 1000: 14} {
		var b bytes.Buffer
		if err := report.WriteText(&b, samples.Sample(t), top); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "  path "); got != want {
			t.Errorf("top %d lists %d paths, want %d:\n%s", top, got, want, &b)
		}
	}
}

// TestPredictedUnknown has too few samples for the share of predicted paths, which is left out.
func TestPredictedUnknown(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	for times, edges := range map[uint64][]int{
		150: {1, 3, 7, 11}, 63: {1, 4, 6, 8, 10, 11}, 62: {1, 4, 6, 9, 11}, 61: {1, 4, 5, 7, 11},
	} {
		r.Sample("example.com/m/lex.Words", times, 1, nil, edges...)
	}
	p := samples.Load(t, r)
	for name, writer := range map[string]func(io.Writer, *profile.Profile) error{"text": text, "markdown": markdown} {
		got := string(samples.Write(t, writer, p))
		if !strings.Contains(got, "another path") || strings.Contains(got, "branches predicts") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// TestReportStraightLine has no branches at all: no share can be said.
func TestReportStraightLine(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	r.Call("example.com/m/lex.Version", 8, 0)
	out := string(samples.Write(t, text, samples.Load(t, r)))
	if want := "     -      8  example.com/m/lex.Version\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// TestHeadlineOfWhatThereIs has no conditions, and says nothing of them.
func TestHeadlineOfWhatThereIs(t *testing.T) {
	version := profiletest.Lex().Functions[2]
	version.Statements = []table.Statement{{Line: version.Line, Block: 0}}
	r := profiletest.NewRun(1, 0, []string{"/tmp/lex.test"}, profiletest.Package("example.com/m/lex", version))
	r.Call(version.Name, 8, 0)
	if got := about.Headline(samples.Load(t, r)); got != "100% of statements covered" {
		t.Error(got)
	}
	if got := about.Headline(samples.Load(t, profiletest.NewRun(1, 0, []string{"/tmp/lex.test"}))); got != "nothing covered" {
		t.Error(got)
	}
}

// TestReportTies has paths of equal flow, which go by count, and reasons of equal
// number, which go by the alphabet.
func TestReportTies(t *testing.T) {
	lex := profiletest.Lex()
	rare, often := lex.Functions[2], lex.Functions[3]
	b, a := lex.Functions[4], lex.Functions[4]
	b.Declined, a.Declined = "reason b", "reason a"
	r := profiletest.NewRun(1, 0, nil, profiletest.Package("example.com/m/lex", rare, often, b, a))
	r.Call(rare.Name, 1, 0)
	r.Call(often.Name, 2, 0)
	out := string(samples.Write(t, text, samples.Load(t, r)))
	for _, pair := range [][2]string{{often.Name, rare.Name}, {"reason a", "reason b"}} {
		if i, j := strings.Index(out, pair[0]), strings.Index(out, pair[1]); i < 0 || i > j {
			t.Errorf("%s is not before %s in\n%s", pair[0], pair[1], out)
		}
	}
}

func TestWarnings(t *testing.T) {
	contradicting := samples.Sample(t)
	contradicting.Packages[0].Functions[0].Blocks[0]++
	for _, test := range []struct {
		name string
		p    *profile.Profile
		want []string
	}{
		{"sample", samples.Sample(t), nil},
		{"broken", samples.Broken(t), []string{
			"warning: for want of room 1,099,511,627,776 path executions not counted\n",
			"warning: 1 function lost counts to concurrency; wrap -atomic loses none\n",
		}},
		{"contradicting", contradicting, []string{"warning: the counts of 1 function contradict each other\n"}},
	} {
		for _, writer := range []func(io.Writer, *profile.Profile) error{text, report.WriteSummary} {
			out := string(samples.Write(t, writer, test.p))
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s: no %q in\n%s", test.name, want, out)
				}
			}
			if got := strings.Count(out, "warning:"); got != len(test.want) {
				t.Errorf("%s: %d warnings, want %d:\n%s", test.name, got, len(test.want), out)
			}
		}
	}
}

// TestNoPathEnd has runs of two seconds without a sample. Paths may have been counted all the same.
func TestNoPathEnd(t *testing.T) {
	for _, test := range []struct {
		name     string
		executed bool
		sampling rundata.Sampling
		warned   bool
	}{
		{"nothing", false, rundata.Sampling{CountedAll: true}, true},
		{"counted", true, rundata.Sampling{CountedAll: true, CountedEnds: 3}, false},
		{"killed, and nothing", false, rundata.Sampling{}, true},
		{"killed, and counted by native probes", true, rundata.Sampling{CountedEnds: 3}, false},
		{"killed, and counted by portable ones", true, rundata.Sampling{}, false},
	} {
		r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
		s := r.Counted()
		if test.executed {
			r.Count("example.com/m/lex.Version", 3, 0)
		}
		*s = test.sampling
		s.Policy, s.Counted, s.CPU = sampler.Default, true, 2*time.Second
		out := string(samples.Write(t, report.WriteSummary, samples.Load(t, r)))
		if warned := strings.Contains(out, "warning: no path ended in 1 run that took"); warned != test.warned {
			t.Errorf("%s: warned %t, want %t:\n%s", test.name, warned, test.warned, out)
		}
	}
}

func TestSummaryNoRuns(t *testing.T) {
	out := string(samples.Write(t, report.WriteSummary, &profile.Profile{}))
	if !strings.HasPrefix(out, "goprofinstr: no run data") || strings.Count(out, "\n") != 1 {
		t.Errorf("%q, want one line", out)
	}
}
