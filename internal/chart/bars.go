package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed bars.svg.tmpl
var barsText string

var barsTemplate = template.Must(template.New("bars").Parse(barsText))

// All lengths are in pixels.
const (
	nameWidth = 420
	barsWidth = 500
	barHeight = 7
	groupGap  = 6
	chartTop  = 65
	chartEdge = 20
)

// Bars is a chart with a group of bars for each thing that was measured, and a bar in it for each column.
type Bars struct {
	Title   string
	Columns []string
	Groups  []Group
	Scale   Scale
	Base    float64 // where bars begin
}

// A Group has a value for each column.
type Group struct {
	Name   string
	Bold   bool
	Values []Interval
}

// An Interval is a value and the ends of its interval. What failed has the value NaN.
type Interval struct{ Value, Low, High float64 }

// barsImage is what the template shows.
type barsImage struct {
	Title                             string
	Width, Height, Top, Bottom, TickY int
	NameX                             int
	Legend                            []legend
	Ticks                             []tick
	Groups                            []group
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

// Write writes the chart as SVG.
func (b *Bars) Write(w io.Writer) error { return barsTemplate.Execute(w, b.image()) }

func (b *Bars) image() *barsImage {
	p := &barsImage{Title: b.Title, Width: nameWidth + barsWidth + chartEdge, Top: chartTop, TickY: chartTop - 4,
		NameX: nameWidth - 8, Legend: newLegend(b.Columns)}
	y := chartTop + groupGap
	for _, g := range b.Groups {
		p.Groups = append(p.Groups, b.group(g, y))
		y += len(b.Columns)*barHeight + groupGap
	}
	p.Bottom, p.Height = y, y+chartEdge
	for _, v := range b.Scale.Ticks {
		if v <= b.Scale.Most {
			p.Ticks = append(p.Ticks, tick{b.x(v), v == b.Base, fmt.Sprint(v)})
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

func (b *Bars) group(g Group, y int) group {
	out := group{Name: g.Name, Bold: g.Bold, Y: y + len(g.Values)*barHeight/2 + 4}
	for i, v := range g.Values {
		top := float64(y + i*barHeight)
		base := b.x(b.Base)
		one := bar{X: base, Y: top, Middle: top + 3, TextY: top + 6, Colour: colour(i), Failed: math.IsNaN(v.Value)}
		if !one.Failed {
			one.X, one.Width = min(base, b.x(v.Value)), tenths(math.Abs(b.x(v.Value)-base))
			one.Low, one.High = b.x(v.Low), b.x(v.High)
		}
		out.Bars = append(out.Bars, one)
	}
	return out
}

func (b *Bars) x(v float64) float64 { return tenths(nameWidth + barsWidth*b.Scale.Position(v)) }
