package result

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Print writes a report as text.
func Print(w io.Writer, r *Report) error {
	m := r.Machine
	fmt.Fprintf(w, "%s, %d cores; %s, Linux %s; %s\n", m.CPU, m.Cores, m.OS, m.Kernel, m.Go)
	fmt.Fprintf(w, "commit %s, %s, load %s; eval %s\n", m.Commit, m.Date.Format("2006-01-02 15:04 MST"), m.Load,
		r.Options)
	for _, n := range r.Notes {
		fmt.Fprintln(w, n)
	}
	for _, m := range r.Measures {
		if err := m.print(w); err != nil {
			return err
		}
	}
	return nil
}

// print writes one table, and below it why what failed did.
func (m *Measure) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%s\n\n", m.Title)
	for i, rows := range m.tables() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		t := &show.Table{Left: len(rows[0])}
		for _, cells := range rows {
			t.Row(cells...)
		}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	for _, f := range m.failures() {
		fmt.Fprintf(w, "FAIL %s\n", strings.ReplaceAll(f, "\n", "\n\t"))
	}
	return nil
}

// allSuites is the name of the table with the means of several suites.
const allSuites = "all"

// tables returns the cells of a table for each suite, whose first row is the header. If there are several suites, another
// has the means of all.
func (m *Measure) tables() (list [][][]string) {
	suites := m.suites()
	for _, suite := range suites {
		rows := m.inSuite(suite)
		list = append(list, append(append([][]string{m.header(suite)}, m.rows(rows)...), m.meanRows(rows)...))
	}
	if len(suites) > 1 && !m.Absolute {
		list = append(list, append([][]string{m.header(allSuites)}, m.meanRows(m.Rows)...))
	}
	if m.summed() {
		list = append(list, m.summary())
	}
	return list
}

func (m *Measure) suites() []string {
	var suites []string
	for _, r := range m.Rows {
		if !slices.Contains(suites, r.Suite) {
			suites = append(suites, r.Suite)
		}
	}
	return suites
}

func (m *Measure) inSuite(suite string) []*Row {
	var rows []*Row
	for _, r := range m.Rows {
		if r.Suite == suite {
			rows = append(rows, r)
		}
	}
	return rows
}

// header returns the cells above the rows of a suite.
func (m *Measure) header(suite string) []string {
	columns := slices.Clone(m.Columns)
	if m.ratios() {
		columns[0] += " " + m.Unit
	}
	return append([]string{suite}, columns...)
}

// rows returns the cells of rows.
func (m *Measure) rows(rows []*Row) (list [][]string) {
	for _, r := range rows {
		cells := []string{r.Name}
		for i, c := range m.Columns {
			cells = append(cells, m.cell(r, i, c))
		}
		list = append(list, cells)
	}
	return list
}

func (m *Measure) cell(r *Row, i int, column string) string {
	switch {
	case m.failure(r, column) != "":
		return "FAIL"
	case m.Curves && len(r.Values[column]) == 0:
		return ""
	case m.Absolute:
		return m.absolute(column, slices.Min(r.Values[column]))
	case m.ratios() && i == 0:
		return number(slices.Min(r.Values[column]))
	}
	return m.estimate(r, column).String()
}

// ratios tells that columns are compared with the first one.
func (m *Measure) ratios() bool { return !m.Absolute && !m.Shares }

// compared returns the columns that have estimates.
func (m *Measure) compared() []string {
	if m.ratios() {
		return m.Columns[1:]
	}
	return m.Columns
}

// failure returns why a row has no result in a column. There is no ratio if the first one has none.
func (m *Measure) failure(r *Row, column string) string {
	if m.Curves {
		return r.Failed[column]
	}
	if reason := r.Failure(column); reason != "" || !m.ratios() {
		return reason
	}
	return r.Failure(m.Columns[0])
}

// estimate returns what a column of a row is worth: beside the first one, or by itself.
func (m *Measure) estimate(r *Row, column string) estimate {
	switch {
	case m.Geometric:
		return correlations(r.Values[column])
	case m.Shares:
		return Share(r.Values[column])
	}
	return ratio(r.Values[m.Columns[0]], r.Values[column])
}

// number formats a value with at least four digits that count.
func number(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// meanRows returns the cells of the means and the worst values of rows; none where values have nothing in common.
func (m *Measure) meanRows(rows []*Row) [][]string {
	if m.Absolute {
		return nil
	}
	means, worst := []string{m.meanName()}, []string{m.worstName()}
	if m.ratios() {
		means, worst = append(means, ""), append(worst, "") // below the first column
	}
	for _, c := range m.compared() {
		mean, last, err := m.mean(rows, c)
		if err != nil {
			means, worst = append(means, err.Error()), append(worst, "")
			continue
		}
		means, worst = append(means, mean.String()), append(worst, last.String())
	}
	return [][]string{means, worst}
}

func (m *Measure) meanName() string {
	if m.Shares {
		return "mean"
	}
	return "geometric mean"
}

func (m *Measure) worstName() string {
	if m.Shares {
		return "minimum"
	}
	return "maximum"
}

// mean returns the mean of a column and the worst value in it: the greatest ratio, or the least share.
func (m *Measure) mean(rows []*Row, column string) (mean, worst estimate, err error) {
	all, failed := m.estimates(rows, column)
	if m.Shares {
		mean, err = meanShare(all, failed)
	} else {
		mean, err = geomean(all, failed)
	}
	if err != nil {
		return estimate{}, estimate{}, err
	}
	byValue := func(a, b estimate) int { return cmp.Compare(a.Value, b.Value) }
	if m.Shares {
		return mean, slices.MinFunc(all, byValue), nil
	}
	return mean, slices.MaxFunc(all, byValue), nil
}

// estimates returns the estimates of a column, and how many rows have none.
func (m *Measure) estimates(rows []*Row, column string) (all []estimate, failed int) {
	for _, r := range rows {
		if m.failure(r, column) != "" {
			failed++
			continue
		}
		all = append(all, m.estimate(r, column))
	}
	return all, failed
}

// failures tells what has no result, and why.
func (m *Measure) failures() (list []string) {
	for _, r := range m.Rows {
		for _, c := range m.Columns {
			reason := m.failure(r, c)
			if reason == "" {
				continue
			}
			list = append(list, fmt.Sprintf("%s, %s: %s", r.Name, c, reason))
			if m.ratios() && c == m.Columns[0] {
				break // without it there are no others
			}
		}
	}
	return list
}
