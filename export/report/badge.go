package report

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

//go:embed badge.svg.tmpl
var badgeText string

var badgeTemplate = template.Must(template.New("badge").Parse(badgeText))

// A badge is two words beside each other, as shields.io draws them in its flat style.
type badge struct {
	Label, Value, Colour     string
	Width, Left, Right       int // of all, of the label's half and of the value's
	LabelX, ValueX           float64
	LabelLength, ValueLength int // of the texts
}

// WriteBadge writes the coverage of branches as a badge, in SVG. It needs no font: texts have the width that they have in
// Verdana, whatever they are drawn in. Where paths were sampled, it says what the coverage is at least.
func WriteBadge(w io.Writer, p *profile.Profile) error {
	c := p.Coverage()
	value := show.Percent(int64(c.BranchesExecuted), int64(c.Branches))
	if c.Branches == 0 {
		value = "nothing to cover"
	} else if p.Rule() < profile.Whether && c.BranchesExecuted < c.Branches {
		value = "≥ " + value
	}
	return badgeTemplate.Execute(w, newBadge("branch coverage", value, badgeColour(c.BranchesExecuted, c.Branches)))
}

// padding is how far texts are from the edges of their half, in pixels.
const padding = 5

func newBadge(label, value, colour string) badge {
	b := badge{Label: label, Value: value, Colour: colour, LabelLength: textWidth(label), ValueLength: textWidth(value)}
	b.Left, b.Right = b.LabelLength+2*padding, b.ValueLength+2*padding
	b.Width = b.Left + b.Right
	b.LabelX, b.ValueX = float64(b.Left)/2, float64(b.Left)+float64(b.Right)/2
	return b
}

// badgeColour returns the colour that shields.io has for a coverage.
func badgeColour(executed, all int) string {
	if all == 0 {
		return "#9f9f9f"
	}
	for _, step := range []struct {
		percent int
		colour  string
	}{{90, "#4c1"}, {80, "#97ca00"}, {70, "#a4a61d"}, {60, "#dfb317"}, {50, "#fe7d37"}} {
		if 100*executed >= step.percent*all {
			return step.colour
		}
	}
	return "#e05d44"
}

// widths are those of letters in Verdana, in 1/2048 of the size of the font.
var widths = map[rune]int{
	'a': 1230, 'b': 1276, 'c': 1067, 'd': 1276, 'e': 1220, 'f': 720, 'g': 1276, 'h': 1296, 'i': 562, 'j': 705, 'k': 1212,
	'l': 562, 'm': 1992, 'n': 1296, 'o': 1243, 'p': 1276, 'q': 1276, 'r': 874, 's': 1067, 't': 807, 'u': 1296, 'v': 1212,
	'w': 1676, 'x': 1212, 'y': 1212, 'z': 1076, ' ': 720, '.': 745, '%': 2204, '<': 1676, '>': 1676, '≥': 1676,
}

// digit is the width of a digit, and of what is in no table.
const digit = 1302

// textWidth returns the width of a text of 11 pixels, in pixels.
func textWidth(text string) int {
	sum := 0
	for _, r := range text {
		if width, ok := widths[r]; ok {
			sum += width
		} else {
			sum += digit
		}
	}
	return (sum*11 + 2047) / 2048
}
