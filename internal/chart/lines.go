package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed lines.svg.tmpl
var linesText string

var linesTemplate = template.Must(template.New("lines").Parse(linesText))

// All lengths are in pixels.
const (
	linesWidth  = 500
	linesHeight = 400
	axisWidth   = 50  // beside the lines
	namesWidth  = 400 // behind them
	nameHeight  = 14
)

// Lines is a chart with a line for each thing that was measured. The ticks of its scales are of no account.
type Lines struct {
	Title      string
	Across, Up Scale
	X, Y       []Label // on these scales
	Lines      []Line
}

// A Label is a text at a value of a scale.
type Label struct {
	At   float64
	Text string
}

// A Line goes through points, each X and Y. A bold one is black.
type Line struct {
	Name   string
	Bold   bool
	Points [][2]float64
}

// linesImage is what the template shows.
type linesImage struct {
	Title                                                   string
	Width, Height, Left, Right, Top, Bottom, LabelX, LabelY int
	XTicks                                                  []tick
	YTicks                                                  []tick // X is the height
	Lines                                                   []line
}

type line struct {
	Name, Colour string
	Bold         bool
	Points       string       // of the polyline
	Dots         [][2]float64 // where they are, X and Y
	NameY        int          // of the name in the legend
}

// Write writes the chart as SVG.
func (l *Lines) Write(w io.Writer) error { return linesTemplate.Execute(w, l.image()) }

func (l *Lines) image() *linesImage {
	p := &linesImage{Title: l.Title, Left: axisWidth, Right: axisWidth + linesWidth, Top: chartTop,
		Bottom: chartTop + linesHeight}
	p.Width, p.Height = p.Right+namesWidth, p.Bottom+2*chartEdge
	p.LabelX, p.LabelY = p.Left-6, p.Bottom+16
	x := func(v float64) float64 { return tenths(float64(p.Left) + linesWidth*l.Across.Position(v)) }
	y := func(v float64) float64 { return tenths(float64(p.Bottom) - linesHeight*l.Up.Position(v)) }
	for _, label := range l.X {
		p.XTicks = append(p.XTicks, tick{x(label.At), false, label.Text})
	}
	for _, label := range l.Y {
		p.YTicks = append(p.YTicks, tick{y(label.At), label.At == l.Up.Least, label.Text})
	}
	for i, one := range l.Lines {
		out := line{Name: one.Name, Bold: one.Bold, Colour: colour(i), NameY: p.Top + nameHeight*(i+1)}
		if one.Bold {
			out.Colour = "black"
		}
		var points []string
		for _, v := range one.Points {
			points = append(points, fmt.Sprintf("%v,%v", x(v[0]), y(v[1])))
			out.Dots = append(out.Dots, [2]float64{x(v[0]), y(v[1])})
		}
		out.Points = strings.Join(points, " ")
		p.Lines = append(p.Lines, out)
	}
	return p
}
