package result

import (
	"fmt"
	"math"
	"strconv"

	"github.com/goprofinstr/goprofinstr/internal/chart"
)

// mostLabels is how many columns all have a label: more would lie on each other.
const mostLabels = 12

// curvesChart returns the chart of a table with Curves: a line for each row. Both scales are logarithmic, so that what
// falls with the square root is straight. It is an error if a column is no number.
func (m *Measure) curvesChart() (*chart.Lines, error) {
	xs := make([]float64, len(m.Columns))
	for i, c := range m.Columns {
		var err error
		if xs[i], err = strconv.ParseFloat(c, 64); err != nil || xs[i] <= 0 {
			return nil, fmt.Errorf("column %q is no number", c)
		}
	}
	last := len(xs) - 1
	p := &chart.Lines{Title: m.Title, Across: chart.Scale{Least: xs[0], Most: xs[last] * 1.0001, Log: true},
		Up: m.curvesScale()}
	for i, v := range xs {
		if len(xs) <= mostLabels || i&(i+1) == 0 || i == last {
			p.X = append(p.X, chart.Label{At: v, Text: m.Columns[i]})
		}
	}
	for _, v := range p.Up.Ticks {
		p.Y = append(p.Y, chart.Label{At: v, Text: fmt.Sprint(v)})
	}
	for _, r := range m.Rows {
		l := chart.Line{Name: r.Name}
		for i, c := range m.Columns {
			for _, v := range r.Values[c] {
				l.Points = append(l.Points, [2]float64{xs[i], v})
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p, nil
}

// curvesScale returns a scale with all positive values on it but those below a thousandth of the greatest.
func (m *Measure) curvesScale() chart.Scale {
	least, most := math.Inf(1), 0.0
	for _, r := range m.Rows {
		for _, values := range r.Values {
			for _, v := range values {
				most = max(most, v)
				if v > 0 {
					least = min(least, v)
				}
			}
		}
	}
	most = max(most, 1e-9)
	return chart.RoundScale(max(min(least, most/2), most/1000), most)
}
