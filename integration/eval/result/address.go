package result

import (
	"fmt"
	"slices"
	"strings"
)

// At returns a value of a table by its address, which has the names that the reader of the table sees:
//
//	sort.A; exact                         row and column
//	std; sort.A; exact                    with the suite, where there are several
//	std; geometric mean; exact            a mean, or the maximum or minimum below it
//	std; geometric mean; exact; low       the ends of its interval: low and high
//	all; sum; right                       sum, median, minimum or maximum of values that stand for themselves
//
// Of a column that the others are compared with it is the least value.
func (m *Measure) At(address string) (float64, error) {
	parts := strings.Split(address, "; ")
	end := ""
	if last := parts[len(parts)-1]; last == "low" || last == "high" {
		end, parts = last, parts[:len(parts)-1]
	}
	if len(parts) == 2 {
		suites := m.suites()
		if len(suites) != 1 {
			return 0, fmt.Errorf("%q: the table has several suites, so the address begins with one: %q", address, suites)
		}
		parts = append(suites, parts...)
	}
	if len(parts) != 3 {
		return 0, fmt.Errorf("%q is no address of the form suite; row; column", address)
	}
	e, err := m.at(parts[0], parts[1], parts[2])
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: %v", address, err)
	case end == "low":
		return e.low, nil
	case end == "high":
		return e.high, nil
	}
	return e.Value, nil
}

// at returns what stands in a row and a column.
func (m *Measure) at(suite, row, column string) (e estimate, err error) {
	i := slices.Index(m.Columns, column)
	if i < 0 {
		return e, fmt.Errorf("no column %q; there are %q", column, m.Columns)
	}
	if !m.Absolute && (row == m.meanName() || row == m.worstName()) {
		return m.meanAt(suite, row, column)
	}
	if v, ok := m.together(row, column); ok && m.summed() && suite == allSuites {
		return estimate{Value: v, low: v, high: v}, nil
	}
	r := m.Find(suite, row)
	if r == nil {
		return e, fmt.Errorf("no row %q in suite %q", row, suite)
	}
	if reason := m.failure(r, column); reason != "" {
		return e, fmt.Errorf("no value: %s", reason)
	}
	if m.Absolute || m.ratios() && i == 0 {
		if len(r.Values[column]) == 0 {
			return e, fmt.Errorf("no value")
		}
		least := slices.Min(r.Values[column])
		return estimate{Value: least, low: least, high: slices.Max(r.Values[column])}, nil
	}
	return m.estimate(r, column), nil
}

// meanAt returns the mean or the worst value of a suite.
func (m *Measure) meanAt(suite, row, column string) (e estimate, err error) {
	rows := m.inSuite(suite)
	if suite == allSuites {
		rows = m.Rows
	}
	if m.ratios() && column == m.Columns[0] {
		return e, fmt.Errorf("no mean of column %q, with which the others are compared", column)
	}
	mean, worst, err := m.mean(rows, column)
	if row == m.worstName() {
		return worst, err
	}
	return mean, err
}
