package show

import (
	"strings"
	"unicode/utf8"
)

// Fill returns words on as many lines as it takes, none wider than width unless a single word is. All lines begin with
// the indentation.
func Fill(words []string, indent string, width int) string {
	var b strings.Builder
	line := ""
	for _, w := range words {
		if line != "" && utf8.RuneCountInString(indent)+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			b.WriteString(indent + line + "\n")
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	if line != "" {
		b.WriteString(indent + line + "\n")
	}
	return b.String()
}

// Paragraph is Fill for text.
func Paragraph(text, indent string) string { return Fill(strings.Fields(text), indent, Width) }

// FillSteps returns what happens on a path, all of it, with arrows between the steps. A step that is wider than a line
// is cut, for the place behind it tells it from others; no step is left out.
func FillSteps(steps []string, indent string) string {
	var words []string
	most := Width - utf8.RuneCountInString(indent)
	for i, s := range steps {
		s = Printable(s)
		room := most
		if i < len(steps)-1 {
			room -= len(" →")
		}
		if utf8.RuneCountInString(s) > room {
			s = ShortenMiddle(s, room)
		}
		if i < len(steps)-1 {
			s += " →"
		}
		words = append(words, s)
	}
	return Fill(words, indent, Width)
}

// ShortenMiddle is like ShortenRight but drops from the middle: behind what is told of a condition stands what it was.
func ShortenMiddle(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	tail := (width - 1) / 2
	return string(runes[:width-1-tail]) + "…" + string(runes[len(runes)-tail:])
}
