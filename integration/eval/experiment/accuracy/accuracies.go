package accuracy

import (
	"fmt"
	"os"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// predictedShare is the least flow of a path that is predicted from edges. Predictions spread flow over more
// paths than there are. So some of the n hottest, which are compared with n hot ones, are not hot
// themselves.
const predictedShare = accuracy.Threshold / 10

// A comparison has the tables of profiles that are compared with exact ones.
type comparison struct {
	*lab.Workshop
	report                    *result.Report
	trials                    int
	workloads                 *result.Measure
	paths, relative, absolute *result.Measure
	invariance                *result.Measure
}

// newComparison makes the tables, with a row for each workload. Paths have other columns than edges.
func newComparison(w *lab.Workshop, trials int, r *result.Report, of string, pathColumns, edgeColumns []string,
	targets []*lab.Target) *comparison {
	c := &comparison{Workshop: w, report: r, trials: trials}
	add := func(m result.Measure) *result.Measure {
		lab.AddJobs(&m, targets)
		r.Measures = append(r.Measures, &m)
		return &m
	}
	c.workloads = add(result.Measure{
		Title:   "Workloads: CPU seconds of an exact run, executions of paths in millions, hot paths",
		Columns: []string{"CPU s", "M paths", "hot"}, Absolute: true,
	})
	c.paths = add(result.Measure{
		Title:   "Path accuracy" + of + " (PEP 6.3): flow of the hot paths that are found",
		Columns: pathColumns, Shares: true, Plot: "paths",
	})
	c.relative = add(result.Measure{
		Title:   "Relative overlap" + of + " (PEP 6.4): accuracy of the bias of branches",
		Columns: edgeColumns, Shares: true, Plot: "edges",
	})
	c.absolute = add(result.Measure{Title: "Absolute overlap" + of + " (PEP 6.4): of the frequencies of edges",
		Columns: edgeColumns, Shares: true})
	c.invariance = add(result.Measure{
		Title:   "Error" + of + " (STRAT 5.3.1): of the shares of a function's frequent paths in its executions",
		Columns: edgeColumns, Shares: true,
	})
	return c
}

// rows are those of one workload.
type rows struct{ workload, paths, relative, absolute, invariance *result.Row }

func (c *comparison) rows(suite, name string) rows {
	find := func(m *result.Measure) *result.Row { return m.Find(suite, name) }
	return rows{find(c.workloads), find(c.paths), find(c.relative), find(c.absolute), find(c.invariance)}
}

// runAll calls one for each workload. What fails is in the report.
func (c *comparison) runAll(targets []*lab.Target, one func(*lab.Bench, rows) error) error {
	return eachBench(c.Workshop, targets, c.report, func(b *lab.Bench, name string, err error) {
		rows := c.rows(b.Suite, name)
		if err == nil {
			err = one(b, rows)
		}
		if err != nil {
			rows.workload.Add(c.workloads.Columns[0], 0, err)
		}
	})
}

// eachBench builds the targets, one after the other, and calls one for each benchmark of theirs, with its name and the
// error of the build. It saves the report after each target.
func eachBench(w *lab.Workshop, targets []*lab.Target, r *result.Report,
	one func(b *lab.Bench, name string, err error)) error {
	for _, t := range targets {
		fmt.Fprintln(os.Stderr, t.Pkg)
		b, err := w.Build(t)
		for _, j := range t.Jobs {
			name := j.Name(t.Pkg)
			fmt.Fprintf(os.Stderr, "\t%s\n", name)
			one(w.Bench(b, t, j), name, err)
		}
		if b != nil {
			b.Remove()
		}
		if err := r.Save(); err != nil {
			return err
		}
	}
	return nil
}

// add compares the profile of a sampler with an exact one, in a column.
func (r rows) add(column string, s sampler, actual, estimate *accuracy.Profile) {
	if s.edges {
		share, err := accuracy.Paths(actual, accuracy.Predict(estimate, predictedShare))
		r.paths.Add(column, share, err)
		return // the edges are those of the other sampler
	}
	share, err := accuracy.Paths(actual, estimate)
	r.paths.Add(column, share, err)
	share, err = accuracy.Relative(actual, estimate)
	r.relative.Add(column, share, err)
	share, err = accuracy.Absolute(actual, estimate)
	r.absolute.Add(column, share, err)
	share, err = invarianceError(actual, estimate)
	r.invariance.Add(column, share, err)
}

// fail says why a column has no result.
func (r rows) fail(column string, s sampler, err error) {
	r.paths.Add(column, 0, err)
	if !s.edges {
		r.relative.Add(column, 0, err)
		r.absolute.Add(column, 0, err)
		r.invariance.Add(column, 0, err)
	}
}

// An accuracies compares samplers.
type accuracies struct {
	*comparison
	samplers []sampler
	cpu      time.Duration // of a run
}

func newAccuracies(w *lab.Workshop, trials int, cpu time.Duration, r *result.Report, samplers []sampler,
	targets []*lab.Target) *accuracies {
	var all, sampled []string
	for _, s := range samplers {
		all = append(all, s.name)
		if !s.edges {
			sampled = append(sampled, s.name)
		}
	}
	return &accuracies{newComparison(w, trials, r, "", all, sampled, targets), samplers, cpu}
}

func (a *accuracies) run(targets []*lab.Target) error { return a.runAll(targets, a.compare) }

// compare measures one workload: the exact profile once, then trials of all samplers, in turn.
func (a *accuracies) compare(b *lab.Bench, r rows) error {
	n, err := b.Iterations(a.cpu)
	if err != nil {
		return err
	}
	run, err := exactly(b, n)
	if err != nil {
		return err
	}
	a.describe(r.workload, run)
	for range a.trials {
		estimates := make(map[string]*profile.Profile) // by mode
		for _, s := range a.samplers {
			if estimates[s.mode] == nil {
				p, _, err := b.Profile(s.mode, n)
				if err != nil {
					r.fail(s.name, s, err)
					continue
				}
				estimates[s.mode] = p
			}
			r.add(s.name, s, run.paths, s.paths(estimates[s.mode]))
		}
	}
	return nil
}

// An exactRun is what estimates are compared with.
type exactRun struct {
	iterations int
	cpu        time.Duration
	profile    *profile.Profile
	paths      *accuracy.Profile
}

// exactly counts the paths of n iterations.
func exactly(b *lab.Bench, n int) (*exactRun, error) {
	p, cpu, err := b.Profile(lab.Exact, n)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("the exact profile is not exact: %w", err)
	}
	return &exactRun{n, cpu, p, accuracy.New(p)}, nil
}

// describe adds a run to the table of workloads.
func (c *comparison) describe(r *result.Row, run *exactRun) {
	r.Iterations = run.iterations
	for i, v := range []float64{run.cpu.Seconds(), run.paths.Executions() / 1e6, float64(run.paths.HotPaths())} {
		r.Add(c.workloads.Columns[i], v, nil)
	}
}
