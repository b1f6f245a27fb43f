package result

import (
	"fmt"
	"math"
	"slices"
)

// summed says that values stand for themselves, and that there are enough to be summed up.
func (m *Measure) summed() bool { return m.Absolute && !m.Curves && len(m.Rows) > 2 }

// Rows of a summary.
const (
	sumName     = "sum" // of columns of whole numbers
	medianName  = "median"
	minimumName = "minimum"
	maximumName = "maximum"
)

// summary returns the cells of a table that has for each column what its values are together.
func (m *Measure) summary() [][]string {
	rows := [][]string{m.header(allSuites)}
	for _, name := range []string{sumName, medianName, minimumName, maximumName} {
		cells := []string{name}
		for _, c := range m.Columns {
			if v, ok := m.together(name, c); ok {
				cells = append(cells, m.absolute(c, v))
			} else {
				cells = append(cells, "")
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// together returns the sum, median, minimum or maximum of a column; not ok if there is none, as where a row has failed.
func (m *Measure) together(name, column string) (v float64, ok bool) {
	var all []float64
	for _, r := range m.Rows {
		if m.failure(r, column) != "" {
			return 0, false
		}
		if len(r.Values[column]) > 0 {
			all = append(all, slices.Min(r.Values[column]))
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	switch name {
	case sumName:
		for _, x := range all {
			v += x
		}
		return v, m.whole(column)
	case medianName:
		return Share(all).Value, true
	case minimumName:
		return slices.Min(all), true
	case maximumName:
		return slices.Max(all), true
	}
	return 0, false
}

// absolute formats a value of a column: as a whole number, if the column has no others.
func (m *Measure) absolute(column string, v float64) string {
	if m.whole(column) && v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return number(v)
}

// whole reports whether all values of a column are whole numbers.
func (m *Measure) whole(column string) bool {
	for _, r := range m.Rows {
		for _, v := range r.Values[column] {
			if v != math.Trunc(v) {
				return false
			}
		}
	}
	return true
}
