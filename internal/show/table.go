package show

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// A Table is text in columns, which are as wide as their widest cell:
//
//	package  functions  paths
//	m/lex          4/5   9/12
//	m              1/1    2/2
//
// is written of
//
//	t := show.Table{Left: 1}
//	t.Row("package", "functions", "paths")
//	…
//	t.Write(w)
//
// Cells are counted in runes. A cell that is flush left and the last of its row has no blanks behind it.
type Table struct {
	Left   int   // how many columns, from the first, are flush left; the others are flush right
	Fit    int   // runes that a row may have: the first column is shortened from the left to that; 0 for any number
	Indent int   // blanks before each row
	Gap    int   // blanks between columns; 0 for 2
	Least  []int // widths of columns, of the first ones, that are wide enough for most tables

	rows [][]string
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the rows.
func (t *Table) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	widths := t.widths()
	gap := strings.Repeat(" ", t.gap())
	for _, row := range t.rows {
		out.WriteString(strings.Repeat(" ", t.Indent))
		for i, cell := range row {
			if i > 0 {
				out.WriteString(gap)
			} else if t.Fit > 0 {
				cell = ShortenLeft(cell, widths[0])
			}
			switch {
			case i >= t.Left:
				cell = PadLeft(cell, widths[i])
			case i < len(row)-1:
				cell = PadRight(cell, widths[i])
			}
			out.WriteString(cell)
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

func (t *Table) gap() int {
	if t.Gap == 0 {
		return 2
	}
	return t.Gap
}

// widths returns the width of each column.
func (t *Table) widths() []int {
	widths := append([]int(nil), t.Least...)
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if t.Fit > 0 && len(widths) > 0 {
		left := t.Fit - t.Indent
		for _, n := range widths[1:] {
			left -= t.gap() + n
		}
		widths[0] = min(widths[0], left)
	}
	return widths
}
