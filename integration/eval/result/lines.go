package result

import (
	"fmt"
	"math"
	"time"

	"github.com/goprofinstr/goprofinstr/internal/chart"
)

// linesChart returns the chart of a table with shares whose columns are times: a line for each row, and a bold one for
// the mean. It is an error if a column is no time.
func (m *Measure) linesChart() (*chart.Lines, error) {
	p := &chart.Lines{Title: m.Title}
	var err error
	if p.Across, p.X, err = timesScale(m.Columns); err != nil {
		return nil, err
	}
	rows := m.groups()
	p.Up, p.Y = sharesScale(rows)
	for _, r := range rows {
		l := chart.Line{Name: r.name, Bold: r.mean}
		for i, c := range r.cells {
			if !math.IsNaN(c.Value) {
				l.Points = append(l.Points, [2]float64{p.X[i].At, c.Value})
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p, nil
}

// timesScale returns a scale with the columns on it, in seconds.
func timesScale(columns []string) (chart.Scale, []chart.Label, error) {
	var labels []chart.Label
	for _, c := range columns {
		d, err := time.ParseDuration(c)
		if err != nil || d <= 0 {
			return chart.Scale{}, nil, fmt.Errorf("column %q is no time", c)
		}
		labels = append(labels, chart.Label{At: d.Seconds(), Text: c})
	}
	// Half as long and twice as long, so that a single time has a place, too.
	return chart.Scale{Least: labels[0].At / 2, Most: labels[len(labels)-1].At * 2, Log: true}, labels, nil
}

// sharesScale returns a scale of tenths up to 1 that has all values on it, for shares of interest are near 1.
func sharesScale(rows []plotRow) (s chart.Scale, labels []chart.Label) {
	s = chart.Scale{Least: 0.9, Most: 1}
	for _, r := range rows {
		for _, c := range r.cells {
			if !math.IsNaN(c.Value) {
				s.Least = min(s.Least, math.Floor(10*c.Value)/10)
			}
		}
	}
	for i := range 11 {
		v := s.Least + float64(i)*(s.Most-s.Least)/10
		labels = append(labels, chart.Label{At: v, Text: fmt.Sprintf("%.2f", v)})
	}
	return s, labels
}
