package coverage

import (
	"bufio"
	"io"
)

// WriteSonar writes a report in SonarQube's generic coverage format, for sonar.coverageReportPaths. It has no counts and no
// functions.
func (r *Report) WriteSonar(w io.Writer) error {
	out := &xmlWriter{Writer: bufio.NewWriter(w)}
	out.open("coverage", "version", 1)
	for _, f := range r.Files {
		out.open("file", "path", f.Name)
		for i := range f.Lines {
			l := &f.Lines[i]
			attributes := []any{"lineNumber", l.Number, "covered", l.Count > 0}
			if taken, all := l.Branches(); all > 0 {
				attributes = append(attributes, "branchesToCover", all, "coveredBranches", taken)
			}
			out.empty("lineToCover", attributes...)
		}
		out.shut("file")
	}
	out.shut("coverage")
	return out.Flush()
}
