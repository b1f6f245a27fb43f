package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// newCurvePlot returns the plot of a table with Curves: a line for each row. Both scales are logarithmic, so that what falls with the square root is straight. It is an error if a column is no number.
func newCurvePlot(m *measure) (*linePlot, error) {
	p := &linePlot{Title: m.Title, Left: axisWidth, Right: axisWidth + linesWidth, Top: plotTop, Bottom: plotTop + linesHeight}
	p.Width, p.Height = p.Right+namesWidth, p.Bottom+2*plotEdge
	p.LabelX, p.LabelY = p.Left-6, p.Bottom+16
	xs := make([]float64, len(m.Columns))
	for i, c := range m.Columns {
		var err error
		if xs[i], err = strconv.ParseFloat(c, 64); err != nil || xs[i] <= 0 {
			return nil, fmt.Errorf("column %q is no number", c)
		}
	}
	across := &scale{least: xs[0], most: xs[len(xs)-1] * 1.0001, log: true}
	up := curveScale(m)
	x := func(v float64) float64 { return tenths(float64(p.Left) + linesWidth*across.position(v)) }
	y := func(v float64) float64 { return tenths(float64(p.Bottom) - linesHeight*up.position(v)) }
	for i, v := range xs {
		if len(xs) <= 12 || i&(i+1) == 0 || i == len(xs)-1 { // or the labels lie on each other
			p.Times = append(p.Times, tick{x(v), false, m.Columns[i]})
		}
	}
	for _, v := range up.ticks {
		p.Shares = append(p.Shares, tick{y(v), v == up.least, fmt.Sprint(v)})
	}
	for i, r := range m.Rows {
		l := line{Name: r.Name, Colour: lineColour(i), NameY: p.Top + nameHeight*(i+1)}
		var points []string
		for j, c := range m.Columns {
			for _, v := range r.Values[c] {
				points = append(points, fmt.Sprintf("%v,%v", x(xs[j]), y(v)))
				l.Dots = append(l.Dots, [2]float64{x(xs[j]), y(v)})
			}
		}
		l.Points = strings.Join(points, " ")
		p.Lines = append(p.Lines, l)
	}
	return p, nil
}

// curveScale returns a scale from one of 1, 2 and 5 times a power of ten to another, with all positive values on it but those below a thousandth of the greatest.
func curveScale(m *measure) *scale {
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
	least = max(min(least, most/2), most/1000)
	s := &scale{log: true}
	for power := math.Pow(10, math.Floor(math.Log10(least))); ; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * power
			if 2.5*v <= least { // the next one is below it, too
				continue
			}
			s.ticks = append(s.ticks, math.Round(v*1e9)/1e9)
			if v >= most {
				s.least, s.most = s.ticks[0], v
				return s
			}
		}
	}
}
