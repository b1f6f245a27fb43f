package lab

import "github.com/goprofinstr/goprofinstr/integration/eval/result"

// AddJobs adds a row for each benchmark.
func AddJobs(m *result.Measure, targets []*Target) {
	for _, t := range targets {
		for _, j := range t.Jobs {
			m.Rows = append(m.Rows, result.NewRow(j.Suite, j.Name(t.Pkg)))
		}
	}
}

// AddPackages adds a row for each package.
func AddPackages(m *result.Measure, targets []*Target) {
	for _, t := range targets {
		m.Rows = append(m.Rows, result.NewRow(t.Suite, t.Pkg))
	}
}

// Row returns the row of a benchmark.
func (b *Bench) Row(m *result.Measure) *result.Row { return m.Find(b.Suite, b.Job.Name(b.pkg)) }
