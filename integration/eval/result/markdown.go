package result

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostRows is how many rows a table on a page shows. Longer ones are folded up.
const mostRows = 12

// WriteMarkdown writes the tables of a report, each below a heading with its title. Pictures has the files with their plots.
func (r *Report) WriteMarkdown(w io.Writer, pictures map[*Measure]string) {
	for _, m := range r.Measures {
		fmt.Fprintf(w, "\n## %s\n", escape(m.Title))
		if p := pictures[m]; p != "" {
			fmt.Fprintf(w, "\n![%s](%s)\n", escape(m.Title), p)
		}
		m.writeMarkdown(w)
	}
}

// writeMarkdown writes the tables of a measure. If they are long, or have curves, they are folded up behind their means.
func (m *Measure) writeMarkdown(w io.Writer) {
	tables := m.tables()
	if m.published() {
		m.addSources(tables)
	}
	if m.long() || m.Curves && !m.published() {
		m.writeFolded(w, tables)
	} else {
		for _, rows := range tables {
			writeTable(w, rows)
		}
	}
	for _, f := range m.failures() {
		reason, _, _ := strings.Cut(f, "\n")
		fmt.Fprintf(w, "\nNo result: %s\n", escape(reason))
	}
}

// writeFolded writes the means or sums, and then the table of each suite, folded up.
func (m *Measure) writeFolded(w io.Writer, tables [][][]string) {
	suites := m.suites()
	if !m.Absolute {
		writeTable(w, m.means())
	} else if len(tables) > len(suites) {
		writeTable(w, tables[len(suites)])
	}
	for i, s := range suites {
		fmt.Fprintf(w, "\n<details><summary>%s, row by row: %d</summary>\n", escape(cmp.Or(s, m.Title)), len(m.inSuite(s)))
		writeTable(w, tables[i])
		fmt.Fprint(w, "\n</details>\n")
	}
}

// published says that rows have sources.
func (m *Measure) published() bool {
	return slices.ContainsFunc(m.Rows, func(r *Row) bool { return r.Source != "" })
}

// addSources adds a column with the sources of rows.
func (m *Measure) addSources(tables [][][]string) {
	for i, suite := range m.suites() {
		tables[i][0] = append(tables[i][0], "source")
		for j, r := range m.inSuite(suite) {
			tables[i][j+1] = append(tables[i][j+1], r.Source)
		}
	}
}

// long says that a suite has many rows.
func (m *Measure) long() bool {
	for _, s := range m.suites() {
		if len(m.inSuite(s)) > mostRows {
			return true
		}
	}
	return false
}

// means returns a table of the means of all suites.
func (m *Measure) means() [][]string {
	rows := [][]string{m.header("")}
	add := func(suite string, of []*Row) {
		for _, cells := range m.meanRows(of) {
			cells[0] = suite + ", " + cells[0]
			rows = append(rows, cells)
		}
	}
	suites := m.suites()
	for _, s := range suites {
		add(s, m.inSuite(s))
	}
	if len(suites) > 1 {
		add(allSuites, m.Rows)
	}
	return rows
}

// writeTable writes cells, the first row of which is the header.
func writeTable(w io.Writer, rows [][]string) {
	fmt.Fprintln(w)
	for i, cells := range rows {
		for _, c := range cells {
			fmt.Fprintf(w, "| %s ", escape(c))
		}
		fmt.Fprintln(w, "|")
		if i == 0 {
			fmt.Fprintf(w, "|---|%s\n", strings.Repeat("--:|", len(cells)-1))
		}
	}
}

// escape has Markdown show text as it is.
var escaper = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`", "#", `\#`, "\n", " ")

func escape(text string) string { return escaper.Replace(text) }
