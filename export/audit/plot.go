package audit

import (
	"fmt"
	"io"
	"math"

	"github.com/goprofinstr/goprofinstr/internal/chart"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteSVG writes a plot of the timings of all functions.
func (r *Report) WriteSVG(w io.Writer) error {
	var all chart.Panels
	for i := range r.Functions {
		all = append(all, r.Functions[i].panel(r.Confidence))
	}
	return all.Write(w)
}

// panel returns the distributions of a function's versions, and the intervals of their differences.
func (f *Function) panel(confidence float64) chart.Panel {
	p := chart.Panel{Title: f.Name, Text: show.ShortenRight(f.Verdict(confidence), 120), Scale: timeScale(f),
		Format: duration}
	for i, v := range f.Versions {
		p.Series = append(p.Series, chart.Series{Name: show.ShortenRight(f.Label(i), 40), Values: v.Kept,
			Mean: v.Capped})
	}
	for _, pair := range f.Pairs {
		p.Margin = max(p.Margin, pair.Margin)
		text := fmt.Sprintf("%s against %s: no interval yet", Letter(pair.B), Letter(pair.A))
		d := chart.Difference{Text: text, Known: pair.Known}
		if pair.Known {
			d.Text = fmt.Sprintf("time of %s against %s: %+.2f%%", Letter(pair.B), Letter(pair.A), 100*pair.Effect)
			d.Interval = chart.Interval{Value: pair.Effect, Low: pair.Low, High: pair.High}
		}
		p.Differences = append(p.Differences, d)
	}
	return p
}

// timeScale has the times of the plot: from where nearly all timings begin to where nearly all have ended. It is nil
// if there are none.
func timeScale(f *Function) *chart.Scale {
	s := &chart.Scale{Least: math.Inf(1)}
	for _, v := range f.Versions {
		if n := len(v.Kept); n > 0 {
			s.Least, s.Most = min(s.Least, v.Kept[n/200]), max(s.Most, v.Kept[n-1-n/50])
		}
	}
	if s.Most == 0 {
		return nil
	}
	if s.Least = max(s.Least, 1); s.Most/s.Least < 1.05 {
		s.Least, s.Most = s.Least*0.97, s.Most*1.03
	}
	s.Log = s.Most/s.Least > 20
	return s
}
