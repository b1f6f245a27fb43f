package show

import (
	"strings"
	"unicode/utf8"
)

// Width is what reports fit into, in runes: a terminal of 80 columns.
const Width = 80

// ShortenLeft returns s in at most width runes. What it drops from the left
// it replaces by "…", and it cuts after a "/" if that leaves at least half.
func ShortenLeft(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	tail := string(runes[len(runes)-width+1:])
	if i := strings.IndexByte(tail, '/'); i >= 0 && utf8.RuneCountInString(tail[i:]) >= width/2 {
		tail = tail[i:]
	}
	return "…" + tail
}

// ShortenRight is like ShortenLeft but drops from the right.
func ShortenRight(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	return string(runes[:width-1]) + "…"
}

// PadRight and PadLeft fill s with blanks up to width runes. fmt would do, but
// these keep the columns of a table readable in the code.
func PadRight(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// PadLeft: see PadRight.
func PadLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}
