package main

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"text/template"
	"time"
)

//go:embed lineplot.svg.tmpl
var linePlotText string

var linePlotTemplate = template.Must(template.New("lineplot").Parse(linePlotText))

// All lengths are in pixels.
const (
	linesWidth  = 500
	linesHeight = 400
	axisWidth   = 50  // beside the lines
	namesWidth  = 400 // behind them
	nameHeight  = 14
)

// A linePlot is what the template shows: a line for each row of a table whose columns are times, and a bold one for the mean.
type linePlot struct {
	Title                                                   string
	Width, Height, Left, Right, Top, Bottom, LabelX, LabelY int
	Times                                                   []tick
	Shares                                                  []tick // X is the height
	Lines                                                   []line
}

type line struct {
	Name, Colour string
	Bold         bool
	Points       string       // of the polyline
	Dots         [][2]float64 // where they are, X and Y
	NameY        int          // of the name in the legend
}

// newLinePlot returns the plot of a table with shares. It is an error if a column is no time.
func newLinePlot(m *measure) (*linePlot, error) {
	p := &linePlot{Title: m.Title, Left: axisWidth, Right: axisWidth + linesWidth, Top: plotTop, Bottom: plotTop + linesHeight}
	p.Width, p.Height = p.Right+namesWidth, p.Bottom+2*plotEdge
	p.LabelX, p.LabelY = p.Left-6, p.Bottom+16
	x, err := p.addTimes(m.Columns)
	if err != nil {
		return nil, err
	}
	rows := m.groups()
	shares := linesScale(rows)
	y := func(v float64) float64 { return tenths(float64(p.Bottom) - linesHeight*shares.position(v)) }
	for _, v := range shares.ticks {
		p.Shares = append(p.Shares, tick{y(v), v == shares.least, fmt.Sprintf("%.2f", v)})
	}
	for i, r := range rows {
		l := line{Name: r.name, Bold: r.mean, Colour: lineColour(i), NameY: p.Top + nameHeight*(i+1)}
		if r.mean {
			l.Colour = "black"
		}
		var points []string
		for j, c := range r.cells {
			if !math.IsNaN(c.value) {
				points = append(points, fmt.Sprintf("%v,%v", x[j], y(c.value)))
				l.Dots = append(l.Dots, [2]float64{x[j], y(c.value)})
			}
		}
		l.Points = strings.Join(points, " ")
		p.Lines = append(p.Lines, l)
	}
	return p, nil
}

// addTimes sets p.Times and returns the places of the columns, which are on a logarithmic scale.
func (p *linePlot) addTimes(columns []string) (x []float64, err error) {
	var seconds []float64
	for _, c := range columns {
		d, err := time.ParseDuration(c)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("column %q is no time", c)
		}
		seconds = append(seconds, d.Seconds())
	}
	// Half as long and twice as long, so that a single time has a place, too.
	s := &scale{least: seconds[0] / 2, most: seconds[len(seconds)-1] * 2, log: true}
	for i, v := range seconds {
		x = append(x, tenths(float64(p.Left)+linesWidth*s.position(v)))
		p.Times = append(p.Times, tick{x[i], false, columns[i]})
	}
	return x, nil
}

// linesScale returns a scale of tenths up to 1 that has all values on it, for shares of interest are near 1.
func linesScale(rows []plotRow) *scale {
	s := &scale{least: 0.9, most: 1}
	for _, r := range rows {
		for _, c := range r.cells {
			if !math.IsNaN(c.value) {
				s.least = min(s.least, math.Floor(10*c.value)/10)
			}
		}
	}
	for i := range 11 {
		s.ticks = append(s.ticks, s.least+float64(i)*(s.most-s.least)/10)
	}
	return s
}

// lineColour returns the colours that there are, and then the same darker.
func lineColour(i int) string {
	if i < len(colours) {
		return colours[i]
	}
	return darker[i%len(darker)]
}

var darker = []string{"#555555", "#003859", "#2b5a75", "#004f3a", "#735000", "#6b2f00", "#663d54", "#787221"}
