package overhead

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An evaluation is a report in the making, with one table for each thing that is measured.
type evaluation struct {
	*lab.Workshop
	options *Options
	report  *result.Report
	// Tables, nil for what is not asked for.
	times, instructions, sizes, builds *result.Measure
}

// newEvaluation makes the tables, with a row for everything that is to be measured: what is not reached is
// shown as failed.
func newEvaluation(w *lab.Workshop, o *Options, r *result.Report, targets []*lab.Target) *evaluation {
	e := &evaluation{Workshop: w, options: o, report: r}
	add := func(title, unit string, columns []string) *result.Measure {
		m := &result.Measure{Title: title, Unit: unit, Columns: columns}
		r.Measures = append(r.Measures, m)
		return m
	}
	if o.rounds > 0 {
		e.times = add("Time of benchmarks: ratio of the least times, 95% interval", "ns/op", w.Columns())
		lab.AddJobs(e.times, targets)
	}
	if o.callgrind {
		e.instructions = add("Instructions of benchmarks, by callgrind", "instructions/op", w.Columns())
		lab.AddJobs(e.instructions, targets)
	}
	e.sizes = add("Size of test binaries", "bytes", w.Built())
	lab.AddPackages(e.sizes, targets)
	if o.buildTimes > 0 {
		e.builds = add("Time of building a test binary after an edit in the package", "s", w.Built())
		lab.AddPackages(e.builds, editable(targets))
	}
	return e
}

// editable returns the targets whose files are copies.
func editable(targets []*lab.Target) []*lab.Target {
	var some []*lab.Target
	for _, t := range targets {
		if t.Module != "" {
			some = append(some, t)
		}
	}
	return some
}

// run measures the targets, one after the other. The report is saved after each.
func (e *evaluation) run(targets []*lab.Target) error {
	for _, t := range targets {
		fmt.Fprintln(os.Stderr, t.Pkg)
		if err := e.measure(t); err != nil {
			e.fail(t, err)
		}
		if err := e.report.Save(); err != nil {
			return err
		}
	}
	return nil
}

// measure builds one target and runs its benchmarks.
func (e *evaluation) measure(t *lab.Target) error {
	b, err := e.Build(t)
	if err != nil {
		return err
	}
	defer b.Remove()
	sizes := e.sizes.Find(t.Suite, t.Pkg)
	for _, name := range e.Built() {
		size, err := b.Size(name)
		sizes.Add(name, size, err)
	}
	for _, j := range t.Jobs {
		fmt.Fprintf(os.Stderr, "\t%s\n", j.Name(t.Pkg))
		bench := e.Bench(b, t, j)
		if r := e.times.Find(j.Suite, j.Name(t.Pkg)); r != nil {
			bench.Measure(r, e.Workshop.Modes, e.options.rounds, e.options.runtime)
		}
		if r := e.instructions.Find(j.Suite, j.Name(t.Pkg)); r != nil {
			bench.Instructions(r, e.Columns())
		}
	}
	if r := e.builds.Find(t.Suite, t.Pkg); r != nil {
		e.timeBuilds(r, t, b, e.options.buildTimes)
	}
	return nil
}

// fail says of everything that would have been measured on a target why it could not be.
func (e *evaluation) fail(t *lab.Target, err error) {
	for _, m := range []*result.Measure{e.sizes, e.builds} {
		if r := m.Find(t.Suite, t.Pkg); r != nil {
			r.Add(lab.Plain, 0, err)
		}
	}
	for _, m := range []*result.Measure{e.times, e.instructions} {
		for _, j := range t.Jobs {
			if r := m.Find(j.Suite, j.Name(t.Pkg)); r != nil {
				r.Add(lab.Plain, 0, err)
			}
		}
	}
}
