package audit

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/show"
)

//go:embed plot.svg.tmpl
var plotText string

//go:embed page.html.tmpl
var pageText string

var templates = template.Must(template.Must(template.New("plot").Parse(plotText)).New("page").
	Funcs(template.FuncMap{"duration": duration, "share": share, "letter": Letter, "count": count, "calls": func(n uint64) string { return show.Grouped(int64(n)) }}).Parse(pageText))

// colours are those of Okabe and Ito, which colour-blind readers can tell apart too.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"}

// All lengths are in pixels. A panel has the distributions of a function's versions, and below them the intervals.
const (
	plotWidth   = 760
	plotLeft    = 20
	plotRight   = 740
	panelTop    = 64 // title, verdict and legend
	curveHeight = 150
	axisHeight  = 34
	pairHeight  = 22
	pairsLeft   = 220
	panelGap    = 16
	bins        = 120
)

// A plot is what the template shows.
type plot struct {
	Width, Height int
	Panels        []panel
}

type panel struct {
	Y              int // of its top
	Title, Verdict string
	Legend         []mark
	Curves         []curve
	Base, TickY    int
	Ticks          []mark
	Pairs          []pairBar
	PairTicks      []mark
	PairsTop       int
	PairsBottom    int
	PairsHeight    int
	Band           [2]float64 // X and width of the margin
	Zero           float64
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

// WriteSVG writes a plot of the timings of all functions.
func (r *Report) WriteSVG(w io.Writer) error {
	p := plot{Width: plotWidth}
	for i := range r.Functions {
		panel, height := newPanel(&r.Functions[i], p.Height, r.Confidence)
		p.Panels = append(p.Panels, panel)
		p.Height += height + panelGap
	}
	return templates.ExecuteTemplate(w, "plot", p)
}

// WriteHTML writes the report as a page that needs no other file.
func (r *Report) WriteHTML(w io.Writer) error {
	type function struct {
		*Function
		Verdict string
		Plot    template.HTML
	}
	page := struct {
		*Report
		Command   string
		Functions []function
	}{Report: r, Command: strings.Join(r.Command, " ")}
	for i := range r.Functions {
		one := &Report{Confidence: r.Confidence, Functions: r.Functions[i : i+1]}
		var b strings.Builder
		if err := one.WriteSVG(&b); err != nil {
			return err
		}
		f := &r.Functions[i]
		page.Functions = append(page.Functions, function{f, f.Verdict(r.Confidence), template.HTML(b.String())}) // of our own template
	}
	return templates.ExecuteTemplate(w, "page", page)
}

func newPanel(f *Function, y int, confidence float64) (p panel, height int) {
	p = panel{Y: y, Title: f.Name, Verdict: cut(f.Verdict(confidence), 120)}
	x := float64(plotLeft)
	for i := range f.Versions {
		label := cut(f.Label(i), 40)
		p.Legend = append(p.Legend, mark{X: x, Y: float64(y + 52), Text: label, Colour: colour(i)})
		x += 30 + 7*float64(len([]rune(label)))
	}
	p.Base = y + panelTop + curveHeight
	p.TickY = p.Base + 16
	height = panelTop + curveHeight + axisHeight
	if s := newScale(f); s != nil {
		p.curves(f, s, y+panelTop)
	}
	p.PairsTop = y + height
	p.pairs(f, p.PairsTop)
	if len(p.Pairs) > 0 {
		height += len(p.Pairs)*pairHeight + axisHeight/2
	}
	p.PairsHeight = len(p.Pairs) * pairHeight
	p.PairsBottom = p.PairsTop + p.PairsHeight
	return p, height
}

func colour(version int) string { return colours[version%len(colours)] }

// A scale has the times of the plot: from where nearly all timings begin to where nearly all have ended.
type scale struct {
	from, to float64
	log      bool
}

func newScale(f *Function) *scale {
	s := &scale{math.Inf(1), 0, false}
	for _, v := range f.Versions {
		if n := len(v.Kept); n > 0 {
			s.from, s.to = min(s.from, v.Kept[n/200]), max(s.to, v.Kept[n-1-n/50])
		}
	}
	if s.to == 0 {
		return nil
	}
	if s.from = max(s.from, 1); s.to/s.from < 1.05 {
		s.from, s.to = s.from*0.97, s.to*1.03
	}
	s.log = s.to/s.from > 20
	return s
}

// position returns where a time is, 0 to 1 on the plot.
func (s *scale) position(v float64) float64 {
	if s.log {
		return math.Log(v/s.from) / math.Log(s.to/s.from)
	}
	return (v - s.from) / (s.to - s.from)
}

func (s *scale) x(v float64) float64 {
	return tenths(plotLeft + (plotRight-plotLeft)*min(max(s.position(v), 0), 1))
}

// ticks returns round times.
func (s *scale) ticks() (list []float64) {
	if s.log {
		for v := math.Pow(10, math.Floor(math.Log10(s.from))); v <= s.to; v *= 10 {
			for _, m := range []float64{1, 2, 5} {
				if v*m >= s.from && v*m <= s.to {
					list = append(list, v*m)
				}
			}
		}
		return list
	}
	step := roundStep((s.to - s.from) / 6)
	for v := math.Ceil(s.from/step) * step; v <= s.to; v += step {
		list = append(list, v)
	}
	return list
}

// roundStep returns the least of 1, 2 and 5 times a power of ten that is not less than x.
func roundStep(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= x {
			return m * unit
		}
	}
	return 10 * unit
}

