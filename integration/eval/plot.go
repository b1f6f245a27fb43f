package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
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

// A plot is what the template shows: for each benchmark a group with a bar for each mode.
type plot struct {
	Title                             string
	Width, Height, Top, Bottom, TickY int
	NameX                             int
	Legend                            []legend
	Ticks                             []tick
	Groups                            []group
	most                              float64 // at the right end
}

type legend struct {
	X, TextX     int
	Name, Colour string
}

type tick struct {
	X     float64
	One   bool // the line at 1
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

// writePlot draws the first table of a report that has ratios.
func writePlot(name string, r *report) error {
	for _, m := range r.Measures {
		if m.Absolute {
			continue
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := plotTemplate.Execute(f, newPlot(m)); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	return fmt.Errorf("nothing to plot in %s", name)
}

func newPlot(m *measure) *plot {
	p := &plot{Title: m.Title, Width: nameWidth + barsWidth + plotEdge, Top: plotTop, TickY: plotTop - 4, NameX: nameWidth - 8, most: 1.1}
	modes := m.Columns[1:]
	groups := m.groups()
	for _, g := range groups {
		for _, c := range g.cells {
			p.most = max(p.most, c.high)
		}
	}
	y := plotTop + groupGap
	for _, g := range groups {
		p.Groups = append(p.Groups, p.group(g, y))
		y += len(modes)*barHeight + groupGap
	}
	p.Bottom, p.Height = y, y+plotEdge
	for i, name := range modes {
		x := 10 + 110*i
		p.Legend = append(p.Legend, legend{x, x + 14, name, colour(i)})
	}
	p.addTicks()
	return p
}

func colour(column int) string { return colours[column%len(colours)] }

// A plotRow has the ratios of a benchmark, or their means.
type plotRow struct {
	name  string
	mean  bool
	cells []estimate // value 0 where there is none
}

// groups returns what is to be drawn: suite after suite, with the mean below each.
func (m *measure) groups() []plotRow {
	var all []plotRow
	for _, suite := range m.suites() {
		rows := m.inSuite(suite)
		mean := plotRow{name: suite + ": geometric mean", mean: true}
		for _, r := range rows {
			p := plotRow{name: r.Name}
			for _, c := range m.Columns[1:] {
				var e estimate
				if m.failure(r, c) == "" {
					e = m.ratio(r, c)
				}
				p.cells = append(p.cells, e)
			}
			all = append(all, p)
		}
		for _, c := range m.Columns[1:] {
			e, _ := geomean(m.ratios(rows, c)) // none if something failed
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
		b := bar{X: p.x(1), Y: top, Middle: top + 3, TextY: top + 6, Colour: colour(i), Failed: c.value == 0}
		if !b.Failed {
			b.X, b.Width = min(p.x(1), p.x(c.value)), tenths(math.Abs(p.x(c.value)-p.x(1)))
			b.Low, b.High = p.x(c.low), p.x(c.high)
		}
		out.Bars = append(out.Bars, b)
	}
	return out
}

// x is the place of a ratio, on a logarithmic scale from 0.8: twice as slow is as far from 1 as twice as fast.
func (p *plot) x(ratio float64) float64 {
	const least = 0.8
	return tenths(nameWidth + barsWidth*math.Log(max(ratio, least)/least)/math.Log(p.most/least))
}

func tenths(x float64) float64 { return math.Round(10*x) / 10 }

func (p *plot) addTicks() {
	for _, v := range []float64{0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20} {
		if v <= p.most {
			p.Ticks = append(p.Ticks, tick{p.x(v), v == 1, fmt.Sprint(v)})
		}
	}
}
