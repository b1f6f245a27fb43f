package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// printReport writes a report as text.
func printReport(w io.Writer, r *report) error {
	m := r.Machine
	fmt.Fprintf(w, "%s, %d cores; %s, Linux %s; %s\n", m.CPU, m.Cores, m.OS, m.Kernel, m.Go)
	fmt.Fprintf(w, "commit %s, %s, load %s; eval %s\n", m.Commit, m.Date.Format("2006-01-02 15:04 MST"), m.Load, r.Options)
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
func (m *measure) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%s\n\n", m.Title)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	suites := m.suites()
	for i, suite := range suites {
		if i > 0 {
			fmt.Fprintln(tw)
		}
		m.printHeader(tw, suite)
		m.printRows(tw, m.inSuite(suite))
	}
	if len(suites) > 1 && !m.Absolute {
		fmt.Fprintln(tw)
		m.printHeader(tw, "all")
		m.printMeans(tw, m.Rows)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	m.printFailures(w)
	return nil
}

func (m *measure) suites() []string {
	var suites []string
	for _, r := range m.Rows {
		if !slices.Contains(suites, r.Suite) {
			suites = append(suites, r.Suite)
		}
	}
	return suites
}

func (m *measure) inSuite(suite string) []*row {
	var rows []*row
	for _, r := range m.Rows {
		if r.Suite == suite {
			rows = append(rows, r)
		}
	}
	return rows
}

func (m *measure) printHeader(w io.Writer, suite string) {
	columns := slices.Clone(m.Columns)
	if m.ratios() {
		columns[0] += " " + m.Unit
	}
	fmt.Fprintf(w, "%s\t%s\n", suite, strings.Join(columns, "\t"))
}

func (m *measure) printRows(w io.Writer, rows []*row) {
	for _, r := range rows {
		fmt.Fprint(w, r.Name)
		for i, c := range m.Columns {
			fmt.Fprintf(w, "\t%s", m.cell(r, i, c))
		}
		fmt.Fprintln(w)
	}
	if !m.Absolute {
		m.printMeans(w, rows)
	}
}

func (m *measure) cell(r *row, i int, column string) string {
	switch {
	case m.failure(r, column) != "":
		return "FAIL"
	case m.Curves && len(r.Values[column]) == 0:
		return ""
	case m.Absolute || m.ratios() && i == 0:
		return number(slices.Min(r.Values[column]))
	}
	return m.estimate(r, column).String()
}

// ratios tells that columns are compared with the first one.
func (m *measure) ratios() bool { return !m.Absolute && !m.Shares }

// compared returns the columns that have estimates.
func (m *measure) compared() []string {
	if m.ratios() {
		return m.Columns[1:]
	}
	return m.Columns
}

// failure returns why a row has no result in a column. There is no ratio if the first one has none.
func (m *measure) failure(r *row, column string) string {
	if m.Curves {
		return r.Failed[column]
	}
	if reason := r.failure(column); reason != "" || !m.ratios() {
		return reason
	}
	return r.failure(m.Columns[0])
}

// estimate returns what a column of a row is worth: beside the first one, or by itself.
func (m *measure) estimate(r *row, column string) estimate {
	switch {
	case m.Geometric:
		return correlations(r.Values[column])
	case m.Shares:
		return share(r.Values[column])
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

func (m *measure) printMeans(w io.Writer, rows []*row) {
	var means, worst []string
	if m.ratios() {
		means, worst = []string{""}, []string{""} // below the first column
	}
	for _, c := range m.compared() {
		mean, last, err := m.mean(rows, c)
		if err != nil {
			means, worst = append(means, err.Error()), append(worst, "")
			continue
		}
		means, worst = append(means, mean.String()), append(worst, last.String())
	}
	fmt.Fprintf(w, "%s\t%s\n", m.meanName(), strings.Join(means, "\t"))
	fmt.Fprintf(w, "%s\t%s\n", m.worstName(), strings.Join(worst, "\t"))
}

func (m *measure) meanName() string {
	if m.Shares {
		return "mean"
	}
	return "geometric mean"
}

func (m *measure) worstName() string {
	if m.Shares {
		return "minimum"
	}
	return "maximum"
}

// mean returns the mean of a column and the worst value in it: the greatest ratio, or the least share.
func (m *measure) mean(rows []*row, column string) (mean, worst estimate, err error) {
	all, failed := m.estimates(rows, column)
	if m.Shares {
		mean, err = meanShare(all, failed)
	} else {
		mean, err = geomean(all, failed)
	}
	if err != nil {
		return estimate{}, estimate{}, err
	}
	byValue := func(a, b estimate) int { return cmp.Compare(a.value, b.value) }
	if m.Shares {
		return mean, slices.MinFunc(all, byValue), nil
	}
	return mean, slices.MaxFunc(all, byValue), nil
}

// estimates returns the estimates of a column, and how many rows have none.
func (m *measure) estimates(rows []*row, column string) (all []estimate, failed int) {
	for _, r := range rows {
		if m.failure(r, column) != "" {
			failed++
			continue
		}
		all = append(all, m.estimate(r, column))
	}
	return all, failed
}

func (m *measure) printFailures(w io.Writer) {
	for _, r := range m.Rows {
		for _, c := range m.Columns {
			reason := m.failure(r, c)
			if reason == "" {
				continue
			}
			fmt.Fprintf(w, "FAIL %s, %s: %s\n", r.Name, c, strings.ReplaceAll(reason, "\n", "\n\t"))
			if m.ratios() && c == m.Columns[0] {
				break // without it there are no others
			}
		}
	}
}
