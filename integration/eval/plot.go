package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed plot.svg.tmpl
var plotText string

var plotTemplate = template.Must(template.New("plot").Parse(plotText))

// colours are those of Okabe and Ito, which colour-blind readers can tell apart too; the second column is grey.
var colours = []string{"#999999", "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#f0e442"}

// All lengths are in pixels.
const (
	nameWidth = 420
	barsWidth = 500
	barHeight = 7
	groupGap  = 6
	plotTop   = 65
	plotEdge  = 20
)

// A plot is what the template shows: for each benchmark a group with a bar for each column.
type plot struct {
	Title                             string
	Width, Height, Top, Bottom, TickY int
	NameX                             int
	Legend                            []legend
	Ticks                             []tick
	Groups                            []group
	scale                             *scale
}

type legend struct {
	X, TextX     int
	Name, Colour string
}

type tick struct {
	X     float64
	Base  bool // where bars begin
	Label string
}

type group struct {
	Name string
	Y    int
	Bold bool
	Bars []bar
}

type bar struct {
	X, Width, Low, High float64
	Y, Middle, TextY    float64
	Colour              string
	Failed              bool
}

// writePlots draws those tables of a report that have names for their plots, with the name before the end of the file's, or else the
// first that has ratios.
func writePlots(name string, r *report) error {
	drawn := false
	for _, m := range r.Measures {
		if m.Plot == "" {
			continue
		}
		ext := filepath.Ext(name)
		if err := m.writePlot(strings.TrimSuffix(name, ext) + "-" + m.Plot + ext); err != nil {
			return err
		}
		drawn = true
	}
	if drawn {
		return nil
	}
	for _, m := range r.Measures {
		if m.ratios() {
			return m.writePlot(name)
		}
	}
	return fmt.Errorf("nothing to plot in %s", name)
}

func (m *measure) writePlot(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := m.draw(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// draw writes the plot that suits the table.
func (m *measure) draw(w io.Writer) error {
	if m.Lines || m.Curves {
		newPlot := newLinePlot
		if m.Curves {
			newPlot = newCurvePlot
		}
		p, err := newPlot(m)
		if err != nil {
			return err
		}
		return linePlotTemplate.Execute(w, p)
	}
	return plotTemplate.Execute(w, newPlot(m))
}

func newPlot(m *measure) *plot {
	p := &plot{Title: m.Title, Width: nameWidth + barsWidth + plotEdge, Top: plotTop, TickY: plotTop - 4, NameX: nameWidth - 8}
	groups := m.groups()
	p.scale = m.scale(groups)
	y := plotTop + groupGap
	for _, g := range groups {
		p.Groups = append(p.Groups, p.group(g, y))
		y += len(m.compared())*barHeight + groupGap
	}
	p.Bottom, p.Height = y, y+plotEdge
	p.Legend = newLegend(m.compared())
	for _, v := range p.scale.ticks {
		if v <= p.scale.most {
			p.Ticks = append(p.Ticks, tick{p.x(v), v == p.scale.base, fmt.Sprint(v)})
		}
	}
	return p
}

func newLegend(columns []string) []legend {
	var all []legend
	x := 10
	for i, name := range columns {
		all = append(all, legend{x, x + 14, name, colour(i)})
		x += max(110, 40+6*len(name))
	}
	return all
}

func colour(column int) string { return colours[column%len(colours)] }

// A plotRow has the ratios of a benchmark, or their means.
type plotRow struct {
	name  string
	mean  bool
	cells []estimate // NaN where there is none
}

// none is the estimate of what failed.
var none = estimate{value: math.NaN()}

// groups returns what is to be drawn: suite after suite, with the mean below each.
func (m *measure) groups() []plotRow {
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

func (p *plot) group(g plotRow, y int) group {
	out := group{Name: g.name, Bold: g.mean, Y: y + len(g.cells)*barHeight/2 + 4}
	for i, c := range g.cells {
		top := float64(y + i*barHeight)
		base := p.x(p.scale.base)
		b := bar{X: base, Y: top, Middle: top + 3, TextY: top + 6, Colour: colour(i), Failed: math.IsNaN(c.value)}
		if !b.Failed {
			b.X, b.Width = min(base, p.x(c.value)), tenths(math.Abs(p.x(c.value)-base))
			b.Low, b.High = p.x(c.low), p.x(c.high)
		}
		out.Bars = append(out.Bars, b)
	}
	return out
}

func (p *plot) x(v float64) float64 { return tenths(nameWidth + barsWidth*p.scale.position(v)) }

func tenths(x float64) float64 { return math.Round(10*x) / 10 }
