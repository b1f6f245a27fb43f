package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
)

//go:embed panels.svg.tmpl
var panelsText string

var panelsTemplate = template.Must(template.New("panels").Parse(panelsText))

// All lengths are in pixels. A panel has the distributions, and below them the intervals.
const (
	panelWidth  = 760
	panelLeft   = 20
	panelRight  = 740
	panelTop    = 64 // title, text and legend
	curveHeight = 150
	axisHeight  = 34
	pairHeight  = 22
	pairsLeft   = 220
	panelGap    = 16
	bins        = 120
)

// Panels is a chart with a panel for each function, one below the other.
type Panels []Panel

// A Panel shows how the values of some series are distributed, and what differences there are between them.
type Panel struct {
	Title, Text string
	Series      []Series
	Scale       *Scale               // of the values; nil if there are none
	Format      func(float64) string // of values, for the labels of the scale
	Differences []Difference
	Margin      float64 // the differences up to here, and down to its negative, lie in a grey band
}

// A Series has values, and a mean of them that is shown beside.
type Series struct {
	Name   string
	Values []float64
	Mean   float64
}

// A Difference is a share of 1 with its interval, if it is known.
type Difference struct {
	Text  string
	Known bool
	Interval
}

// panel is what the template shows of one.
type panel struct {
	Y           int // of its top
	Title, Text string
	Legend      []mark
	Curves      []curve
	Base, TickY int
	Ticks       []mark
	Pairs       []pairBar
	PairTicks   []mark
	PairsTop    int
	PairsBottom int
	PairsHeight int
	Band        [2]float64 // X and width of the margin
	Zero        float64
}

// A mark is a text at a place.
type mark struct {
	X, Y   float64
	Text   string
	Colour string
}

type curve struct {
	Colour string
	Points string // of the polygon
	Mean   float64
	Top    int
	Bottom int
}

type pairBar struct {
	Text           string
	Y              int
	Low, High, Mid float64
	Known          bool
}

// Write writes the chart as SVG.
func (all Panels) Write(w io.Writer) error {
	image := struct {
		Width, Height int
		Panels        []panel
	}{Width: panelWidth}
	for i := range all {
		p, height := all[i].image(image.Height)
		image.Panels = append(image.Panels, p)
		image.Height += height + panelGap
	}
	return panelsTemplate.Execute(w, image)
}

// image places a panel whose top is at y.
func (in *Panel) image(y int) (p panel, height int) {
	p = panel{Y: y, Title: in.Title, Text: in.Text}
	x := float64(panelLeft)
	for i, s := range in.Series {
		p.Legend = append(p.Legend, mark{X: x, Y: float64(y + 52), Text: s.Name, Colour: seriesColour(i)})
		x += 30 + 7*float64(len([]rune(s.Name)))
	}
	p.Base = y + panelTop + curveHeight
	p.TickY = p.Base + 16
	height = panelTop + curveHeight + axisHeight
	if in.Scale != nil {
		p.curves(in, y+panelTop)
	}
	p.PairsTop = y + height
	p.pairs(in, p.PairsTop)
	if len(p.Pairs) > 0 {
		height += len(p.Pairs)*pairHeight + axisHeight/2
	}
	p.PairsHeight = len(p.Pairs) * pairHeight
	p.PairsBottom = p.PairsTop + p.PairsHeight
	return p, height
}

// seriesColour leaves out grey: no series is what the others are compared with.
func seriesColour(i int) string { return colour(i + 1) }

// curves draws how often each value was in each series, as a share of its values.
func (p *panel) curves(in *Panel, top int) {
	shares := make([][]float64, len(in.Series))
	most := 0.0
	for i := range in.Series {
		shares[i] = distribution(in.Series[i].Values, in.Scale)
		most = max(most, slices.Max(shares[i]))
	}
	for i, s := range in.Series {
		if len(s.Values) == 0 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d,%d", panelLeft, p.Base)
		for j, share := range shares[i] {
			y := tenths(float64(p.Base) - share/most*curveHeight)
			for _, k := range []int{j, j + 1} {
				fmt.Fprintf(&b, " %v,%v", tenths(panelLeft+float64(k)*(panelRight-panelLeft)/bins), y)
			}
		}
		fmt.Fprintf(&b, " %d,%d", panelRight, p.Base)
		p.Curves = append(p.Curves, curve{seriesColour(i), b.String(), valueX(in.Scale, s.Mean), top, p.Base})
	}
	for _, t := range in.Scale.RoundTicks() {
		p.Ticks = append(p.Ticks, mark{X: valueX(in.Scale, t), Text: in.Format(t)})
	}
}

// distribution returns the shares of values by bin. Those that are not on the scale are in none.
func distribution(values []float64, s *Scale) []float64 {
	shares := make([]float64, bins)
	for _, v := range values {
		if at := s.Position(v); v >= s.Least && at < 1 {
			shares[int(at*bins)] += 1 / float64(len(values))
		}
	}
	return shares
}

// valueX returns where a value is; at an end of the scale, if it is beyond.
func valueX(s *Scale, v float64) float64 {
	return tenths(panelLeft + (panelRight-panelLeft)*min(s.Position(v), 1))
}

// pairs draws the intervals of the differences.
func (p *panel) pairs(in *Panel, top int) {
	widest := in.widest()
	if widest == 0 {
		return
	}
	x := func(v float64) float64 {
		return tenths(pairsLeft + (panelRight-pairsLeft)*(min(max(v/widest, -1), 1)+1)/2)
	}
	for i, d := range in.Differences {
		bar := pairBar{Text: d.Text, Y: top + i*pairHeight + pairHeight/2, Known: d.Known}
		if d.Known {
			bar.Low, bar.High, bar.Mid = x(d.Low), x(d.High), x(d.Value)
		}
		p.Pairs = append(p.Pairs, bar)
	}
	p.Band = [2]float64{x(-in.Margin), tenths(x(in.Margin) - x(-in.Margin))}
	p.Zero = x(0)
	step := roundStep(widest / 3)
	for v := -math.Floor(widest/step) * step; v <= widest; v += step {
		p.PairTicks = append(p.PairTicks, mark{X: x(v), Text: fmt.Sprintf("%+.4g%%", math.Round(v*1e6)/1e4)})
	}
}

// widest returns the difference at the ends of the scale of differences: a tenth more than the greatest.
func (in *Panel) widest() float64 {
	if len(in.Differences) == 0 {
		return 0
	}
	widest := 2 * in.Margin
	for _, d := range in.Differences {
		if d.Known {
			widest = max(widest, math.Abs(d.Low), math.Abs(d.High))
		}
	}
	return 1.1 * widest
}
