package result

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/chart"
)

// A Plot is a table that is drawn.
type Plot struct {
	Name string // tells it from others of the report; "" if there are no others
	*Measure
}

// Plots returns those tables of a report that have names for their plots. If there is none, it is the first that has ratios.
func (r *Report) Plots() (list []Plot) {
	for _, m := range r.Measures {
		if m.Plot != "" {
			list = append(list, Plot{m.Plot, m})
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, m := range r.Measures {
		if m.ratios() {
			return []Plot{{"", m}}
		}
	}
	return nil
}

// File returns the name of a plot's file: the plot's name stands before the end of the name of all of them.
func (p *Plot) File(name string) string {
	if p.Name == "" {
		return name
	}
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + p.Name + ext
}

// WritePlots draws the plots of a report.
func WritePlots(name string, r *Report) error {
	plots := r.Plots()
	if len(plots) == 0 {
		return fmt.Errorf("nothing to plot in %s", name)
	}
	for _, p := range plots {
		if err := p.writePlot(p.File(name)); err != nil {
			return err
		}
	}
	return nil
}

func (m *Measure) writePlot(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := m.Draw(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// A drawing is one of the charts of package chart.
type drawing interface{ Write(io.Writer) error }

// Draw writes the chart that suits the table.
func (m *Measure) Draw(w io.Writer) error {
	var d drawing
	var err error
	switch {
	case m.Curves:
		d, err = m.curvesChart()
	case m.Lines:
		d, err = m.linesChart()
	default:
		d = m.barsChart()
	}
	if err != nil {
		return err
	}
	return d.Write(w)
}

// barsChart returns a chart with a group for each row, and for each mean.
func (m *Measure) barsChart() *chart.Bars {
	b := &chart.Bars{Title: m.Title, Columns: m.compared()}
	rows := m.groups()
	b.Scale, b.Base = m.barsScale(rows)
	for _, r := range rows {
		g := chart.Group{Name: r.name, Bold: r.mean}
		for _, c := range r.cells {
			g.Values = append(g.Values, chart.Interval{Value: c.Value, Low: c.low, High: c.high})
		}
		b.Groups = append(b.Groups, g)
	}
	return b
}

// barsScale returns a scale for what is to be drawn, and where bars begin.
func (m *Measure) barsScale(rows []plotRow) (s chart.Scale, base float64) {
	if m.Shares {
		return chart.Scale{Most: 1, Ticks: []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}}, 0
	}
	// Logarithmic, so that twice as slow is as far from 1 as twice as fast.
	s = chart.Scale{Least: 0.8, Most: 1.1, Log: true, Ticks: []float64{0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20}}
	for _, r := range rows {
		for _, c := range r.cells {
			s.Most = max(s.Most, c.high)
		}
	}
	return s, 1
}

// A plotRow has the ratios of a benchmark, or their means.
type plotRow struct {
	name  string
	mean  bool
	cells []estimate // NaN where there is none
}

// none is the estimate of what failed.
var none = estimate{Value: math.NaN()}

// groups returns what is to be drawn: suite after suite, with the mean below each.
func (m *Measure) groups() []plotRow {
	var all []plotRow
	for _, suite := range m.suites() {
		rows := m.inSuite(suite)
		mean := plotRow{name: suite + ": " + m.meanName(), mean: true}
		for _, r := range rows {
			p := plotRow{name: r.Name}
			for _, c := range m.compared() {
				e := none
				if m.failure(r, c) == "" {
					e = m.estimate(r, c)
				}
				p.cells = append(p.cells, e)
			}
			all = append(all, p)
		}
		for _, c := range m.compared() {
			e, _, err := m.mean(rows, c)
			if err != nil {
				e = none
			}
			mean.cells = append(mean.cells, e)
		}
		all = append(all, mean)
	}
	return all
}