// curves draws how often each time was taken by each version, as a share of its timings.
func (p *panel) curves(f *Function, s *scale, top int) {
	shares := make([][]float64, len(f.Versions))
	most := 0.0
	for i, v := range f.Versions {
		shares[i] = make([]float64, bins)
		for _, t := range v.Kept {
			if at := s.position(t); at >= 0 && at < 1 {
				shares[i][int(at*bins)] += 1 / float64(len(v.Kept))
			}
		}
		most = max(most, slices.Max(shares[i]))
	}
	for i, v := range f.Versions {
		if len(v.Kept) == 0 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d,%d", plotLeft, p.Base)
		for j, share := range shares[i] {
			y := tenths(float64(p.Base) - share/most*curveHeight)
			for _, k := range []int{j, j + 1} {
				fmt.Fprintf(&b, " %v,%v", tenths(plotLeft+float64(k)*(plotRight-plotLeft)/bins), y)
			}
		}
		fmt.Fprintf(&b, " %d,%d", plotRight, p.Base)
		p.Curves = append(p.Curves, curve{colour(i), b.String(), s.x(v.Capped), top, p.Base})
	}
	for _, t := range s.ticks() {
		p.Ticks = append(p.Ticks, mark{X: s.x(t), Text: duration(t)})
	}
}

// pairs draws the intervals of the differences.
func (p *panel) pairs(f *Function, top int) {
	widest := 0.0
	for _, pair := range f.Pairs {
		widest = max(widest, 2*pair.Margin)
		if pair.Known {
			widest = max(widest, math.Abs(pair.Low), math.Abs(pair.High))
		}
	}
	if widest == 0 {
		return
	}
	widest *= 1.1
	x := func(v float64) float64 {
		return tenths(pairsLeft + (plotRight-pairsLeft)*(min(max(v/widest, -1), 1)+1)/2)
	}
	margin := 0.0
	for i, pair := range f.Pairs {
		margin = max(margin, pair.Margin)
		bar := pairBar{Text: fmt.Sprintf("%s against %s: no interval yet", Letter(pair.B), Letter(pair.A)), Y: top + i*pairHeight + pairHeight/2, Known: pair.Known}
		if pair.Known {
			bar.Text = fmt.Sprintf("time of %s against %s: %+.2f%%", Letter(pair.B), Letter(pair.A), 100*pair.Effect)
			bar.Low, bar.High, bar.Mid = x(pair.Low), x(pair.High), x(pair.Effect)
		}
		p.Pairs = append(p.Pairs, bar)
	}
	p.Band = [2]float64{x(-margin), tenths(x(margin) - x(-margin))}
	p.Zero = x(0)
	step := roundStep(widest / 3)
	for v := -math.Floor(widest/step) * step; v <= widest; v += step {
		p.PairTicks = append(p.PairTicks, mark{X: x(v), Text: fmt.Sprintf("%+.4g%%", math.Round(v*1e6)/1e4)})
	}
}

func count(n int) string { return show.Grouped(int64(n)) }

func tenths(x float64) float64 { return math.Round(10*x) / 10 }
