package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// The source of paths in text: of so many paths, so many lines each. More is for the page (goprofinstr view).
const (
	sourcePaths = 5
	sourceLines = 12
)

// writeExcerpt writes the source lines on which the blocks of a path start, in the order of the file; nothing if they
// cannot be read.
func writeExcerpt(w io.Writer, files *source.Files, h hot.Path, indent int) {
	file, err := files.Function(h.Function)
	if err != nil {
		return
	}
	lines := h.Function.Lines(h.Path)
	slices.Sort(lines)
	lines = slices.Compact(lines)
	left := len(lines) - sourceLines
	if left > 0 {
		lines = lines[:sourceLines]
	}
	for i, text := range undented(file.Lines, lines) {
		row := fmt.Sprintf("%s%6d  ", strings.Repeat(" ", max(0, indent-8)), lines[i])
		fmt.Fprintf(w, "%s%s\n", row, show.ShortenRight(text, show.Width-len(row)))
	}
	if left > 0 {
		fmt.Fprintf(w, "%s     …  %s more\n", strings.Repeat(" ", max(0, indent-8)), show.Plural(left, "line"))
	}
}

// undented returns lines, counted from 1, without the indentation that all of them have, and with tabs as two blanks.
func undented(all []string, lines []int) []string {
	least := -1
	for _, n := range lines {
		text := all[n-1]
		tabs := len(text) - len(strings.TrimLeft(text, "\t"))
		if strings.TrimSpace(text) != "" && (least < 0 || tabs < least) {
			least = tabs
		}
	}
	var texts []string
	for _, n := range lines {
		text := all[n-1]
		text = text[min(max(least, 0), len(text)-len(strings.TrimLeft(text, "\t"))):]
		texts = append(texts, strings.TrimRight(show.Printable(strings.ReplaceAll(text, "\t", "  ")), " "))
	}
	return texts
}
