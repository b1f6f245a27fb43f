package audit

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteText writes the report as text of 80 columns.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := range r.Functions {
		if i > 0 {
			b.WriteString("\n")
		}
		r.Functions[i].text(&b, r.Confidence)
	}
	if r.Base != nil {
		r.Base.text(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostLabel is how long the names of versions are in text.
const mostLabel = 26

func (f *Function) text(b *strings.Builder, confidence float64) {
	fmt.Fprintf(b, "%s\n  %s\n", f.Name, strings.Join(wrap(f.Verdict(confidence), 78), "\n  "))
	if f.Change != nil && f.Change.Outcome == NotCalled {
		return
	}
	table := show.Table{Left: 1, Indent: 2, Gap: 1, Least: []int{mostLabel, 9, 9, 9, 9, 9}}
	table.Row("", "timings", "mean", "median", "5%", "95%")
	for i, v := range f.Versions {
		table.Row(show.ShortenRight(f.Label(i), mostLabel), show.Count(int64(v.Timings)),
			duration(v.Capped), duration(v.Median), duration(v.Percentile.P5), duration(v.Percentile.P95))
	}
	table.Write(b)
	for _, line := range f.Notes() {
		b.WriteString("  " + strings.Join(wrap(line, 78), "\n    ") + "\n")
	}
}

// Verdict returns what was found in one sentence.
func (f *Function) Verdict(confidence float64) string {
	if f.Change != nil {
		return f.Change.verdict(f, confidence)
	}
	switch f.Outcome {
	case verdict.Faster:
		return f.faster(confidence)
	case verdict.Same:
		worst := 0.0
		for _, p := range f.Pairs {
			worst = max(worst, math.Abs(p.Low), math.Abs(p.High))
		}
		return fmt.Sprintf("no difference: less than %s between any two, %s sure after %s", share(worst), percent(confidence), f.effort())
	case verdict.Placed:
		return fmt.Sprintf("no difference beyond placement%s; copies of the same code differ as much by where they lie in memory, "+
			"%s sure after %s", f.intervals(), percent(confidence), f.effort())
	case verdict.TooShort:
		return "too short to be timed: the clock alone takes too large a part of a call; audit what calls it"
	}
	switch {
	case f.timings() > 0:
	case f.calls() > 0:
		return "no call has returned"
	default:
		return "never called"
	}
	return fmt.Sprintf("not enough evidence after %s%s", f.effort(), f.intervals())
}

// intervals tells what is known of the pairs.
func (f *Function) intervals() (text string) {
	for _, p := range f.Pairs {
		if p.Known {
			text += fmt.Sprintf("; %s takes between %s and %s of the time of %s", Letter(p.B), share(1+p.Low), share(1+p.High), Letter(p.A))
		}
	}
	return text
}

// faster tells by how much the best version is faster: than the original, or, if it is that, than the others.
func (f *Function) faster(confidence float64) string {
	var parts []string
	for _, p := range f.Pairs {
		switch {
		case p.Faster != f.Best || f.Best != 0 && p.A != 0:
		case f.Best == 0:
			parts = append(parts, fmt.Sprintf("%s takes %s more time [%s, %s]", f.Versions[p.B].Name, share(p.Effect), share(p.Low), share(p.High)))
		default:
			parts = append(parts, fmt.Sprintf("%s takes %s less time [%s, %s]", f.Versions[p.B].Name, share(-p.Effect), share(-p.High), share(-p.Low)))
		}
	}
	if len(parts) == 0 { // faster than others, and the same as the original
		parts = []string{f.Versions[f.Best].Name + " is no slower than the original"}
	}
	return fmt.Sprintf("%s faster: %s, %s sure after %s", Letter(f.Best), strings.Join(parts, ", "), percent(confidence), f.effort())
}

// Notes returns what else there is to say.
func (f *Function) Notes() (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if f.Passes > 0 {
		note("times are of one pass; %s passes make a timing", show.Count(int64(f.Passes)))
	}
	if f.DesignEffect > 1 {
		note("%.3g timings are no more evidence than one of their own call would be", f.DesignEffect)
	}
	if f.Change == nil || f.Change.Outcome == Open {
		notes = append(notes, f.Untimed...)
	}
	slow := 0.0
	for i, v := range f.Versions {
		slow = max(slow, v.Outliers)
		if v.Panicked > 0 {
			note("%s panicked or ended its goroutine %s", Letter(i), show.Plural(int(v.Panicked), "time"))
		}
		if v.Open > 0 {
			note("%s had not returned from %s when the program ended", Letter(i), show.Plural(int(v.Open), "call"))
		}
	}
	if slow > noteOutliers {
		note("%s of the time is what outliers have above others; they count as the slowest of these", share(slow))
	}
	if f.Nested > 0 {
		verb := "are"
		if f.Nested == 1 {
			verb = "is"
		}
		note("%s inside of others %s part of those", show.Plural(int(f.Nested), "call"), verb)
	}
	if f.Lost > 0 {
		note("%s lost", show.Plural(int(f.Lost), "timing"))
	}
	return notes
}

// noteOutliers is the share of the time in outliers that is worth a note.
const noteOutliers = 0.1

func (f *Function) timings() (n int) {
	for _, v := range f.Versions {
		n += v.Timings
	}
	return n
}

func (f *Function) calls() (n uint64) {
	for _, v := range f.Versions {
		n += v.Calls
	}
	return n
}

// effort tells what it took to decide.
func (f *Function) effort() string {
	text := show.Count(int64(f.timings())) + " timings"
	if f.Decided > 0 {
		text += fmt.Sprintf(" in %.1f s", f.Decided.Seconds())
	}
	return text
}

// share returns a share as a percentage with one decimal place, or with two if it is small.
func share(x float64) string {
	if x = 100 * x; math.Abs(x) < 1 {
		return fmt.Sprintf("%.2f%%", x)
	}
	return fmt.Sprintf("%.1f%%", x)
}

// percent returns a confidence.
func percent(x float64) string { return fmt.Sprintf("%.6g%%", 100*x) }

// duration returns a time in ns with three digits.
func duration(ns float64) string {
	d := time.Duration(math.Round(ns))
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.3g ns", ns)
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

// wrap breaks a text into lines of at most n characters.
func wrap(s string, n int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > n {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
